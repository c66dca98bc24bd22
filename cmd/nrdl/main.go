// Command nrdl learns to recognise people from photographs of their faces.
//
//	nrdl data synth people                    # or a folder with one folder a person
//	nrdl train people -o people.nrdl
//	nrdl identify people.nrdl photo.pgm
//
// Results go to standard output, the story of how they came about to standard
// error. It exits with 0, or 1 where it failed, or 2 where it was misused.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"nrdl/internal/blas"
	"nrdl/internal/hint"
)

// Exit statuses.
const (
	succeeded = 0
	failed    = 1
	misused   = 2
)

func main() { os.Exit(run(os.Args[1:])) }

// run executes the command line args and returns the exit status. The first
// SIGINT or SIGTERM asks the command to end, the second kills it.
func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a := newApp(os.Stdout, os.Stderr)
	context.AfterFunc(ctx, func() {
		stop()
		if time.Sleep(time.Second); a.terminal {
			a.tell("\nending after this pass; Ctrl-C again ends at once")
		}
	})

	err := blas.EnvError()
	if err != nil {
		err = misuse("%s", strings.TrimPrefix(err.Error(), "blas: "))
	} else {
		root := a.rootCmd()
		root.SetArgs(args)
		err = root.ExecuteContext(ctx)
	}
	if flushed := a.out.Flush(); err == nil {
		err = flushed
	}
	if err != nil && ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	return a.report(err)
}

// report prints err and returns the exit status that it stands for.
func (a *app) report(err error) int {
	if err == nil {
		return succeeded
	}
	if !errors.Is(err, errReported) {
		a.complain(err)
	}
	if misuse := (usageError{}); errors.As(err, &misuse) {
		return misused
	}
	return failed
}

// complain prints err and its hint.
func (a *app) complain(err error) {
	fmt.Fprintf(a.err, "nrdl: %s %v\n", a.paint(red, "error:"), err)
	if h := hint.Of(err); h != "" {
		fmt.Fprintf(a.err, "nrdl: %s %s\n", a.paint(cyan, "hint:"), h)
	}
}

// errReported is returned by a command that has printed its errors itself.
var errReported = errors.New("reported")

// A usageError is a command line that makes no sense, whatever the data.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func misuse(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }
