// Package cli makes cobra answer as the commands of this module do: a command
// line that makes no sense is refused before any work, with the name of what is
// wrong and a next step.
package cli

import (
	"errors"
	"fmt"
	"os"

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
	for _, c := range choices {
		if c == value {
			return nil
		}
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
