package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// progress shows how far identify is, where the story goes to a terminal and the
// results go elsewhere.
type progress struct {
	bar         *bar
	start       time.Time
	done, total int // images; total 0 where it is not known
}

// fewImages need no bar.
const fewImages = 10

// begin shows a bar for total images, 0 where that is not known; elsewhere says
// that the results do not go to standard output.
func (p *progress) begin(a *app, total int, elsewhere bool) {
	*p = progress{start: time.Now(), total: total}
	alone := elsewhere || !term.IsTerminal(int(os.Stdout.Fd()))
	if a.terminal && alone && (total == 0 || total > fewImages) {
		p.bar = a.newBar("naming")
	}
}

// step counts n images more.
func (p *progress) step(n int) {
	p.done += n
	if p.bar == nil || p.done == 0 {
		return
	}
	took := time.Since(p.start)
	text := fmt.Sprintf("%d · %.0f/s", p.done, float64(p.done)/took.Seconds())
	part := 0.0
	if p.total > 0 {
		part = float64(p.done) / float64(p.total)
		left := time.Duration(float64(took) * (1 - part) / part)
		text = fmt.Sprintf("%d of %d · %.0f/s · %s left", p.done, p.total, float64(p.done)/took.Seconds(), about(left))
	}
	p.bar.show(part, text)
}

func (p *progress) end() {
	if p.bar != nil {
		p.bar.clear()
		p.bar = nil
	}
}

// story is where lines of the story go: above the bar where there is one.
func (i *identification) story() io.Writer {
	if i.progress.bar != nil {
		return i.progress.bar.pool
	}
	return i.err
}

// warn and complain are those of app, in the story.
func (i *identification) warn(format string, args ...any) {
	_, _ = io.WriteString(i.story(), i.warning(format, args...))
}

func (i *identification) complain(err error) {
	_, _ = io.WriteString(i.story(), i.complaint(err))
}
