// Package hint prints the errors of tools, with their advice.
package hint

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"nrdl.example/nrdl/advice"
)

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
