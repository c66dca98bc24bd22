package main

import (
	"time"

	"github.com/spf13/cobra"

	"nrdl/internal/buildinfo"
	"nrdl/internal/cli"
)

func (a *app) versionCmd() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Show the version and how fast linear algebra is here",
		Long: `version shows the version, and the back end for linear algebra with its measured
speed. The environment variable NRDL_BLAS names another back end.`,
		Example: `  nrdl version
  nrdl version --json`,
		Args: cli.Arguments(0, 0),
		RunE: func(*cobra.Command, []string) error {
			b := buildinfo.Read()
			b.Measure(50 * time.Millisecond)
			if asJSON {
				return a.printJSON(b)
			}
			return b.WriteText(a.Out)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write one object")
	return c
}
