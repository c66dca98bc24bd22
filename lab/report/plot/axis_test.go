package plot

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		log    bool
		lo, hi float64
		want   string
	}{
		{false, 0, 100, "0 20 40 60 80 100"},
		{false, 91.3, 97.2, "92 93 94 95 96 97"},
		{false, -0.11, 0.1, "−0.10 −0.05 0.00 0.05 0.10"},
		{false, 0, 5e7, "0 10⁷ 2·10⁷ 3·10⁷ 4·10⁷ 5·10⁷"},
		{true, 1, 1000, "1 10 100 1000"},
		{true, 1e-6, 1, "10⁻⁶ 10⁻⁵ 10⁻⁴ 10⁻³ 10⁻² 10⁻¹ 1"},
		{true, 1e-12, 1, "10⁻¹² 10⁻¹⁰ 10⁻⁸ 10⁻⁶ 10⁻⁴ 10⁻² 1"},
		{true, 3, 30, "5 10 15 20 25 30"},
		{true, 31, 34.2, "31 32 33 34"},
	} {
		ticks := linearTicks
		if c.log {
			ticks = logTicks
		}
		var got []string
		for _, k := range ticks(c.lo, c.hi) {
			got = append(got, k.label)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%v … %v: %s, want %s", c.lo, c.hi, s, c.want)
		}
	}
}

func TestLabels(t *testing.T) {
	for want, values := range map[string][]float64{
		"0 1 93.75 100 1234.5 −0.5":     {0, 1, 93.75, 100, 1234.5, -0.5},
		"2·10⁻⁴ −10⁻⁷ 1.5·10⁶ 10⁻³ 1 0": {2e-4, -1e-7, 1.5e6, 1e-3, 1, 0},
		"0.3 0.1": {0.1 + 0.2, 0.1 + 1e-16},
	} {
		var got []string
		for _, tick := range labelled(values, slices.ContainsFunc(values, needsPower), -1) {
			got = append(got, tick.label)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%v are written %s, want %s", values, s, want)
		}
	}
}

// plain undoes superscripts and the sign of labels.
var plain = strings.NewReplacer("−", "-", "⁻", "-", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4",
	"⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9")

// valueOf reads a label of a tick; what is no number is NaN.
func valueOf(label string) float64 {
	digits, exponent := label, "0"
	if before, after, ok := strings.Cut(label, "·10"); ok {
		digits, exponent = before, after
	} else if before, after, ok := strings.Cut(label, "10"); ok && strings.ContainsAny(after, "⁻⁰¹²³⁴⁵⁶⁷⁸⁹") {
		digits, exponent = before+"1", after
	}
	v, err := strconv.ParseFloat(plain.Replace(digits)+"e"+plain.Replace(exponent), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// Ticks are at all multiples of a round step that are in the range, are few, and
// are written as what they are.
func TestTicksCoverTheRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := math.Pow(10, rapid.Float64Range(-90, 11).Draw(t, "size"))
		lo := size * rapid.Float64Range(-1, 1).Draw(t, "lo")
		hi := lo + size*math.Pow(10, rapid.Float64Range(-4, 0).Draw(t, "width"))
		ticks := linearTicks(lo, hi)
		checkTicks(t, ticks, lo, hi, func(v float64) float64 { return v })
		step := ticks[1].value - ticks[0].value
		if m := step / math.Pow(10, math.Floor(math.Log10(step)+1e-6)); math.Abs(m-1) > 1e-4 && math.Abs(m-2) > 1e-4 && math.Abs(m-5) > 1e-4 {
			t.Fatalf("%v … %v: the step %v is not round", lo, hi, step)
		}
	})
}

// Ticks of a logarithmic axis are such in the exponent, with a step of 1, 2, 3 …
func TestLogTicksCoverTheRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(-100, 10).Draw(t, "lo")
		hi := min(lo+rapid.Float64Range(2, 100).Draw(t, "decades"), 12)
		if math.Floor(hi)-math.Ceil(lo) >= 1 { // two powers of ten
			ticks := logTicks(math.Pow(10, lo), math.Pow(10, hi))
			checkTicks(t, ticks, lo, hi, math.Log10)
			if step := math.Log10(ticks[1].value / ticks[0].value); math.Abs(step-math.Round(step)) > 1e-9 {
				t.Fatalf("10^%v … 10^%v: the step is %v powers of ten", lo, hi, step)
			}
		}
	})
}

func checkTicks(t *rapid.T, ticks []tick, lo, hi float64, scaled func(float64) float64) {
	if len(ticks) < 2 || len(ticks) > someTicks+2 {
		t.Fatalf("%v … %v: %d ticks", lo, hi, len(ticks))
	}
	first, step := scaled(ticks[0].value), scaled(ticks[1].value)-scaled(ticks[0].value)
	slack := 1e-6 * (hi - lo)
	for i, k := range ticks {
		v := scaled(k.value)
		if math.Abs(v-first-float64(i)*step) > slack || math.Abs(v/step-math.Round(v/step)) > 1e-3 || v < lo-slack || v > hi+slack {
			t.Fatalf("%v … %v: no tick is at %v, the step is %v", lo, hi, k.value, step)
		}
		if written := valueOf(k.label); !(math.Abs(scaled(written)-v) <= slack) && k.value != written {
			t.Fatalf("%v is written %s", k.value, k.label)
		}
	}
	if last := first + float64(len(ticks)-1)*step; first-step > lo+slack || last+step < hi-slack {
		t.Fatalf("%v … %v: ticks from %v to %v, the step is %v", lo, hi, first, last, step)
	}
}

// Two ranks are under one line if and only if they differ by less than the
// critical difference, and no line repeats another.
func TestRankGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := rapid.SliceOfN(rapid.Float64Range(1, 8), 1, 8).Draw(t, "ranks")
		for i := 1; i < len(ranks); i++ {
			ranks[i] = max(ranks[i], ranks[i-1])
		}
		cd := rapid.Float64Range(0, 4).Draw(t, "cd")
		groups := joined(ranks, cd)
		for i := range ranks {
			for j := i + 1; j < len(ranks); j++ {
				together := false
				for _, g := range groups {
					together = together || g[0] <= i && j <= g[1]
				}
				if together != (ranks[j]-ranks[i] < cd) {
					t.Fatalf("ranks %v and %v: joined %v with a critical difference of %v", ranks[i], ranks[j], together, cd)
				}
			}
		}
		for g := range groups {
			for h := range g {
				if groups[g][0] <= groups[h][0] && groups[h][1] <= groups[g][1] || groups[h][0] <= groups[g][0] && groups[g][1] <= groups[h][1] {
					t.Fatalf("group %v is inside %v", groups[h], groups[g])
				}
			}
		}
	})
}
