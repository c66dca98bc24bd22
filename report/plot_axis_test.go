package report

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

func TestApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		places := rapid.SliceOfN(rapid.Map(rapid.Float64Range(0, 100), func(v float64) vg.Length { return vg.Length(v) }), 1, 9).Draw(t, "places")
		got := apart(places, 10, 0, 100)
		for i := range got {
			if got[i] < -1e-9 || got[i] > 100+1e-9 {
				t.Fatalf("%v is outside", got[i])
			}
			for j := range got {
				if i != j && math.Abs(float64(got[i]-got[j])) < 10-1e-9 {
					t.Fatalf("%v and %v touch", got[i], got[j])
				}
				if places[i] < places[j] && got[i] > got[j] {
					t.Fatalf("%v and %v change places", places[i], places[j])
				}
			}
		}
	})
	free := []vg.Length{70, 10, 40}
	for i, v := range apart(free, 10, 0, 100) {
		if math.Abs(float64(v-free[i])) > 1e-9 {
			t.Errorf("%v moved to %v without need", free[i], v)
		}
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		log    bool
		lo, hi float64
		n      int
		want   string
	}{
		{false, 0, 100, 5, "0 20 40 60 80 100"},
		{false, 91.3, 97.2, 5, "92 93 94 95 96 97"},
		{false, -0.11, 0.1, 4, "−0.10 −0.05 0.00 0.05 0.10"},
		{false, 0, 5e7, 5, "0 10⁷ 2·10⁷ 3·10⁷ 4·10⁷ 5·10⁷"},
		{true, 1, 1000, 5, "1 10 100 1000"},
		{true, 1e-6, 1, 7, "10⁻⁶ 10⁻⁵ 10⁻⁴ 10⁻³ 10⁻² 10⁻¹ 1"},
		{true, 1e-12, 1, 4, "10⁻¹² 10⁻⁸ 10⁻⁴ 1"},
		{true, 3, 30, 5, "5 10 20"},
		{true, 31, 34.2, 5, "31 32 33 34"},
	} {
		a := axis{log: c.log}
		a.include(c.lo)
		a.include(c.hi)
		var got []string
		for _, k := range a.ticks(c.n) {
			got = append(got, k.text)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%v … %v: %s, want %s", c.lo, c.hi, s, c.want)
		}
	}
}

func TestShortNumbers(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1: "1", 93.75: "93.8", 100: "100", 1234.5: "1234", -0.5: "−0.5", 0.012345: "0.0123",
		2e-4: "2·10⁻⁴", -1e-7: "−10⁻⁷", 1.5e6: "1.5·10⁶", 99.96: "100",
	} {
		if got := shortNumber(v); got != want {
			t.Errorf("%v is written %s, want %s", v, got, want)
		}
	}
}

// A line that is simplified stays within the tolerance of every point of it.
func TestSimplify(t *testing.T) {
	var line []vg.Point
	for i := range 500 {
		x := float64(i) / 2
		line = append(line, vg.Point{X: vg.Length(x), Y: vg.Length(100 * math.Exp(-x/30))})
	}
	got := simplify(line)
	if len(got) > 60 || got[0] != line[0] || got[len(got)-1] != line[len(line)-1] {
		t.Errorf("%d points of %d", len(got), len(line))
	}
	for _, p := range line {
		least := math.Inf(1)
		for i := 1; i < len(got); i++ {
			least = min(least, distance(p, got[i-1], got[i]))
		}
		if least > simplest {
			t.Errorf("%v is %v away", p, least)
		}
	}
}

// Two ranks are under one line if and only if they differ by less than the
// critical difference, and lines neither meet nor repeat each other.
func TestRankGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := rapid.SliceOfN(rapid.Float64Range(1, 8), 1, 8).Draw(t, "ranks")
		for i := 1; i < len(ranks); i++ {
			ranks[i] = max(ranks[i], ranks[i-1])
		}
		cd := rapid.Float64Range(0, 4).Draw(t, "cd")
		groups := joinedRanks(ranks, cd)
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
		rows := rowsOf(groups)
		for g := range groups {
			for h := range g {
				if groups[g][0] <= groups[h][0] && groups[h][1] <= groups[g][1] || groups[h][0] <= groups[g][0] && groups[g][1] <= groups[h][1] {
					t.Fatalf("group %v is inside %v", groups[h], groups[g])
				}
				if rows[g] == rows[h] && groups[g][0] <= groups[h][1] && groups[h][0] <= groups[g][1] {
					t.Fatalf("groups %v and %v meet in row %d", groups[h], groups[g], rows[g])
				}
			}
		}
	})
}
