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
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"nrdl/internal/blas"
	"nrdl/internal/cli"
)

// Exit statuses.
const (
	succeeded = 0
	failed    = 1
	misused   = 2
)

func main() { os.Exit(run(os.Args[1:])) }

// run executes the command line args and returns the exit status.
func run(args []string) int {
	a := newApp(os.Stdout, os.Stderr)
	ctx, stop := a.interruptible()
	defer stop()

	err := blas.EnvError()
	if err != nil {
		err = cli.Misuse("%s", strings.TrimPrefix(err.Error(), "blas: "))
	} else {
		root := a.rootCmd()
		root.SetArgs(args)
		err = root.ExecuteContext(ctx)
	}
	if ctx.Err() != nil && !(a.endless && errors.Is(err, context.Canceled)) {
		return a.report(errInterrupted) // without results that may be only a part
	}
	if flushed := a.Out.Flush(); err == nil || a.endless && errors.Is(err, context.Canceled) {
		err = flushed
	}
	return a.report(err)
}

var errInterrupted = errors.New("interrupted")

// interruptible returns a context that the first SIGINT or SIGTERM ends; the
// second ends the process. It does so itself: the default would be to ignore
// them where the process was started so, as scripts start jobs in the
// background.
func (a *app) interruptible() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		patience := time.AfterFunc(time.Second, func() {
			if a.Terminal {
				a.Tell("\nending after this pass; Ctrl-C again ends at once")
			}
		})
		<-signals
		patience.Stop()
		a.Complain(errInterrupted)
		os.Exit(failed)
	}()
	return ctx, func() { signal.Stop(signals); cancel() }
}

// report prints err and returns the exit status that it stands for.
func (a *app) report(err error) int {
	if err == nil {
		return succeeded
	}
	if !errors.Is(err, errReported) {
		a.Complain(err)
	}
	if cli.IsMisuse(err) {
		return misused
	}
	return failed
}

// errReported is returned by a command that has printed its errors itself.
var errReported = errors.New("reported")
