// Package cli makes cobra answer as the commands of this module do: a command
// line that makes no sense is refused before any work, with the name of what is
// wrong and a next step.
package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
)

// misuse is the error for a command line that makes no sense, whatever the data.
type misuse struct{ error }

func (e misuse) Unwrap() error { return e.error }

// Misuse returns an error for a wrong command line, which IsMisuse recognises; else it is fmt.Errorf.
func Misuse(format string, args ...any) error { return misuse{fmt.Errorf(format, args...)} }

// AsMisuse wraps err so that IsMisuse is true.
func AsMisuse(err error) error { return misuse{err} }

// IsMisuse reports whether err was made by Misuse or AsMisuse, or wraps such an error.
func IsMisuse(err error) bool { return errors.As(err, new(misuse)) }

// OneOf returns an error if value is none of the choices of a flag.
func OneOf(flag, value string, choices []string) error {
	if slices.Contains(choices, value) {
		return nil
	}
	return misuse{advice.Unknown("--"+flag, value, choices)}
}

// SameFile returns the first of paths that is the same file as output, or "".
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

// Interruptible returns a context that the first SIGINT or SIGTERM cancels. It calls waits if the work
// goes on for another second, and exit at a second signal; after a SIGTERM also when the work has gone
// on for as long as patience says, as what blocks a command may know no context. Stop releases the
// signals. It catches the signals even if the process was started to ignore them, as background jobs
// of scripts are.
func Interruptible(waits, exit func(), patience func() time.Duration) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		first := <-signals
		cancel()
		waiting, late := time.AfterFunc(time.Second, waits), (<-chan time.Time)(nil)
		if first == syscall.SIGTERM {
			late = time.After(patience())
		}
		select {
		case <-signals:
		case <-late:
		}
		waiting.Stop()
		exit()
	}()
	return ctx, func() { signal.Stop(signals); cancel() }
}

// CollectEarly makes the garbage collector run when the heap has grown by a quarter, unless the
// environment variable GOGC is set. Photographs are large and hold no pointers, so this
// saves memory at little cost.
func CollectEarly() {
	const percent = 25
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}
