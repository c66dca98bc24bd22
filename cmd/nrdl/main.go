// Command nrdl learns to recognise people from photographs of their faces.
//
//	nrdl data synth people                    # or a folder with one folder per person
//	nrdl train people -o people.nrdl
//	nrdl identify people.nrdl photo.pgm
//
// Results go to standard output, messages to standard
// error. It exits with 0, or 1 where it failed, or 2 where it was misused; verify --exit-code
// exits with 1 for different people, and 2 where it failed.
package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/heic"
	"nrdl.example/nrdl/internal/blas"
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
	heic.Register()
	if folder, err := os.UserCacheDir(); err == nil && os.Getenv("NRDL_CACHE") != "off" {
		heic.KeepCode(filepath.Join(folder, "nrdl"))
	}
	a := newApp(os.Stdout, os.Stderr)
	ctx, stop := cli.Interruptible(func() {
		if a.Terminal {
			a.Tell("\nending after this pass; Ctrl-C again ends at once")
		}
	}, func() {
		a.ClearBar()
		a.Complain(errInterrupted)
		os.Exit(a.failure())
	})
	defer stop()
	cli.CollectEarly()

	err := blas.EnvError()
	if err != nil {
		err = cli.Misuse("%s", strings.TrimPrefix(err.Error(), "blas: "))
	} else if err = cli.CheckMemory(); err != nil {
		err = cli.AsMisuse(err) // as a wrong environment is
	} else {
		root := a.rootCmd()
		root.SetArgs(args)
		err = cli.Execute(ctx, root)
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

// report prints err and returns the exit status that it stands for.
func (a *app) report(err error) int {
	if err == nil {
		return succeeded
	}
	if errors.Is(err, errDifferent) {
		return failed
	}
	if !errors.Is(err, errReported) {
		a.Complain(err)
	}
	if cli.IsMisuse(err) {
		return misused
	}
	return a.failure()
}

// failure is the exit status for what is no misuse.
func (a *app) failure() int { return max(failed, int(a.trouble.Load())) }

// errReported is returned by a command that has printed its errors itself.
var errReported = errors.New("reported")

// errDifferent is returned by verify --exit-code for different people.
var errDifferent = errors.New("different people")
