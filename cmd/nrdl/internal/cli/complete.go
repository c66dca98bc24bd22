package cli

import "github.com/spf13/cobra"

// Complete makes f complete the values of a flag of c.
func Complete(c *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := c.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err) // no such flag: our bug
	}
}

// Words completes one of words.
func Words(words ...cobra.Completion) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// Files completes files with the extensions ext, and folders.
func Files(ext ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(ext, cobra.ShellCompDirectiveFilterFileExt)
}

// Folders completes folders.
var Folders = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)

// First completes the first argument by first, and the others by rest.
func First(first, rest cobra.CompletionFunc) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, to string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return first(c, args, to)
		}
		return rest(c, args[1:], to)
	}
}

// Described are completions with what describe says of them, "" for nothing.
func Described[T any](all []T, describe func(T) (word, about string)) (words []cobra.Completion) {
	for _, one := range all {
		word, about := describe(one)
		if about != "" {
			word = cobra.CompletionWithDesc(word, about)
		}
		words = append(words, word)
	}
	return words
}
