package openset

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The expected distances between the two largest of n standard normal numbers
// follow from the tables of their order statistics: 2/√π, 3/(2√π) and, to five
// digits, 1.53875 − 1.00136 [tippett: Teichroew, Ann. Math. Stat. 27, 1956].
func TestSpacingOfNormalNumbers(t *testing.T) {
	for _, c := range []struct {
		n    int
		want float64
	}{{2, 2 / math.Sqrt(math.Pi)}, {3, 1.5 / math.Sqrt(math.Pi)}, {10, 1.53875 - 1.00136}} {
		if got := spacing(c.n); math.Abs(got-c.want) > 1e-5 {
			t.Errorf("spacing(%d) = %v, want %v", c.n, got, c.want)
		}
	}
	// Of two numbers it is |N(0, 2)|.
	if got, want := marginQuantile(2, 0.01, 0)*spacing(2), math.Sqrt2*2.5758293; math.Abs(got-want) > 1e-6 {
		t.Errorf("the distance of two numbers exceeds %v in one of a hundred, want %v", got, want)
	}
	// The variance of |N(0, 2)| is 2 − 4/π.
	if got, want := spacingVariation(2), math.Pi/2-1; math.Abs(got-want) > 1e-6 {
		t.Errorf("spacingVariation(2) = %v, want %v", got, want)
	}
	for _, n := range []int{3, 43, 1000} {
		if got := spacingSurvival(n, 0); math.Abs(got-1) > 1e-9 {
			t.Errorf("n = %d: the distance is at least 0 with probability %v", n, got)
		}
	}
}

// margins draws distances between the two largest of classes normal numbers.
func margins(rng *rand.Rand, n, classes int, scale float64) []float64 {
	all := make([]float64, n)
	for i := range all {
		x := make([]float64, classes)
		for c := range x {
			x[c] = scale * rng.NormFloat64()
		}
		slices.Sort(x)
		all[i] = x[classes-1] - x[classes-2]
	}
	return all
}

// drawnCalibration is one of people who are known by gamma margins.
func drawnCalibration(t testing.TB, rng *rand.Rand, faces, people, classes int) *Calibration {
	t.Helper()
	c := &Calibration{FPIR: 0.01, Prior: 0.5, Folds: 20, People: people, LeftOut: margins(rng, faces, classes, 0.1)}
	for range faces {
		var right float64
		for range 6 {
			right += 0.06 * rng.ExpFloat64()
		}
		c.Right = append(c.Right, right)
	}
	c.Wrong = margins(rng, faces/10+1, classes, 0.1)
	if err := c.Fit(classes, PlainLaw); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestThresholdLetsTheWantedShareOfStrangersPass(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const classes = 40
	var passed, all int
	for range 20 {
		c := drawnCalibration(t, rng, 300, classes, classes)
		for _, v := range margins(rng, 2000, classes, 0.1) {
			all++
			if c.Known(v) {
				passed++
			}
		}
	}
	// The law is wider than that of these strangers, who have one scale.
	if fpir := float64(passed) / float64(all); fpir < 0.002 || fpir > 0.01 {
		t.Errorf("%.2f %% of strangers pass", 100*fpir)
	}
}

func TestThresholdIsMoreCautiousTheLessIsKnown(t *testing.T) {
	const classes = 10
	last := math.Inf(1)
	for _, n := range []float64{2, 5, 20, 100, 1000} {
		c := Calibration{Mean: 0.1, Faces: n}
		got := c.thresholds(classes, PlainLaw)(0.01)
		if !(got < last) {
			t.Errorf("known from %v faces: %v, from fewer %v", n, got, last)
		}
		last = got
	}
	c := Calibration{Mean: 0.1, Faces: 50}
	for _, fpir := range []float64{1e-6, 1e-3, 0.01, 0.1} {
		if stricter, lax := c.thresholds(classes, PlainLaw)(fpir/2), c.thresholds(classes, PlainLaw)(fpir); !(stricter > lax) {
			t.Errorf("far %v: %v, half of it %v", fpir, lax, stricter)
		}
	}
}

func TestManyStrangersGiveTheirQuantile(t *testing.T) {
	c := Calibration{FPIR: 0.01, Prior: 0.5, Folds: 5}
	for i := range 2000 {
		c.Strangers = append(c.Strangers, float64(i)) // not normal at all
	}
	if err := c.Fit(5, PlainLaw); err != nil {
		t.Fatal(err)
	}
	named := 0
	for i := range 2000 {
		if c.Known(float64(i)) {
			named++
		}
	}
	if named < 19 || named > 21 {
		t.Errorf("%d of 2000 are named, not 20", named)
	}
}

func TestProbabilitiesAreCalibratedAndRise(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const classes = 40
	c := drawnCalibration(t, rng, 2000, classes, classes)
	last := -1.0
	for v := 0.0; v < 2; v += 0.01 {
		p := c.Probability(v)
		if p < last || p < 0 || p > 1 {
			t.Fatalf("probability %v of margin %v after %v", p, v, last)
		}
		last = p
	}
	var stated, right [10]float64
	fresh := drawnCalibration(t, rng, 5000, classes, classes)
	count := func(list []float64, is bool, weight float64) {
		for _, v := range list {
			p := c.Probability(v)
			b := min(9, int(10*p))
			stated[b] += weight * p
			if is {
				right[b] += weight
			}
		}
	}
	held := float64(len(fresh.Right) + len(fresh.Wrong))
	count(fresh.Right, true, 0.5/held)
	count(fresh.Wrong, false, 0.5/held)
	count(fresh.LeftOut, false, 0.5/float64(len(fresh.LeftOut)))
	var ece float64
	for b := range stated {
		ece += math.Abs(stated[b] - right[b])
	}
	if ece > 0.03 {
		t.Errorf("calibration error %.1f points", 100*ece)
	}
}

// At the minimum of a convex function no small step goes down.
func TestOddsAreTheMinimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	c := drawnCalibration(t, rng, 100, 10, 10)
	all := c.trials()
	a := newton(all, [3]bool{true, true, true})
	smallest := loss(all, a)
	for i := range a {
		for _, step := range []float64{-1e-3, 1e-3} {
			b := a
			b[i] += step
			if loss(all, b) < smallest {
				t.Errorf("%v is lower than %v", b, a)
			}
		}
	}
	if c.Odds[1] < 0 || c.Odds[2] < 0 {
		t.Errorf("odds %v fall with the margin", *c.Odds)
	}
}

func TestThinKeepsEndsAndOrder(t *testing.T) {
	list := make([]float64, 100_000)
	for i := range list {
		list[i] = float64(i)
	}
	got := thin(list, keptMargins)
	if len(got) != keptMargins || got[0] != 0 || got[len(got)-1] != 99_999 || !slices.IsSorted(got) {
		t.Errorf("%d numbers from %v to %v", len(got), got[0], got[len(got)-1])
	}
}

// Margins of people who were left out come of folds.
func TestMarginsWithoutFoldsAreRefused(t *testing.T) {
	whole := Calibration{FPIR: 0.01, Prior: 0.5, Folds: 5, People: 4, LeftOut: []float64{0.1, 0.2}}
	if err := whole.Fit(4, UnknownLaw); err != nil {
		t.Fatal(err)
	}
	for _, edit := range []func(*Calibration){func(c *Calibration) { c.Folds = 0 }, func(c *Calibration) { c.People = 0 }} {
		c := whole
		edit(&c)
		if c.Validate() == nil || c.Fit(4, UnknownLaw) == nil {
			t.Errorf("%d people left out of %d folds are accepted", c.People, c.Folds)
		}
	}
}
