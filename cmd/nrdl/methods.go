package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/cmd/nrdl/engine"
	"nrdl.example/nrdl/cmd/nrdl/internal/buildinfo"
	"nrdl.example/nrdl/cmd/nrdl/internal/catalogue"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	notices "nrdl.example/nrdl/cmd/nrdl/licences"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/feature"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/projection"
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
				return s.WriteText(a.Results)
			}
			m, err := method.Named(args[0])
			switch {
			case err != nil:
				return cli.AsMisuse(advice.Unknown("method or input", args[0], catalogue.Names()))
			case asJSON:
				return a.printJSON(catalogue.Of(m))
			}
			return catalogue.Of(m).WriteText(a.Results)
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
	_, err := a.Results.Write(legible.JSON(text.Bytes()))
	return err
}

func (a *app) versionCmd() *cobra.Command {
	var asJSON, licences bool
	c := &cobra.Command{
		Use:  "version",
		Args: cli.Arguments(0, 0),
		RunE: func(*cobra.Command, []string) error {
			if licences {
				_, err := a.Results.Write(notices.Notice())
				return err
			}
			b := buildinfo.Read()
			b.Measure(50 * time.Millisecond)
			if asJSON {
				return a.printJSON(b)
			}
			return b.WriteText(a.Results)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write one object")
	c.Flags().BoolVar(&licences, "licences", false, "write the licences of everything that the program contains")
	c.MarkFlagsMutuallyExclusive("json", "licences")
	return c
}

// What flags and arguments are completed with.
var (
	methodWords     = cli.Described(method.All(), func(m classify.Method) (string, string) { return m.Name(), method.Describe(m) })
	stageWords      = cli.Described(catalogue.Stages(), func(s catalogue.Stage) (string, string) { return s.Name, s.Description })
	presetWords     = cli.Described(method.PresetNames(), func(name string) (string, string) { return name, method.PresetAbout(name) })
	inputWords      = cli.Described(frontend.Presets, func(p frontend.Preset) (string, string) { return p.Name, p.Description })
	featureWords    = cli.Described(feature.All, func(f feature.Feature) (string, string) { return f.Name(), "" })
	stepWords       = cli.Described(feature.Steps, func(s feature.Step) (string, string) { return s.Name(), "" })
	projectionWords = cli.Described(projection.All, func(p projection.Projection) (string, string) { return p.Name(), "" })
)

// completeData completes the first argument, a data set: a folder or a file.
var completeData = cli.First(cli.Files("mat", "npz", "csv", "tsv", "txt"), cobra.NoFileCompletions)

// completeModel completes the first argument, a model.
var completeModel = cli.First(cli.Files("nrdl"), cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault))

// methodOf is the method that --method of c names, or else the one for grey values;
// nil for an unknown one.
func methodOf(c *cobra.Command) classify.Method {
	name, _ := c.Flags().GetString("method") // registered together with --set
	if m, err := method.Named(cmp.Or(name, defaultMethod(frontend.Pipeline{}).Name())); err == nil {
		return m
	}
	return nil
}

// completeParams completes NAME= of --set for the method that --method names.
func completeParams(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	m := methodOf(c)
	if m == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	params := cli.Described(method.Params(m), func(p method.Param) (string, string) { return p.Path + "=", p.Help })
	return params, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
