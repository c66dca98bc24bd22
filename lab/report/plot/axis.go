package plot

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

const (
	largest   = 1e12   // magnitude that is drawn
	smallest  = 1e-100 // magnitude that is not zero
	narrowest = 1e-9   // range, as a share of the largest magnitude, that is drawn as such
	someTicks = 5      // wanted; there may be some more or fewer
	maxExact  = 10     // distinct values that all may have a tick
	tickMark  = 3      // length of its line
	top       = 9      // above the vertical axis
)

// A tick is a value that is written at an axis.
type tick struct {
	value float64
	label string
}

// An axis maps the values from lo to hi to places from … to.
type axis struct {
	name         string
	log          bool
	lo, hi       float64
	start, end   float64
	ticks        []tick
	turnedLabels bool
}

func newAxis(name string, log bool) axis {
	return axis{name: shorten(name, nameSize, axisRoom), log: log, lo: math.Inf(1), hi: math.Inf(-1)}
}

// shows reports whether v has a place on an axis; NaN has none.
func shows(v float64, log bool) bool { return math.Abs(v) <= largest && (!log || v >= smallest) }

// include widens the range of a to v.
func (a *axis) include(v float64) { a.lo, a.hi = min(a.lo, v), max(a.hi, v) }

// at is the place of v.
func (a *axis) at(v float64) float64 {
	share := (v - a.lo) / (a.hi - a.lo)
	if a.log {
		share = math.Log(v/a.lo) / math.Log(a.hi/a.lo)
	}
	return a.start + share*(a.end-a.start)
}

// settle widens the range of a where its values are equal but for rounding.
func (a *axis) settle() {
	size := max(math.Abs(a.lo), math.Abs(a.hi))
	if a.hi-a.lo > max(narrowest*size, smallest) {
		return
	}
	half := 0.5
	if size > smallest || a.log {
		half = max(min(half, size/2), 10*narrowest*size)
	}
	a.lo, a.hi = a.lo-half, a.hi+half
}

// marked gives a round ticks.
func (a *axis) marked() []tick {
	if a.log {
		return logTicks(a.lo, a.hi)
	}
	return linearTicks(a.lo, a.hi)
}

// linearTicks are at multiples of 1, 2 or 5 times a power of ten.
func linearTicks(lo, hi float64) []tick {
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/someTicks)))
	for _, f := range []float64{2, 2.5, 2} {
		if (hi-lo)/step > someTicks+1 {
			step *= f
		}
	}
	var at []float64
	for k := math.Ceil(lo/step - narrowest); k*step <= hi+narrowest*step; k++ {
		at = append(at, k*step)
	}
	if size := max(hi, -lo); size < 1e-4 || size >= 1e6 {
		return labelled(at, true, -1)
	}
	return labelled(at, false, max(0, -int(math.Floor(math.Log10(step)+narrowest))))
}

// logTicks are at powers of ten, of many not at each; where there are less than
// two, they are those of a linear axis.
func logTicks(lo, hi float64) []tick {
	first, last := math.Ceil(math.Log10(lo)-narrowest), math.Floor(math.Log10(hi)+narrowest)
	if last <= first {
		return linearTicks(lo, hi)
	}
	every := math.Ceil((last - first + 1) / (someTicks + 2))
	var at []float64
	for e := first; e <= last; e++ {
		if math.Mod(e, every) == 0 {
			at = append(at, math.Pow10(int(e)))
		}
	}
	return labelled(at, slices.ContainsFunc(at, needsPower), -1)
}

// needsPower reports whether v ≠ 0 is written with a power of ten.
func needsPower(v float64) bool { return v != 0 && (math.Abs(v) >= 1e5 || math.Abs(v) < 1e-3) }

var superscripts = strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴",
	"5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

// labelled are ticks at values, written as 2·10⁻⁴ or with so many decimals, −1
// for as many as they have.
func labelled(values []float64, powers bool, decimals int) (ticks []tick) {
	for _, v := range values {
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64) // what is more is rounding
		label := strconv.FormatFloat(v+0, 'f', decimals, 64)
		digits, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "e")
		if e, _ := strconv.Atoi(exponent); powers && e != 0 {
			if digits += "·"; strings.TrimPrefix(digits, "-") == "1·" {
				digits = strings.TrimSuffix(digits, "1·")
			}
			label = digits + "10" + superscripts.Replace(strconv.Itoa(e))
		}
		ticks = append(ticks, tick{v, strings.Replace(label, "-", "−", 1)})
	}
	return ticks
}

