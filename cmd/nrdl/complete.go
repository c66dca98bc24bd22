package main

import (
	"cmp"

	"nrdl"

	"github.com/spf13/cobra"

	"nrdl/classify"
	"nrdl/frontend"
	"nrdl/frontend/feature"
	"nrdl/frontend/projection"
	"nrdl/internal/cli"
	"nrdl/method"
)

func completeMethods(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	for _, m := range method.All {
		names = append(names, cobra.CompletionWithDesc(m.Name(), method.Describe(m)))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func completePresets(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	for _, name := range method.PresetNames() {
		names = append(names, cobra.CompletionWithDesc(name, method.PresetAbout(name)))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeMethodsAndStages completes what nrdl methods describes.
func completeMethodsAndStages(c *cobra.Command, args []string, to string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names, directive := completeMethods(c, args, to)
	for _, s := range stages() {
		names = append(names, cobra.CompletionWithDesc(s.name, s.about))
	}
	return names, directive
}

// methodOf is the method that --method of c names, or else the one for grey values;
// nil for an unknown one.
func methodOf(c *cobra.Command) classify.Method {
	name, _ := c.Flags().GetString("method") // registered together with --set
	if m, err := method.Named(cmp.Or(name, nrdl.DefaultMethod(frontend.Pipeline{}).Name())); err == nil {
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
	var names []cobra.Completion
	for _, p := range method.Params(m) {
		names = append(names, cobra.CompletionWithDesc(p.Path+"=", p.Help))
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func completeInputs(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	if c.Name() == "train" || c.Name() == "evaluate" {
		names = append(names, cobra.CompletionWithDesc(auto, "chosen by folds of the training faces"))
	}
	for _, p := range frontend.Presets {
		names = append(names, cobra.CompletionWithDesc(p.Name, p.About))
	}
	for _, f := range feature.All {
		names = append(names, f.Name())
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func completeSteps(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	names := []cobra.Completion{"none"}
	for _, s := range feature.Steps {
		names = append(names, s.Name())
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func completeProjections(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	names := []cobra.Completion{"none"}
	for _, p := range projection.All {
		names = append(names, p.Name())
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeData completes the first argument, a data set: a folder or a file.
var completeData = cli.First(cli.Files("mat", "npz", "csv", "tsv", "txt"), cobra.NoFileCompletions)

// completeModel completes the first argument, a model.
var completeModel = cli.First(cli.Files("nrdl"), cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault))
