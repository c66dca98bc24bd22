package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"golang.org/x/term"

	"nrdl/internal/hint"
	"nrdl/internal/legible"
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

// ownText is text of the program itself, perhaps coloured: it is printed as it is.
type ownText string

func (a *app) paint(c colour, text string) ownText {
	if !a.colours {
		return ownText(text)
	}
	return ownText(string(c) + text + "\x1b[0m")
}

// tell adds a line to the story.
func (a *app) tell(format string, args ...any) { fmt.Fprintf(a.err, format+"\n", legibly(args)...) }

// warn tells of something that is probably not what the user wants.
func (a *app) warn(format string, args ...any) {
	_, _ = io.WriteString(a.err, a.warning(format, args...))
}

// warning is the line of warn.
func (a *app) warning(format string, args ...any) string {
	return fmt.Sprintf("nrdl: %s %s\n", a.paint(yellow, "warning:"), fmt.Sprintf(format, legibly(args)...))
}

// complain prints err, or each of the errors that it joins, and its hint.
func (a *app) complain(err error) { _, _ = io.WriteString(a.err, a.complaint(err)) }

// complaint is the lines of complain.
func (a *app) complaint(err error) string {
	var lines strings.Builder
	for _, one := range parts(err) {
		fmt.Fprintf(&lines, "nrdl: %s %s\n", a.paint(red, "error:"), legible.Escaped(one.Error()))
	}
	if h := hint.Of(err); h != "" {
		fmt.Fprintf(&lines, "nrdl: %s %s\n", a.paint(cyan, "hint:"), legible.Escaped(h))
	}
	return lines.String()
}

// print adds to the results. Its errors surface when out is flushed.
func (a *app) print(format string, args ...any) { fmt.Fprintf(a.out, format, legibly(args)...) }

// legibly returns args with the hidden characters in texts escaped: the names of
// files, and errors that tell them, must not steer the terminal.
func legibly(args []any) []any {
	safe := make([]any, len(args))
	for i, arg := range args {
		switch v := arg.(type) {
		case ownText:
			safe[i] = v
		case error:
			safe[i] = legible.Escaped(v.Error())
		default:
			if safe[i] = arg; reflect.ValueOf(arg).Kind() == reflect.String {
				safe[i] = legible.Escaped(fmt.Sprint(arg))
			}
		}
	}
	return safe
}
