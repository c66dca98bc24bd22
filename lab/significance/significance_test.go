package significance

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// counts draws n rates of so few faces that ties and zeros are common.
func counts(t *rapid.T, n int, what string) []float64 {
	of := rapid.SampledFrom([]float64{7, 30, 997}).Draw(t, "faces of "+what)
	rates := make([]float64, n)
	for i := range rates {
		rates[i] = float64(rapid.IntRange(0, int(of)).Draw(t, what)) / of
	}
	return rates
}

// The exact p-value is the share of all signs of the ranks whose rank sum is at
// least as far from its mean as the one observed.
func TestExactIsEnumeration(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 10).Draw(rt, "n")
		a := counts(rt, n, "a")
		b := slices.Clone(a)
		for i := range b { // from a few steps: ties, zeros
			b[i] += float64(rapid.IntRange(-4, 4).Draw(rt, "steps")) / 30
		}
		got, err := Wilcoxon(a, b, Exact)
		if err != nil {
			rt.Fatal(err)
		}
		var steps []float64
		for i := range a {
			if d := math.Round(30 * (a[i] - b[i])); d != 0 {
				steps = append(steps, math.Abs(d))
			}
		}
		ranks := make([]float64, len(steps))
		for i, x := range steps { // of those below, and the middle of the equal ones
			ranks[i] = 0.5
			for _, y := range steps {
				ranks[i] += float64(btoi(y < x)) + float64(btoi(y == x))/2
			}
		}
		mean := float64(len(steps)*(len(steps)+1)) / 4
		extreme := 0
		for signs := range 1 << len(ranks) {
			plus := 0.0
			for i, r := range ranks {
				plus += r * float64(signs>>i&1)
			}
			extreme += btoi(math.Abs(plus-mean) >= math.Abs(got.Statistic-mean))
		}
		want := float64(extreme) / float64(int(1)<<len(ranks))
		if got.N != len(steps) || math.Abs(got.P-want) > 1e-14 {
			rt.Errorf("%+v, enumerated %v of %d", got, want, len(steps))
		}
	})
}

// Which method comes first changes no p-value, nor do units: percent are rates.
func TestPairsSymmetry(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 70).Draw(rt, "n")
		a, b := counts(rt, n, "a"), counts(rt, n, "b")
		percent := func(v []float64) []float64 {
			w := slices.Clone(v)
			for i := range w {
				w[i] *= 100
			}
			return w
		}
		for _, m := range []Method{Auto, Exact, Approximate} {
			x, err := Wilcoxon(a, b, m)
			y, err2 := Wilcoxon(b, a, m)
			z, err3 := Wilcoxon(percent(a), percent(b), m)
			if err != nil || err2 != nil || err3 != nil || x != y || x != z || !(x.P > 0 && x.P <= 1) {
				rt.Errorf("method %d: %+v, %+v, %+v", m, x, y, z)
			}
		}
		x, err := CorrectedT(a, b, 0)
		y, err2 := CorrectedT(b, a, 0)
		if err != nil || err2 != nil || x.P != y.P || x.Statistic != -y.Statistic || !(x.P >= 0 && x.P <= 1) {
			rt.Errorf("%+v, %+v", x, y)
		}
	})
}

var tenth, fifth, threeTenths = 0.1, 0.2, 0.3 // variables: constants do not round

// 0.3 − 0.2 and 0.2 − 0.1 differ in the last bit, as 0.1 + 0.2 and 0.3 do.
func TestRoundingMakesNoRanks(t *testing.T) {
	if threeTenths-fifth == fifth-tenth || tenth+fifth == threeTenths {
		t.Fatal("nothing rounds here")
	}
	a, b := []float64{0.3, 0.2, tenth + fifth}, []float64{0.2, 0.1, 0.3}
	w, err := Wilcoxon(a, b, Exact)
	if want := (Test{Statistic: 0, P: 0.5, N: 2, Exact: true}); err != nil || w != want {
		t.Errorf("%+v, %v", w, err)
	}
	if got := midranks([]float64{threeTenths - fifth, fifth - tenth, 0}, 1e-12); !slices.Equal(got, []float64{2.5, 2.5, 1}) {
		t.Error(got)
	}
	if got := Ranks([]float64{tenth + fifth, 0.9, 0.3}); !slices.Equal(got, []float64{2.5, 1, 2.5}) {
		t.Error(got)
	}
	// one face of a million more is a difference, whichever the denominators
	if w, err := Wilcoxon([]float64{1}, []float64{999_999.0 / 1_000_000}, Auto); err != nil || w.N != 1 {
		t.Errorf("%+v, %v", w, err)
	}
}

