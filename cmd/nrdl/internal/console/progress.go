package console

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"golang.org/x/text/width"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/legible"
)

// A forecast says when an iteration will end, from its residuals.
//
// With ℓ = −log residual, an iteration that converges linearly adds the same
// to ℓ in every pass. One whose penalty grows, as NRDL's, adds geometrically
// more, then stalls while its multipliers catch up, then goes on. So the
// forecast is the geometric one, lengthened for the stall, while ℓ
// accelerates, and otherwise the mean speed of the last half of the passes.
// The forecast end is smoothed over passes: it should not jump.
type forecast struct {
	ell []float64 // ℓ after each pass
	end float64   // the pass at which it will end
}

// window is how many passes tell whether ℓ accelerates.
const window = 12

// stall is how much longer than the geometric forecast fits take. It was
// measured: on ORL and Extended Yale B they end after 112 and 117 passes where
// the geometric forecast of the first 60 passes is 80 and 93.
const stall = 1.6

// add takes in the progress after a pass and returns how many more are
// expected, at most those that the limit leaves.
func (f *forecast) add(p classify.Progress) float64 {
	f.ell = append(f.ell, -math.Log(p.Residual))
	left := f.passes(-math.Log(p.Limits.Tol))
	limit := float64(p.Limits.Passes)
	end := min(float64(len(f.ell))+left, limit)
	if f.end == 0 || len(f.ell) <= window {
		f.end = end
	} else {
		f.end += 0.15 * (end - f.end)
	}
	return max(0, f.end-float64(len(f.ell)))
}

// passes returns how many passes more bring ℓ to goal, perhaps +Inf.
func (f *forecast) passes(goal float64) float64 {
	t := len(f.ell) - 1
	rest := goal - f.ell[t]
	if t < 2 || math.IsInf(rest, 0) || math.IsNaN(rest) {
		return math.Inf(1)
	}
	linear := math.Inf(1)
	if speed := (f.ell[t] - f.ell[t/2]) / float64(t-t/2); speed > 0 {
		linear = rest / speed
	}
	h := min(window, t) / 2
	earlier, later := f.ell[t-h]-f.ell[t-2*h], f.ell[t]-f.ell[t-h]
	if !(earlier > 0 && later > 1.02*earlier) {
		return linear
	}
	ratio := later / earlier // of the gains of h passes
	steps := math.Log(1+rest/later*(ratio-1)/ratio) / math.Log(ratio)
	return min(linear, stall*steps*float64(h))
}

// A Bar shows progress; it replaces the bar that was shown before. On a terminal it is one
// line that is drawn again and again; elsewhere a line of text is written from time to time.
// A goroutine draws the latest state, so Show is cheap and the elapsed time keeps running.
type Bar struct {
	console *Console
	label   string
}

// silence is how long no line is written where there is no bar to look at.
const silence = 10 * time.Second

const (
	redraw   = 100 * time.Millisecond
	patience = 300 * time.Millisecond // what ends sooner has no bar
	still    = 2 * time.Second        // after which a bar that does not move tells the time
	barWidth = 36
)

// NewBar returns a bar with this label. It is shown by Show.
func (c *Console) NewBar(label string) *Bar { return &Bar{c, legible.Escaped(label)} }

// Show shows b, filled to part, from 0 to 1, or 0 if that is not known, with text after it.
// Lines of the log go above it until Clear.
func (b *Bar) Show(part float64, text string) {
	c := b.console
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar != b {
		c.bar, c.barStart = b, time.Now()
	}
	c.part, c.text, c.lastMove = part, text, time.Now()
	if c.stop == nil {
		c.stop = make(chan struct{})
		go c.draw(c.stop)
	}
}

// Clear removes b if it is the bar that is shown. A nil b is allowed.
func (b *Bar) Clear() {
	if b == nil {
		return
	}
	c := b.console
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar == b {
		c.clear()
	}
}

// ClearBar removes the bar that is shown, if any.
func (c *Console) ClearBar() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clear()
}

func (c *Console) clear() {
	c.erase()
	if c.bar = nil; c.stop != nil {
		close(c.stop)
		c.stop = nil
	}
}

// draw draws the bar that is shown until stop is closed.
func (c *Console) draw(stop chan struct{}) {
	tick := time.NewTicker(redraw)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case now := <-tick.C:
			c.mu.Lock()
			if c.stop == stop {
				c.drawAt(now)
			}
			c.mu.Unlock()
		}
	}
}

// drawAt draws the bar, or writes a line if the log had none for long.
func (c *Console) drawAt(now time.Time) {
	took := now.Sub(c.barStart)
	if width := c.width(); width > 0 {
		if line := c.line(now, width-1); line != c.barLine && took >= patience {
			c.erase()
			c.barLine = line
			_, _ = io.WriteString(c.Err, line)
		}
		return
	}
	if now.Sub(c.lastLine) < c.silence {
		return
	}
	c.lastLine = now
	text := c.text
	if text != "" {
		text += ", "
	}
	fmt.Fprintf(c.Err, "%s: %s%s so far\n", c.bar.label, text, About(took))
}

// line is the bar as a line of at most width columns.
func (c *Console) line(now time.Time, width int) string {
	text := c.text
	if now.Sub(c.lastMove) >= still || text == "" {
		text = strings.TrimPrefix(text+" · "+About(now.Sub(c.barStart))+" so far", " · ")
	}
	full := min(barWidth, int(barWidth*c.part))
	line := c.bar.label + " " + strings.Repeat("━", full) + strings.Repeat("·", barWidth-full) + "  " + text
	columns := 0
	for i, r := range line {
		if columns += columnsOf(r); columns > width {
			return line[:i]
		}
	}
	return line
}

// columnsOf is how many columns of a terminal r takes.
func columnsOf(r rune) int {
	if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
		return 2
	}
	return 1
}

// erase takes the line of the bar away.
func (c *Console) erase() {
	if c.barLine == "" {
		return
	}
	columns := 0
	for _, r := range c.barLine {
		columns += columnsOf(r)
	}
	fmt.Fprintf(c.Err, "\r%*s\r", columns, "")
	c.barLine = ""
}

// Write writes lines of the log, above the bar where there is one.
func (s logWriter) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	line := s.barLine
	s.erase()
	n, err := s.Err.Write(text)
	s.lastLine = time.Now()
	if line != "" && err == nil {
		s.barLine = line
		_, err = io.WriteString(s.Err, line)
	}
	return n, err
}

// Watch shows a bar for the training of a method. W updates it after each pass, and done
// removes it.
func (c *Console) Watch(label string) (w classify.Watch, done func()) {
	var f forecast
	b, start := c.NewBar(label), time.Now()
	b.Show(0, "")
	return func(p classify.Progress) {
		left := f.add(p)
		took := time.Since(start) / time.Duration(p.Iter)
		text := fmt.Sprintf("pass %d · residual %.1e", p.Iter, p.Residual)
		if p.Iter > window {
			text += " · " + About(time.Duration(left*float64(took))) + " left"
		}
		b.Show(float64(p.Iter)/(float64(p.Iter)+left), text)
	}, b.Clear
}

// Stages shows a bar for work of several stages. Step reports that done of total equal
// steps of the stage what are finished; clear removes the bar.
func (c *Console) Stages(work string) (step func(what string, done, total int), clear func()) {
	var b *Bar
	var start time.Time
	label, first := "", 0 // steps that were done at the start
	return func(what string, done, total int) {
		if b == nil || what != label {
			b, label, start, first = c.NewBar(what), what, time.Now(), done
		}
		text := fmt.Sprintf("%d of %d", done, total)
		if took := time.Since(start); took >= still && done > first && done < total {
			text += " · " + About(took/time.Duration(done-first)*time.Duration(total-done)) + " left"
		}
		if b.Show(float64(done)/float64(total), text); done == total {
			b, label = c.NewBar(work), ""
			b.Show(0, "")
		}
	}, func() { b.Clear() }
}
