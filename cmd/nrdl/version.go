package main

import (
	"time"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/cmd/nrdl/internal/buildinfo"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	notices "nrdl.example/nrdl/internal/licences"
)

func (a *app) versionCmd() *cobra.Command {
	var asJSON, licences bool
	c := &cobra.Command{
		Use:  "version",
		Args: cli.Arguments(0, 0),
		RunE: func(*cobra.Command, []string) error {
			if licences {
				text, err := notices.Notice()
				if err != nil {
					return err
				}
				_, err = a.Out.Write(text)
				return err
			}
			b := buildinfo.Read()
			b.Measure(50 * time.Millisecond)
			if asJSON {
				return a.printJSON(b)
			}
			return b.WriteText(a.Out)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write one object")
	c.Flags().BoolVar(&licences, "licences", false, "write the licences of everything that the program contains")
	c.MarkFlagsMutuallyExclusive("json", "licences")
	return c
}
