package main

import (
	"strings"

	"nrdl"

	"github.com/spf13/cobra"

	"nrdl/dataset"
	"nrdl/frontend"
	"nrdl/frontend/feature"
	"nrdl/frontend/projection"
	"nrdl/method"
)

// complete makes f complete the values of a flag of c.
func complete(c *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := c.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err) // no such flag: our bug
	}
}

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

// completeParams completes NAME= of --set for the method that --method names.
func completeParams(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	name, _ := c.Flags().GetString("method") // both flags are registered together
	if name == "" {
		name = nrdl.DefaultMethod(frontend.Pipeline{}).Name()
	}
	m, err := method.Named(name)
	if err != nil {
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

// splitCompletions are the splits with a number in place of K.
func splitCompletions() []string {
	var forms []string
	for _, f := range dataset.SplitForms {
		forms = append(forms, strings.TrimSuffix(f, "K"))
	}
	return forms
}

// completeFiles completes files with the extension ext, and folders.
func completeFiles(ext ...string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return ext, cobra.ShellCompDirectiveFilterFileExt
	}
}

// completeData completes the first argument, a data set: a folder or a file.
func completeData(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []cobra.Completion{"mat", "npz", "csv", "tsv", "txt"}, cobra.ShellCompDirectiveFilterFileExt
}

func completeFolders(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}
