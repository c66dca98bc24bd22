package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
)

// What an axis is made of; lengths in the units of the view box.
const (
	yTickCount   = 5      // wanted; there may be some more or fewer
	xTickRoom    = 60     // width for a tick
	tickGap      = 6      // between axis and text
	tickMark     = 3      // length of a tick
	yMargin      = 0.06   // of the range, left free above and below
	maxExact     = 10     // distinct values that all may have a tick
	largestDrawn = 1e12   // magnitude that is drawn; linear ticks beyond have no use
	leastDrawn   = 1e-100 // magnitude that is not zero
)

// An axis maps values to places on a figure.
type axis struct {
	log      bool
	any      bool
	lo, hi   float64 // in the units of scale: logarithms on a logarithmic axis
	from, to vg.Length
}

type tick struct {
	value float64
	text  string
}

func drawable(v float64) bool { return math.Abs(v) <= largestDrawn } // NaN is not

// shows reports whether v has a place on the axis.
func (a *axis) shows(v float64) bool { return drawable(v) && (!a.log || v >= leastDrawn) }

func (a *axis) scale(v float64) float64 {
	if a.log {
		return math.Log10(v)
	}
	if math.Abs(v) < leastDrawn {
		return 0
	}
	return v
}

// include widens the range to v, if the axis shows it.
func (a *axis) include(v float64) {
	if !a.shows(v) {
		return
	}
	u := a.scale(v)
	if !a.any {
		a.any, a.lo, a.hi = true, u, u
	}
	a.lo, a.hi = min(a.lo, u), max(a.hi, u)
}

// narrowest is the least range, as a share of the largest magnitude: what is
// narrower is drawn as equal.
const narrowest = 1e-9

// settle ends the search for the range and adds margin, a share of it, at both
// ends, but not below zero if there is no value below.
func (a *axis) settle(margin float64) {
	if size := max(math.Abs(a.lo), math.Abs(a.hi)); a.hi-a.lo <= narrowest*size || a.hi == a.lo {
		half := 0.5
		if !a.log && size > 0 {
			half = min(half, size/2)
			half = max(half, narrowest*size*10)
		}
		a.lo, a.hi = a.lo-half, a.hi+half
		return
	}
	floor := math.Inf(-1)
	if !a.log && a.lo >= 0 {
		floor = 0
	}
	m := margin * (a.hi - a.lo)
	a.lo, a.hi = max(floor, a.lo-m), a.hi+m
}

// place lays the axis from one place of the figure to another.
func (a *axis) place(from, to vg.Length) { a.from, a.to = from, to }

// at is the place of v, which the axis shows.
func (a *axis) at(v float64) vg.Length {
	return a.from + vg.Length((a.scale(v)-a.lo)/(a.hi-a.lo))*(a.to-a.from)
}

// clamp is the place of v, or the nearest end of the axis.
func (a *axis) clamp(v float64) vg.Length {
	if !a.shows(v) {
		return a.from
	}
	return min(a.to, max(a.from, a.at(v)))
}

// ticks returns about n ticks at round values.
func (a *axis) ticks(n int) []tick {
	if a.log {
		if t := a.logTicks(max(n, 2)); len(t) > 1 {
			return t
		}
		return linearTicks(math.Pow(10, a.lo), math.Pow(10, a.hi), max(n, 2))
	}
	return linearTicks(a.lo, a.hi, max(n, 2))
}

// linearTicks are at multiples of 1, 2 or 5 times a power of ten.
func linearTicks(lo, hi float64, n int) []tick {
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/float64(n))))
	for _, f := range []float64{1, 2, 5, 10} {
		if (hi-lo)/(step*f) <= float64(n)+1 {
			step *= f
			break
		}
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+narrowest)))
	var out []tick
	for k := math.Ceil(lo/step - narrowest); k*step <= hi+narrowest*step; k++ {
		v := k * step
		text := strings.Replace(strconv.FormatFloat(v+0, 'f', decimals, 64), "-", "−", 1)
		if decimals > 5 || math.Abs(hi) >= 1e6 || math.Abs(lo) >= 1e6 {
			text = scientific(v)
		}
		out = append(out, tick{v, text})
	}
	return out
}

// logTicks are at powers of ten, every second or third of them where there are
// many, and at 2 and 5 times them where there are few.
func (a *axis) logTicks(n int) []tick {
	first, last := int(math.Ceil(a.lo-narrowest)), int(math.Floor(a.hi+narrowest))
	every := max(1, (last-first+n)/n)
	var out []tick
	for e := first - 1; e <= last; e++ {
		for _, m := range []float64{1, 2, 5} {
			u := float64(e) + math.Log10(m)
			if u < a.lo-narrowest || u > a.hi+narrowest || m > 1 && a.hi-a.lo > 1.8 || m == 1 && e%every != 0 {
				continue
			}
			v, _ := strconv.ParseFloat(strconv.Itoa(int(m))+"e"+strconv.Itoa(e), 64)
			out = append(out, tick{v, shortNumber(v)})
		}
	}
	return alikeTicks(out)
}

// alikeTicks writes all ticks as powers of ten if one of them is.
func alikeTicks(ticks []tick) []tick {
	for _, t := range ticks {
		if t.value != 0 && needsPower(t.value) {
			for i, t := range ticks {
				ticks[i].text = scientific(t.value)
			}
			break
		}
	}
	return ticks
}