func TestPairsAtTheLimits(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		a, b               []float64
		wilcoxon, student  Test
		noRanks, noStudent bool // errors
	}{
		{noRanks: true, noStudent: true},
		{a: []float64{1}, b: []float64{1, 2}, noRanks: true, noStudent: true},
		{a: []float64{1, nan}, b: []float64{1, 2}, noRanks: true, noStudent: true},
		{a: []float64{1, inf}, b: []float64{2, inf}, noRanks: true, noStudent: true},
		{a: []float64{1, 1e308}, b: []float64{2, -1e308}, noRanks: true, noStudent: true},
		{a: []float64{2}, b: []float64{1}, wilcoxon: Test{P: 1, N: 1, Exact: true}, noStudent: true},
		{a: []float64{2, 0}, b: []float64{2, 0}, wilcoxon: Test{P: 1, Exact: true}, student: Test{P: 1, N: 2}},
		{
			a: []float64{0.3, 0.2}, b: []float64{0.2, 0.1}, // equal differences
			wilcoxon: Test{P: 0.5, N: 2, Exact: true}, student: Test{Statistic: inf, P: 0, N: 2},
		},
		{
			a: []float64{0.2, 0.1}, b: []float64{0.3, 0.2},
			wilcoxon: Test{P: 0.5, N: 2, Exact: true}, student: Test{Statistic: -inf, P: 0, N: 2},
		},
	} {
		if w, err := Wilcoxon(c.a, c.b, Auto); (err != nil) != c.noRanks || w != c.wilcoxon {
			t.Errorf("%v and %v: %+v, %v", c.a, c.b, w, err)
		}
		if s, err := CorrectedT(c.a, c.b, 0); (err != nil) != c.noStudent || s != c.student {
			t.Errorf("%v and %v: %+v, %v", c.a, c.b, s, err)
		}
	}
	many, none := make([]float64, maxExactPairs+1), make([]float64, maxExactPairs+1)
	for i := range many {
		many[i] = float64(i + 1)
	}
	if w, err := Wilcoxon(many, none, Exact); err == nil {
		t.Errorf("exact p-value of %d pairs: %+v", len(many), w)
	}
	w, err := Wilcoxon(many[1:], none[1:], Exact)
	if want := math.Ldexp(1, 1-maxExactPairs); err != nil || w.P != want { // all of one sign
		t.Errorf("%+v, %v, not %v", w, err, want)
	}
}

// The squares of a large unit overflow, those of a small one vanish.
func TestPairedTHasNoUnit(t *testing.T) {
	zero := make([]float64, 3)
	want, err := CorrectedT([]float64{1, 3, 4}, zero, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []int{1000, -1000} {
		got, err := CorrectedT([]float64{math.Ldexp(1, e), math.Ldexp(3, e), math.Ldexp(4, e)}, zero, 0)
		if err != nil || got != want {
			t.Errorf("%+v, %v in units of 2^%d, not %+v", got, err, e, want)
		}
	}
}

func TestHolm(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct{ p, want []float64 }{
		{nil, []float64{}},
		{[]float64{0.3}, []float64{0.3}},
		{[]float64{0.01, 0.04, 0.03, 0.005}, []float64{0.03, 0.06, 0.06, 0.02}},
		{[]float64{0.01, 0.02, 0.03, 0.04, 0.05}, []float64{0.05, 0.08, 0.09, 0.09, 0.09}},
		{[]float64{nan, 0.5, 0.01, nan, 0.6}, []float64{nan, 1, 0.03, nan, 1}},
		{[]float64{-1, 2, 0.5}, []float64{nan, nan, 0.5}},
	} {
		if d := cmp.Diff(c.want, Holm(c.p), cmpopts.EquateNaNs(), cmpopts.EquateApprox(1e-15, 0)); d != "" {
			t.Errorf("%v: %s", c.p, d)
		}
	}
}

// Adjusted values are no smaller, in the order of the values given, and those
// up to α are the hypotheses that Holm's steps reject: the smallest p as long
// as it is at most α over how many are left.
func TestHolmSteps(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := make([]float64, rapid.IntRange(0, 12).Draw(rt, "m"))
		for i := range p {
			p[i] = float64(rapid.IntRange(0, 64).Draw(rt, "64p")) / 64
		}
		before := slices.Clone(p)
		adjusted := Holm(p)
		if !slices.Equal(p, before) {
			rt.Error("values changed")
		}
		alpha := float64(rapid.IntRange(0, 64).Draw(rt, "64α")) / 64
		for i := range p {
			if adjusted[i] < p[i] || adjusted[i] > 1 {
				rt.Errorf("%v became %v", p, adjusted)
			}
			for j := range p {
				if p[i] <= p[j] && adjusted[i] > adjusted[j] {
					rt.Errorf("%v became %v", p, adjusted)
				}
			}
		}
		slices.Sort(before)
		rejected := 0
		for rejected < len(p) && before[rejected]*float64(len(p)-rejected) <= alpha {
			rejected++
		}
		slices.Sort(adjusted)
		if alpha < 1 && rejected != len(slices.DeleteFunc(adjusted, func(x float64) bool { return x > alpha })) {
			rt.Errorf("%v: %d rejected at %v", before, rejected, alpha)
		}
	})
}

