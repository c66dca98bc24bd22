package main

import (
	"strings"

	"github.com/spf13/cobra"

	"nrdl/dataset"
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

// completeParams completes NAME= of --set for the method that --method names.
func completeParams(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	name, _ := c.Flags().GetString("method") // both flags are registered together
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
