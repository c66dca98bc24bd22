package cli

import "github.com/spf13/cobra"

// Complete registers f as the completion of the values of a flag of c.
func Complete(c *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := c.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err) // no such flag: our bug
	}
}

// Words returns a completion that offers words, and no files.
func Words(words ...cobra.Completion) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// Files returns a completion that offers folders, and files with the extensions ext.
func Files(ext ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(ext, cobra.ShellCompDirectiveFilterFileExt)
}

// Folders is a completion that offers folders.
var Folders = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)

// First returns a completion that uses first for the first argument and rest for the others.
func First(first, rest cobra.CompletionFunc) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, to string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return first(c, args, to)
		}
		return rest(c, args[1:], to)
	}
}

// Described returns a completion for each of all: its word, with a description unless that is "".
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
