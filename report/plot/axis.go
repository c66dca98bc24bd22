package plot

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	largest   = 1e12   // magnitude that is drawn
	smallest  = 1e-100 // magnitude that is not zero
	narrowest = 1e-9   // range, as a share of the largest magnitude, that is drawn as such
	someTicks = 5      // wanted; there may be some more or fewer
	maxExact  = 10     // distinct values that all may have a tick
)

// shows reports whether v has a place on an axis; NaN has none.
func shows(v float64, log bool) bool { return math.Abs(v) <= largest && (!log || v >= smallest) }

// settle widens the range of a where its values are equal but for rounding.
func settle(a *plot.Axis) {
	size := max(math.Abs(a.Min), math.Abs(a.Max))
	if a.Max-a.Min <= max(narrowest*size, smallest) {
		half := 0.5
		if size > smallest {
			half = max(min(half, size/2), 10*narrowest*size)
		}
		a.Min, a.Max = a.Min-half, a.Max+half
	}
}

// linearTicks are at multiples of 1, 2 or 5 times a power of ten. Those of the
// library are three, too few to read values from.
func linearTicks(lo, hi float64) []plot.Tick {
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
func logTicks(lo, hi float64) []plot.Tick {
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
func labelled(values []float64, powers bool, decimals int) (ticks []plot.Tick) {
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
		ticks = append(ticks, plot.Tick{Value: v, Label: strings.Replace(label, "-", "−", 1)})
	}
	return ticks
}

// roomy are the ticks of the horizontal axis of p, drawn on c, whose labels
// touch neither the one before nor what is at the right of c.
func roomy(p *plot.Plot, c draw.Canvas, ticks []plot.Tick) (out plot.ConstantTicks) {
	area, end := p.DataCanvas(c), vg.Length(math.Inf(-1))
	for _, t := range ticks {
		if at, half := area.X(p.X.Norm(t.Value)), p.X.Tick.Label.Rectangle(t.Label).Size().X/2; at-half >= end+gap && at+half <= c.Max.X+2*gap {
			out, end = append(out, t), at+half
		}
	}
	return out
}

// inside draws p on c, with a tick at each distinct value of xs on the
// horizontal axis if there are few and their labels have room. The library leaves
// no room for half of a label at the left and the top end of an axis.
func inside(p *plot.Plot, c draw.Canvas, xs []float64) {
	c = draw.Crop(c, 0, -gap, 0, -gap)
	xs = slices.Compact(slices.Sorted(slices.Values(xs)))
	ticks := roomy(p, c, labelled(xs, slices.ContainsFunc(xs, needsPower), -1))
	if len(ticks) < len(xs) || len(xs) > maxExact || len(xs) == 0 {
		ticks = roomy(p, c, p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max))
	}
	if p.X.Tick.Marker = ticks; len(ticks) > 0 {
		area := p.DataCanvas(c)
		left := c.Min.X + p.X.Tick.Label.Rectangle(ticks[0].Label).Size().X/2 - area.X(p.X.Norm(ticks[0].Value))
		c = draw.Crop(c, max(0, left), 0, 0, 0)
	}
	p.X.Tick.Marker = roomy(p, c, ticks)
	p.Draw(c)
}