func TestRanks(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct{ row, want []float64 }{
		{nil, []float64{}},
		{[]float64{0.4}, []float64{1}},
		{[]float64{0.1, 0.9, 0.5}, []float64{3, 1, 2}},
		{[]float64{0.5, 0.9, 0.5, 0.5, 0.1}, []float64{3, 1, 3, 3, 5}},
		{[]float64{nan, 0.2, nan, 0.3}, []float64{nan, 2, nan, 1}},
		{[]float64{-inf, inf, 1, inf}, []float64{4, 1.5, 3, 1.5}},
		{[]float64{0, 0}, []float64{1.5, 1.5}},
	} {
		if d := cmp.Diff(c.want, Ranks(c.row), cmpopts.EquateNaNs()); d != "" {
			t.Errorf("%v: %s", c.row, d)
		}
	}
}

// Without ties χ² and F are as [demsar] writes them, from the mean ranks.
func TestFriedmanAsPrinted(t *testing.T) {
	rates := [][]float64{{0.9, 0.8, 0.7, 0.6}, {0.8, 0.9, 0.6, 0.7}, {0.99, 0.97, 0.98, 0.9}}
	n, k := 3.0, 4.0
	squares := 4.0*4 + 6*6 + 9*9 + 11*11 // of the sums of the ranks 1 2 3 4, 2 1 4 3, 1 3 2 4
	chi := 12 * n / (k * (k + 1)) * (squares/(n*n) - k*(k+1)*(k+1)/4)
	f := (n - 1) * chi / (n*(k-1) - chi)
	got, err := Friedman(rates)
	if err != nil || math.Abs(got.ChiSquared-chi) > 1e-12 || math.Abs(got.F-f) > 1e-12 {
		t.Errorf("%+v, %v; χ² = %v, F = %v", got, err, chi, f)
	}
}

func TestFriedmanAtTheLimits(t *testing.T) {
	agree, err := Friedman([][]float64{{3, 2, 1}, {0.3, 0.2, 0.1}, {1, 0, -1}})
	if err != nil || math.Abs(agree.ChiSquared-6) > 1e-14 || !math.IsInf(agree.F, 1) || agree.PF != 0 {
		t.Errorf("all agree: %+v, %v", agree, err)
	}
	tied, err := Friedman([][]float64{{0.3, tenth + fifth}, {1, 1}})
	if d := cmp.Diff(FriedmanTest{MeanRanks: []float64{1.5, 1.5}, P: 1, PF: 1}, tied); err != nil || d != "" {
		t.Errorf("all tie: %v, %s", err, d)
	}
	for _, rates := range [][][]float64{
		nil,
		{{}},
		{{}, {}},
		{{1, 2}},
		{{1}, {2}},
		{{1, 2}, {1}},
		{{1, 2}, {1, 2, 3}},
		{{1, 2}, {1, math.NaN()}},
		{{1, 2}, {1, math.Inf(1)}},
	} {
		if got, err := Friedman(rates); err == nil {
			t.Errorf("%v: %+v", rates, got)
		}
	}
}

// Two values differ by a normal of variance 2, whose quantile needs no
// quadrature; some range always exceeds 0; more methods need more difference.
func TestRange(t *testing.T) {
	for _, q := range []float64{0, 0.1, 1, 3, 6, 12} {
		if got, want := rangeSurvival(2, q), math.Erfc(q/2); math.Abs(got-want) > 1e-13*want {
			t.Errorf("P(range of 2 > %v) = %v, not %v", q, got, want)
		}
	}
	before := 0.0
	for _, k := range []float64{2, 3, 10, 100, maxMethods} {
		if p := rangeSurvival(k, 0); math.Abs(p-1) > 1e-13 {
			t.Errorf("P(range of %v > 0) = %v", k, p)
		}
		for _, alpha := range []float64{1e-12, 0.01, 0.5} {
			if p := rangeSurvival(k, rangeQuantile(k, alpha)); math.Abs(p-alpha) > 1e-12*alpha {
				t.Errorf("k = %v: %v exceeds the quantile of %v", k, p, alpha)
			}
		}
		q := rangeQuantile(k, 0.05)
		if q <= before {
			t.Errorf("the quantile of %v is %v, of fewer %v", k, q, before)
		}
		before = q
	}
	for _, alpha := range []float64{5e-324, 1e-300, 1 - 1e-16} {
		if cd, err := CriticalDifference(3, 10, alpha); err != nil || !(cd >= 0 && cd < 100) {
			t.Errorf("level %v: %v, %v", alpha, cd, err)
		}
	}
}

func TestCriticalDifferenceRefuses(t *testing.T) {
	for _, c := range []struct {
		k, n  int
		alpha float64
	}{
		{1, 5, 0.05},
		{maxMethods + 1, 5, 0.05},
		{-3, 5, 0.05},
		{3, 0, 0.05},
		{3, -1, 0.05},
		{3, 5, 0},
		{3, 5, 1},
		{3, 5, -1},
		{3, 5, math.NaN()},
		{3, 5, math.Inf(1)},
	} {
		if cd, err := CriticalDifference(c.k, c.n, c.alpha); err == nil {
			t.Error(fmt.Sprint(c), cd)
		}
	}
}
