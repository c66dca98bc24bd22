package plot

import (
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"
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
		var ticks plot.TickerFunc = linearTicks
		if c.log {
			ticks = logTicks
		}
		var got []string
		for _, k := range ticks(c.lo, c.hi) {
			got = append(got, k.Label)
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
			got = append(got, tick.Label)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%v are written %s, want %s", values, s, want)
		}
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
