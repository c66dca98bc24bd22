// Package cli makes cobra answer as the commands of this module do: a command
// line that makes no sense is refused before any work, with the name of what is
// wrong and a next step.
package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"nrdl/internal/hint"
)

// misuse is the error for a command line that makes no sense, whatever the data.
type misuse struct{ error }

func (e misuse) Unwrap() error { return e.error }

// Misuse is fmt.Errorf for a command line that makes no sense.
func Misuse(format string, args ...any) error { return misuse{fmt.Errorf(format, args...)} }

// AsMisuse marks err as misuse.
func AsMisuse(err error) error { return misuse{err} }

// IsMisuse reports whether err is, or wraps, misuse.
func IsMisuse(err error) bool { return errors.As(err, new(misuse)) }

// OneOf refuses a value of a flag that is none of its choices.
func OneOf(flag, value string, choices []string) error {
	for _, c := range choices {
		if c == value {
			return nil
		}
	}
	return misuse{hint.Unknown("--"+flag, value, choices)}
}

// SameFile returns the one of paths that is the file at output, or "".
func SameFile(output string, paths ...string) string {
	out, err := os.Stat(output)
	if err != nil {
		return ""
	}
	for _, path := range paths {
		if in, err := os.Stat(path); err == nil && os.SameFile(in, out) {
			return path
		}
	}
	return ""
}

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
