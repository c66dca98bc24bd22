// Package console writes the results of a command to standard output, and its messages
// and progress to standard error. Control characters in names of files and other foreign
// text are escaped, so that they cannot change the terminal.
package console

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/internal/legible"
)

// A Console has the two outputs of a command: results, and the log with a progress bar.
type Console struct {
	Results   *bufio.Writer      // results
	Err       *os.File           // the log, warnings and errors
	Terminal  bool               // Err is a terminal
	Verbose   bool               // Detail writes
	Wording   advice.Wording     // of what errors advise
	Otherwise func(error) string // what to do about an error without advice, "" for nothing; may be nil
	colours   bool               // Err may be coloured
	width     func() int         // columns of the terminal; 0 where there is none, or its size is not known
	silence   time.Duration

	mu       sync.Mutex    // of what is below, and of writing to Err
	lastLine time.Time     // when the last line was written
	bar      *Bar          // that is shown now; nil for none
	barStart time.Time     // when it was shown first
	lastMove time.Time     // when it was shown last
	part     float64       // how far it is
	text     string        // that stands behind it
	barLine  string        // its line on the terminal; "" if there is none
	stop     chan struct{} // ends the drawing; nil without a bar
}

// New returns the Console that writes results to stdout and the log to stderr.
func New(stdout, stderr *os.File) *Console {
	terminal := term.IsTerminal(int(stderr.Fd()))
	width := func() int {
		if !terminal {
			return 0
		}
		columns, _, err := term.GetSize(int(stderr.Fd()))
		if err != nil {
			return 0
		}
		return columns
	}
	return &Console{
		Results:  bufio.NewWriter(stdout),
		Err:      stderr,
		Wording:  advice.Go,
		Terminal: terminal,
		colours:  terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb",
		width:    width,
		silence:  silence,
		lastLine: time.Now(),
	}
}

// A logWriter writes lines of the log, above the bar.
type logWriter struct{ *Console }

// A colour is an ANSI escape sequence.
type colour string

const (
	red    colour = "\x1b[1;31m"
	yellow colour = "\x1b[1;33m"
	cyan   colour = "\x1b[1;36m"
)

// Raw is trusted text, which may have colours: it is printed without escaping.
type Raw string

func (c *Console) paint(with colour, text string) Raw {
	if !c.colours {
		return Raw(text)
	}
	return Raw(string(with) + text + "\x1b[0m")
}

// Tell writes a line to the log.
func (c *Console) Tell(format string, args ...any) {
	fmt.Fprintf(logWriter{c}, format+"\n", legibly(args)...)
}

// Detail is Tell of what only some readers want, if c is verbose.
func (c *Console) Detail(format string, args ...any) {
	if c.Verbose {
		c.Tell(format, args...)
	}
}

// Next writes a line to the log that has the command to go on with.
func (c *Console) Next(format string, args ...any) {
	_ = c.Results.Flush() // results stand before it; Out keeps the error
	c.Tell("next: "+format, args...)
}

// Hint writes a line to the log that says what to do next.
func (c *Console) Hint(format string, args ...any) {
	c.Tell("nrdl: %s %s", c.paint(cyan, "hint:"), fmt.Sprintf(format, args...))
}

// Warn writes a warning to the log.
func (c *Console) Warn(format string, args ...any) {
	fmt.Fprintf(logWriter{c}, "nrdl: %s %s\n", c.paint(yellow, "warning:"), fmt.Sprintf(format, legibly(args)...))
}

// WarnOf is Warn of err, and its hint.
func (c *Console) WarnOf(err error) {
	c.Warn("%v", err)
	if next := advice.Of(err); next != nil {
		c.Hint("%s", next.Word(c.Wording))
	}
}

// Complain prints err, or each of the errors that it joins, and its hint.
func (c *Console) Complain(err error) { _, _ = io.WriteString(logWriter{c}, c.Complaint(err)) }

// Complaint returns the lines that Complain prints.
func (c *Console) Complaint(err error) string {
	var lines strings.Builder
	for _, one := range dataset.Joined(err) {
		fmt.Fprintf(&lines, "nrdl: %s %s\n", c.paint(red, "error:"), legible.Escaped(one.Error()))
	}
	hint := ""
	if next := advice.Of(err); next != nil {
		hint = next.Word(c.Wording)
	} else if c.Otherwise != nil {
		hint = c.Otherwise(err)
	}
	if hint != "" {
		fmt.Fprintf(&lines, "nrdl: %s %s\n", c.paint(cyan, "hint:"), legible.Escaped(hint))
	}
	return lines.String()
}

// Print writes to the results. Errors are returned when Out is flushed.
func (c *Console) Print(format string, args ...any) { fmt.Fprintf(c.Results, format, legibly(args)...) }

// legibly returns args with the hidden characters in texts escaped: the names of
// files, and errors that tell them, must not steer the terminal.
func legibly(args []any) []any {
	safe := make([]any, len(args))
	for i, arg := range args {
		switch v := arg.(type) {
		case Raw:
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