// ticksAt returns a tick for each distinct value of xs, or for each category
// among them, if they have room; else nil, or as many categories as have room.
func (a *axis) ticksAt(xs []float64, categories []string) []tick {
	xs = slices.Compact(slices.Sorted(slices.Values(xs)))
	if categories == nil {
		if len(xs) > maxExact {
			return nil
		}
		out := make([]tick, len(xs))
		for i, v := range xs {
			out[i] = tick{v, shortNumber(v)}
		}
		if out = alikeTicks(out); len(a.roomy(out)) < len(out) {
			return nil
		}
		return out
	}
	var out []tick
	room := (a.to - a.from) / vg.Length(max(1, len(xs)))
	for _, v := range xs {
		if i := int(v); float64(i) == v && i >= 0 && i < len(categories) {
			out = append(out, tick{v, shorten(categories[i], tickSize, max(room-tickGap, 3*tickSize))})
		}
	}
	return a.roomy(out)
}

// roomy leaves out the ticks whose texts would touch the one before.
func (a *axis) roomy(ticks []tick) (out []tick) {
	end := vg.Length(math.Inf(-1))
	for _, t := range ticks {
		half := textWidth(t.text, tickSize) / 2
		if a.at(t.value)-half < end+tickGap {
			continue
		}
		out = append(out, t)
		end = a.at(t.value) + half
	}
	return out
}

// shortNumber writes v with at most three or four digits.
func shortNumber(v float64) string {
	size := math.Abs(v)
	switch {
	case v == 0:
		return "0"
	case needsPower(v):
		return scientific(v)
	case size >= 100:
		return strings.Replace(strconv.FormatFloat(v, 'f', 0, 64), "-", "−", 1)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	return strings.Replace(strconv.FormatFloat(rounded, 'f', -1, 64), "-", "−", 1)
}

// needsPower reports whether v ≠ 0 is written with a power of ten.
func needsPower(v float64) bool { return math.Abs(v) >= 1e5 || math.Abs(v) < 1e-3 }

var superscripts = strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴",
	"5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

// scientific writes v as 2·10⁻⁴.
func scientific(v float64) string {
	if v == 0 {
		return "0"
	}
	digits, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', 2, 64), "e")
	e, _ := strconv.Atoi(exponent)
	digits = strings.TrimSuffix(strings.TrimRight(digits, "0"), ".")
	power := "10" + superscripts.Replace(strconv.Itoa(e))
	switch {
	case e == 0:
		return strings.Replace(digits, "-", "−", 1)
	case e == 1 && len(digits) <= 2 && digits[0] != '-':
		return digits + "0"
	}
	switch digits {
	case "1":
		return power
	case "-1":
		return "−" + power
	}
	return strings.Replace(digits, "-", "−", 1) + "·" + power
}

// apart moves places so that neighbours are at least step from each other and
// all are inside lo … hi if they have room there, and otherwise as little as
// possible: isotonic regression of the places less their part of the steps.
func apart(places []vg.Length, step, lo, hi vg.Length) []vg.Length {
	order := make([]int, len(places))
	for i := range order {
		order[i] = i
	}
	// Of equal places the first series is above.
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(places[i], places[j]), cmp.Compare(j, i))
	})
	type block struct {
		sum vg.Length
		n   int
	}
	mean := func(b block) vg.Length { return b.sum / vg.Length(b.n) }
	var blocks []block
	for k, i := range order {
		blocks = append(blocks, block{places[i] - step*vg.Length(k), 1})
		for n := len(blocks); n > 1 && mean(blocks[n-2]) > mean(blocks[n-1]); n-- {
			blocks[n-2].sum += blocks[n-1].sum
			blocks[n-2].n += blocks[n-1].n
			blocks = blocks[:n-1]
		}
	}
	most := max(lo, hi-step*vg.Length(len(places)-1))
	out, k := make([]vg.Length, len(places)), 0
	for _, b := range blocks {
		for range b.n {
			out[order[k]] = min(most, max(lo, mean(b))) + step*vg.Length(k)
			k++
		}
	}
	return out
}

// simplest is how far a simplified line may be from the line.
const simplest = 0.15

// simplify leaves out the points without which a line looks the same (Douglas
// and Peucker).
func simplify(line []vg.Point) []vg.Point {
	if len(line) < 3 {
		return line
	}
	a, b := line[0], line[len(line)-1]
	far, at := 0.0, 0
	for i, p := range line {
		if d := distance(p, a, b); d > far {
			far, at = d, i
		}
	}
	if far <= simplest {
		return []vg.Point{a, b}
	}
	return append(slices.Clone(simplify(line[:at+1])), simplify(line[at:])[1:]...)
}

// distance of p from the segment a b.
func distance(p, a, b vg.Point) float64 {
	ab, ap := b.Sub(a), p.Sub(a)
	t := 0.0
	if l := float64(ab.Dot(ab)); l > 0 {
		t = min(1, max(0, float64(ap.Dot(ab))/l))
	}
	off := ap.Sub(ab.Scale(vg.Length(t)))
	return math.Hypot(float64(off.X), float64(off.Y))
}
