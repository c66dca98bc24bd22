package main

import (
	"bufio"
	"fmt"
	"os"

	"golang.org/x/term"
)

// An app is what the commands share: where results and the story go.
type app struct {
	out      *bufio.Writer // results; flushed by run, and after every batch
	err      *os.File      // the story, warnings and errors
	terminal bool          // err is a terminal
	colours  bool          // err may be coloured
	endless  bool          // interrupting is how the command ends
}

func newApp(stdout, stderr *os.File) *app {
	terminal := term.IsTerminal(int(stderr.Fd()))
	return &app{
		out:      bufio.NewWriter(stdout),
		err:      stderr,
		terminal: terminal,
		colours:  terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb",
	}
}

// A colour is an ANSI escape sequence.
type colour string

const (
	red    colour = "\x1b[1;31m"
	yellow colour = "\x1b[1;33m"
	cyan   colour = "\x1b[1;36m"
)

func (a *app) paint(c colour, text string) string {
	if !a.colours {
		return text
	}
	return string(c) + text + "\x1b[0m"
}

// tell adds a line to the story.
func (a *app) tell(format string, args ...any) { fmt.Fprintf(a.err, format+"\n", args...) }

// warn tells of something that is probably not what the user wants.
func (a *app) warn(format string, args ...any) {
	fmt.Fprintf(a.err, "nrdl: %s %s\n", a.paint(yellow, "warning:"), fmt.Sprintf(format, args...))
}

// print adds to the results. Its errors surface when out is flushed.
func (a *app) print(format string, args ...any) { fmt.Fprintf(a.out, format, args...) }