// half is half of the room of a label along a horizontal axis.
func (a *axis) half(t tick) float64 {
	if a.turnedLabels {
		return tickSize / 2
	}
	return textWidth(t.label, tickSize) / 2
}

// roomy are the ticks of a horizontal axis whose labels touch neither the one
// before nor what is at the right of the axis.
func (a *axis) roomy(ticks []tick) (out []tick) {
	end := math.Inf(-1)
	for _, t := range ticks {
		if at, half := a.at(t.value), a.half(t); at-half >= end+gap && at+half <= a.end+margin {
			out, end = append(out, t), at+half
		}
	}
	return out
}

// A frame is a pair of axes on a figure of that height. The vertical axis has a
// line across the figure at each tick, unless its ticks were given.
type frame struct {
	x, y   axis
	height float64
	base   float64 // place of the line of the horizontal axis
	grid   bool
}

// place lays out f; the horizontal axis ends at right. If xs has few distinct
// values, and their labels have room, each has a tick.
func (f *frame) place(right float64, xs []float64) {
	f.x.settle()
	f.y.settle()
	if f.y.ticks == nil {
		f.grid, f.y.ticks = true, f.y.marked()
	}
	wide, foot := 0.0, float64(row)
	for _, t := range f.y.ticks {
		wide = max(wide, textWidth(t.label, tickSize))
	}
	if f.y.name != "" {
		wide += row + gap
	}
	if f.x.turnedLabels {
		for _, t := range f.x.ticks {
			foot = max(foot, textWidth(t.label, tickSize)+tickMark+gap)
		}
	}
	if f.x.name != "" {
		foot += row
	}
	f.base = f.height - foot
	f.y.start, f.y.end = f.base-gap, top
	f.x.start, f.x.end = wide+radius+gap, right
	f.x.ticks = f.horizontal(xs)
	if len(f.x.ticks) > 0 { // half of the first label may be wider than what is at the left of the axis
		first := f.x.ticks[0]
		at := f.x.at(first.value)
		f.x.start += max(0, f.x.half(first)-at) * (f.x.end - f.x.start) / (f.x.end - at)
	}
	f.x.ticks = f.x.roomy(f.x.ticks)
}

// horizontal are the ticks of the horizontal axis.
func (f *frame) horizontal(xs []float64) []tick {
	if f.x.ticks != nil {
		return f.x.roomy(f.x.ticks)
	}
	xs = slices.Compact(slices.Sorted(slices.Values(xs)))
	ticks := f.x.roomy(labelled(xs, slices.ContainsFunc(xs, needsPower), -1))
	if len(ticks) < len(xs) || len(xs) > maxExact || len(xs) == 0 {
		ticks = f.x.roomy(f.x.marked())
	}
	return ticks
}

// draw draws the axes.
func (f *frame) draw(s *sheet) {
	var grid, marks path
	marks.line(f.x.start, f.base, f.x.end, f.base)
	for _, t := range f.y.ticks {
		y := f.y.at(t.value)
		grid.line(f.x.start, y, f.x.end, y)
		s.text(f.x.start-radius-gap, y+middle*tickSize, tickSize, 1, t.label)
	}
	for _, t := range f.x.ticks {
		x := f.x.at(t.value)
		marks.line(x, f.base, x, f.base+tickMark)
		if f.x.turnedLabels {
			s.upward(x+middle*tickSize, f.base+2*tickMark, tickSize, 1, t.label)
		} else {
			s.text(x, f.base+row-4, tickSize, 0.5, t.label)
		}
	}
	if f.grid {
		s.draw(faint, &grid)
	}
	s.draw(soft, &marks)
	s.text((f.x.start+f.x.end)/2, f.height-4, nameSize, 0.5, f.x.name)
	s.upward(nameSize-2, (f.y.start+f.y.end)/2, nameSize, 0.5, f.y.name)
}
