// Package cli makes cobra answer as the commands of this module do: a command
// line that makes no sense is refused before any work, with the name of what is
// wrong and a next step.
package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
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
	return misuse{advice.Unknown("--"+flag, value, choices)}
}

// Either makes c refuse two names of one flag together.
func Either(c *cobra.Command, name, other string) {
	check := c.PreRunE
	c.PreRunE = func(c *cobra.Command, args []string) error {
		if c.Flags().Changed(name) && c.Flags().Changed(other) {
			return advice.Add(Misuse("--%s and --%s are two names of one flag", name, other), "leave out --%s", other)
		}
		if check != nil {
			return check(c, args)
		}
		return nil
	}
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
