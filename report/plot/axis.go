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
func linearTicks(lo, hi float64) (ticks []plot.Tick) {
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/someTicks)))
	for _, f := range []float64{2, 2.5, 2} {
		if (hi-lo)/step > someTicks+1 {
			step *= f
		}
	}
	var at []float64
	for k := math.Ceil(lo/step - narrowest); k*step <= hi+narrowest*step; k++ {
		at = append(at, k*step+0)
	}
	ticks = labelled(at)
	decimals := max(0, -int(math.Floor(math.Log10(step)+narrowest)))
	for i := range ticks {
		if decimals <= someTicks && max(hi, -lo) < 1e6 {
			ticks[i].Label = minus(strconv.FormatFloat(at[i], 'f', decimals, 64))
		}
	}
	return ticks
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
	return labelled(at)
}

// labelled are ticks at values: if one is written as a power of ten, all are.
func labelled(values []float64) []plot.Tick {
	write := number
	if slices.ContainsFunc(values, needsPower) {
		write = scientific
	}
	ticks := make([]plot.Tick, len(values))
	for i, v := range values {
		ticks[i] = plot.Tick{Value: v, Label: write(v)}
	}
	return ticks
}

// roomy are the ticks of the horizontal axis of p, drawn on c, whose labels do
// not touch the one before.
func roomy(p *plot.Plot, c draw.Canvas, ticks []plot.Tick) (out plot.ConstantTicks) {
	area, end := p.DataCanvas(c), vg.Length(math.Inf(-1))
	for _, t := range ticks {
		if at, half := area.X(p.X.Norm(t.Value)), textWidth(t.Label, tickSize)/2; at-half >= end+gap {
			out, end = append(out, t), at+half
		}
	}
	return out
}

// inside draws p on c, with a tick at each distinct value of xs on the
// horizontal axis if there are few and their labels have room. The library leaves
// no room for half of a label at the left and the top end of an axis, and not
// enough for numbers beside bars of which one is not the longest.
func inside(p *plot.Plot, c draw.Canvas, xs []float64) {
	xs = slices.Compact(slices.Sorted(slices.Values(xs)))
	ticks := roomy(p, c, labelled(xs))
	if len(ticks) < len(xs) || len(xs) > maxExact || len(xs) == 0 {
		ticks = roomy(p, c, p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max))
	}
	left := vg.Length(0)
	if p.X.Tick.Marker = ticks; len(ticks) > 0 {
		area := p.DataCanvas(c)
		left = max(0, c.Min.X+textWidth(ticks[0].Label, tickSize)/2-area.X(p.X.Norm(ticks[0].Value)))
	}
	p.Draw(draw.Crop(c, left, -gap, 0, -gap))
}

var superscripts = strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴",
	"5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

func minus(s string) string { return strings.Replace(s, "-", "−", 1) }

// needsPower reports whether v ≠ 0 is written with a power of ten.
func needsPower(v float64) bool { return v != 0 && (math.Abs(v) >= 1e5 || math.Abs(v) < 1e-3) }

// number writes v with at most three or four digits.
func number(v float64) string {
	switch {
	case math.Abs(v) < smallest:
		return "0"
	case needsPower(v):
		return scientific(v)
	case math.Abs(v) >= 100:
		return minus(strconv.FormatFloat(v, 'f', 0, 64))
	}
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	return minus(strconv.FormatFloat(v, 'f', -1, 64))
}

// scientific writes v as 2·10⁻⁴.
func scientific(v float64) string {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	digits, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "e")
	e, _ := strconv.Atoi(exponent)
	switch {
	case e == 0 || e == 1:
		return minus(strconv.FormatFloat(v, 'f', -1, 64))
	case digits == "1" || digits == "-1":
		digits = strings.TrimSuffix(digits, "1")
	default:
		digits += "·"
	}
	return minus(digits) + "10" + superscripts.Replace(strconv.Itoa(e))
}
