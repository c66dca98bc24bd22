// Package hint prints the errors of tools, with their advice.
package hint

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"unicode"

	"nrdl.example/nrdl/advice"
)

// Quoted makes path a word of a shell, for a command in a hint.
func Quoted(path string) string {
	special := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("+,-./:=_@", r)
	}
	if strings.ContainsFunc(path, special) {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}

// Exit ends a command that failed, with err and its hint on standard error. It
// returns if err is nil, or says that help was asked for.
func Exit(command string, err error) {
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return
	}
	fmt.Fprintf(os.Stderr, "%s: error: %v\n", command, err)
	if h := advice.Text(err); h != "" {
		fmt.Fprintf(os.Stderr, "%s: hint: %s\n", command, h)
	}
	os.Exit(1)
}
