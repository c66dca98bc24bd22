package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/buildinfo"
	"nrdl.example/nrdl/cmd/nrdl/internal/catalogue"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/engine"
	"nrdl.example/nrdl/internal/legible"
	notices "nrdl.example/nrdl/internal/licences"
	"nrdl.example/nrdl/method"
)

func (a *app) methodsCmd() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:  "methods [NAME]",
		Args: cli.Arguments(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && asJSON:
				return a.printJSON(engine.Methods())
			case len(args) == 0:
				catalogue.List(a.Console)
				return nil
			}
			if s, ok := catalogue.FindStage(args[0]); ok && asJSON {
				return a.printJSON(s)
			} else if ok {
				return s.WriteText(a.Out)
			}
			m, err := method.Named(args[0])
			switch {
			case err != nil:
				return cli.AsMisuse(advice.Unknown("method or input", args[0], catalogue.Names()))
			case asJSON:
				return a.printJSON(catalogue.Of(m))
			}
			return catalogue.Of(m).WriteText(a.Out)
		},
		ValidArgsFunction: cli.First(cli.Words(slices.Concat(methodWords, stageWords)...), cobra.NoFileCompletions),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write JSON; of no NAME, the methods")
	return c
}

// printJSON adds v to the results, indented.
func (a *app) printJSON(v any) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := a.Out.Write(legible.JSON(text.Bytes()))
	return err
}

func (a *app) versionCmd() *cobra.Command {
	var asJSON, licences bool
	c := &cobra.Command{
		Use:  "version",
		Args: cli.Arguments(0, 0),
		RunE: func(*cobra.Command, []string) error {
			if licences {
				_, err := a.Out.Write(notices.Notice())
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
