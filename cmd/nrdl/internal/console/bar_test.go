package console

import (
	"bufio"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"nrdl.example/nrdl/classify"
)

// piped returns a Console whose log goes to a pipe, and the end to read it from.
func piped(t *testing.T, width int) (*Console, *bufio.Reader) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	c := New(w, w)
	c.width, c.silence = func() int { return width }, time.Millisecond
	return c, bufio.NewReader(r)
}

// soFar is how a line of progress ends, on a machine of any speed.
var soFar = regexp.MustCompile(`: (.+, )?(< 1 s|\d+ (s|min)) so far\n$`)

// undrawn keeps a Console from drawing by itself: a test tells it when.
func undrawn(c *Console) { c.stop = make(chan struct{}) }

// Where there is no terminal, or one of unknown size, a line tells now and then what is
// being done, also where no step is done.
func TestLinesWithoutTerminal(t *testing.T) {
	c, story := piped(t, 0)
	_, watched := c.Watch("learning")
	if line, err := story.ReadString('\n'); err != nil || !soFar.MatchString(line) || !strings.HasPrefix(line, "learning: ") {
		t.Errorf("before the first pass it tells %q, %v", line, err)
	}
	watched()
	step, clear := c.Stages("looking")
	step("reading \x1b[1m", 3, 7)
	for {
		line, err := story.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(line, "reading") {
			if !soFar.MatchString(line) || !strings.HasPrefix(line, `reading \x1b[1m: 3 of 7, `) {
				t.Errorf("it tells %q", line)
			}
			break
		}
	}
	step("reading \x1b[1m", 7, 7)
	for line := ""; !strings.HasPrefix(line, "looking: "); {
		var err error
		if line, err = story.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	clear()
	if c.bar != nil || c.stop != nil {
		t.Error("something is shown after clear")
	}
}

// A line of a moment ago is a sign of life.
func TestSilence(t *testing.T) {
	c, _ := piped(t, 0)
	undrawn(c)
	c.silence = time.Minute
	c.Tell("something")
	c.NewBar("work").Show(0.5, "")
	defer c.ClearBar()
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.lastLine
	c.drawAt(before.Add(59 * time.Second))
	if c.lastLine != before {
		t.Error("a line came before the minute was over")
	}
	c.drawAt(before.Add(61 * time.Second))
	if c.lastLine == before {
		t.Error("no line came after a minute")
	}
}

// On a terminal the bar is one line no wider than the terminal; lines of the log erase
// it and draw it again below them.
func TestBarOnTerminal(t *testing.T) {
	const wide = 60
	c, story := piped(t, wide)
	undrawn(c)
	b := c.NewBar("学习") // two columns each
	b.Show(0.5, strings.Repeat("x", 2*wide))
	c.drawAt(c.lastMove.Add(patience))
	c.Tell("line")
	b.Clear()
	c.Tell("after")
	c.Err.Close()
	all, err := io.ReadAll(story)
	if err != nil {
		t.Fatal(err)
	}
	bar := "学习 " + strings.Repeat("━", 18) + strings.Repeat("·", 18) + "  " + strings.Repeat("x", wide-1-4-1-36-2)
	gone := "\r" + strings.Repeat(" ", wide-1) + "\r"
	if want := bar + gone + "line\n" + bar + gone + "after\n"; string(all) != want {
		t.Errorf("the terminal got\n%q, not\n%q", all, want)
	}
}

// The bar of a learning has the pass and the residual, and from some passes on how long it will
// take. What ends soon has none.
func TestBarOfALearning(t *testing.T) {
	c, story := piped(t, 120)
	undrawn(c)
	watch, done := c.Watch("learning")
	begun := c.barStart
	for pass := 1; pass <= window+1; pass++ {
		watch(classify.Progress{Iter: pass, Residual: 1 / float64(pass), Limits: classify.Limits{Tol: 1e-6, Passes: 1000}})
		c.drawAt(begun.Add(patience - 1))
		if c.barLine != "" {
			t.Errorf("it is drawn too soon: %q", c.barLine)
		}
	}
	c.lastMove = begun.Add(patience) // so that it moves, however long this test took
	c.drawAt(begun.Add(patience))
	done()
	c.Err.Close()
	all, err := io.ReadAll(story)
	if err != nil || !regexp.MustCompile(`^learning ━*·+  pass 13 · residual 7\.7e-02 · .+ left\r +\r$`).Match(all) {
		t.Errorf("the terminal got %q, %v", all, err)
	}
}
