package console

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"nrdl/classify"
	"nrdl/internal/legible"
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

// A Bar is a line on the terminal that shows how far something is; a nil one shows
// nothing.
type Bar struct {
	console *Console
	label   string
	pool    *mpb.Progress // nil until Show
	bar     *mpb.Bar
	text    atomic.Pointer[string] // what stands behind the bar
}

// scale is the length of a bar in its own units.
const scale = 10_000

// NewBar returns a bar; nil where there is no terminal.
func (c *Console) NewBar(label string) *Bar {
	if !c.Terminal {
		return nil
	}
	return &Bar{console: c, label: label}
}

// Show draws b with part, 0 … 1, of it full, in place of the bar that is shown. The
// story goes above it until Clear.
func (b *Bar) Show(part float64, text string) {
	if b == nil {
		return
	}
	b.text.Store(&text)
	if b.pool == nil {
		if shown := b.console.bar.Load(); shown != nil {
			shown.Clear()
		}
		b.pool = mpb.New(mpb.WithOutput(b.console.Err), mpb.WithWidth(36), mpb.WithRefreshRate(100*time.Millisecond))
		b.bar = b.pool.New(scale, mpb.BarStyle().Lbound("").Rbound("").Filler("━").Tip("━").Padding("·"),
			mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Name(legible.Escaped(b.label)+" ")),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return " " + *b.text.Load() })))
		b.console.bar.Store(b)
	}
	b.bar.SetCurrent(min(scale-1, int64(scale*part))) // at scale it would vanish
}

// Clear takes b away.
func (b *Bar) Clear() {
	if b == nil || b.pool == nil {
		return
	}
	b.console.bar.CompareAndSwap(b, nil)
	b.bar.Abort(true)
	b.pool.Wait()
}

// Watch returns a Watch that shows the progress of a fit on the terminal, and
// the function that takes it away; without a terminal both do nothing.
func (c *Console) Watch(label string) (w classify.Watch, done func()) {
	if !c.Terminal {
		return nil, func() {}
	}
	var f forecast
	b, start := c.NewBar(label), time.Now()
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

// Stages returns what shows how many equal steps of what are done, stage after
// stage, and the function that takes the bar away.
func (c *Console) Stages() (step func(what string, done, total int), clear func()) {
	var b *Bar
	label := ""
	return func(what string, done, total int) {
		if b == nil || what != label {
			b, label = c.NewBar(what), what
		}
		b.Show(float64(done)/float64(total), fmt.Sprintf("%d of %d", done, total))
	}, func() { b.Clear() }
}
