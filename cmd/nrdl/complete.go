package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/cmd/nrdl/internal/catalogue"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/frontend"
	"nrdl.example/nrdl/frontend/feature"
	"nrdl.example/nrdl/frontend/projection"
	"nrdl.example/nrdl/method"
)

// What flags and arguments are completed with.
var (
	methodWords     = cli.Described(method.All(), func(m classify.Method) (string, string) { return m.Name(), method.Describe(m) })
	stageWords      = cli.Described(catalogue.Stages(), func(s catalogue.Stage) (string, string) { return s.Name, s.Description })
	presetWords     = cli.Described(method.PresetNames(), func(name string) (string, string) { return name, method.PresetAbout(name) })
	inputWords      = cli.Described(frontend.Presets, func(p frontend.Preset) (string, string) { return p.Name, p.About })
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
