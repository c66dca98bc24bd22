package openset

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// calibrated is the calibration by law of people whose photographs, as many as there are
// levels, have these levels with the other people, and of given strangers.
func calibrated(t *testing.T, fpir float64, people int, levels, given []float64) *Calibration {
	t.Helper()
	c := &Calibration{FPIR: fpir, Prior: 0.5, People: people, Photographs: make([]int, people)}
	for i := range c.Photographs {
		c.Photographs[i] = max(1, len(levels)/people)
	}
	for _, u := range levels {
		z := deviateOf(ofLevel(u), people-1)
		c.LeftOut = append(c.LeftOut, evidenceOf(z, people))
	}
	for _, u := range given {
		c.Strangers = append(c.Strangers, ofLevel(u))
	}
	if err := c.FitByLaw(Shipped()[0]); err != nil {
		t.Fatal(err)
	}
	return c
}

// drawnLevels are the levels of each photographs of so many people, of this mean and standard deviation, half
// of whose variance is that of people.
func drawnLevels(rng *rand.Rand, people, each int, mean, sd float64) (all []float64) {
	for range people {
		own := rng.NormFloat64()
		for range each {
			all = append(all, mean+sd*math.Sqrt(0.5)*(own+rng.NormFloat64()))
		}
	}
	return all
}

// The law is the floor, a lower rate has a higher threshold, and people who are more alike have
// a higher one. Of one person nothing is known but the law.
func TestThresholdFollowsRateAndResemblance(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, people := range []int{2, 5, 40} {
		levels := drawnLevels(rng, people, 3, 0, 1)
		before := 0.0
		for shift := -2.0; shift < 3; shift += 0.25 {
			shifted := slices.Clone(levels)
			for i := range shifted {
				shifted[i] += shift
			}
			c := calibrated(t, 0.01, people, shifted, nil)
			if c.Threshold < 2 || c.Threshold < before-0.02 {
				t.Errorf("%d people of level %v: threshold %v after %v", people, shift, c.Threshold, before)
			}
			before = c.Threshold
			thresholds := c.surroundings().threshold
			for last, fpir := 0.0, 0.5; fpir > 1e-6; fpir /= 1.5 {
				threshold := thresholds(fpir)
				const largest = 16 // evidence of which quantiles are known
				if threshold < last || threshold == last && threshold < largest || threshold < -math.Log10(fpir)-1e-9 {
					t.Errorf("%d people of level %v: threshold %v at %v, after %v", people, shift, threshold, fpir, last)
				}
				last = threshold
			}
		}
	}
	if c := calibrated(t, 0.01, 1, nil, nil); math.Abs(c.Threshold-2) > 1e-9 {
		t.Errorf("one person: threshold %v", c.Threshold)
	}
}

// With more people at random, the threshold falls to that of strangers in general; with more
// people who are alike it is the level that such strangers exceed.
func TestMorePeopleMakeTheThresholdSurer(t *testing.T) {
	for _, alike := range []bool{false, true} {
		last := math.Inf(1)
		for people := 4; people <= 512; people *= 2 {
			kind := DefaultAssumptions.Alike[0]
			mean, sd := 0.0, 1.0
			if alike {
				mean, sd = moments(kind.exceeding(people - 1))
			}
			levels := make([]float64, people)
			for i := range levels {
				levels[i] = mean + sd*distuv.UnitNormal.Quantile((float64(i)+0.5)/float64(people))
			}
			threshold := calibrated(t, 0.01, people, levels, nil).Threshold
			if !alike && threshold > last+1e-3 {
				t.Errorf("%d people: threshold %v after %v", people, threshold, last)
			}
			last = threshold
			want := 0.01
			if z := deviateOf(threshold, people); alike {
				want = ofMany(distuv.UnitNormal.Survival((z-kind.Mean)/kind.SD), people)
			} else {
				want = ofMany(distuv.UnitNormal.Survival(z), people)
			}
			if people > 100 && math.Abs(math.Log(want/0.01)) > 0.1 {
				t.Errorf("%d people, alike: %v: %v of such strangers are named", people, alike, want)
			}
		}
	}
}

// A stranger in general gets a name as often as wanted at most, one who resembles the people
// nearly so; and the limits that are printed hold in most galleries.
func TestStrangersOfDrawnGalleries(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	l := Shipped()[0]
	for _, people := range []int{5, 10, 50} {
		const draws = 100
		held, printed, named := 0, 0, 0.0
		for range draws {
			kind := DefaultAssumptions.Alike[0]
			if rng.IntN(2) == 0 {
				kind = Kind{0, 1, 1}
			}
			mean, sd := moments(kind.exceeding(people - 1))
			c := calibrated(t, 0.01, people, drawnLevels(rng, people, 5, mean, sd), nil)
			// Strangers are distributed as the people.
			share := ofMany(distuv.UnitNormal.Survival((deviateOf(c.Threshold, people)-kind.Mean)/kind.SD), people)
			atLarge, like := c.StrangerRates(l)
			named += share / draws
			if like.Known() {
				printed++
				if share <= like.High {
					held++
				}
			}
			if like.Known() && people < 20 || atLarge.Rate > 0.01+1e-9 || atLarge.Low > atLarge.Rate || atLarge.High < atLarge.Rate ||
				like.Rate > 0.01+1e-9 || like.High > 1 {
				t.Fatalf("%d people: %+v and %+v", people, atLarge, like)
			}
		}
		if held < 85*printed/100 || people >= 20 && printed < draws || named > 0.03 {
			t.Errorf("%d people: the limit holds in %d of %d galleries, and %v of the strangers are named", people, held, printed, named)
		}
	}
}

// Given strangers count as people: their order means nothing, those who are like the people
// change little, those who resemble them more raise the threshold, and many of them decide.
func TestGivenStrangersAreFurtherPeople(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	levels := drawnLevels(rng, 5, 5, 0, 1)
	alone := calibrated(t, 0.01, 5, levels, nil).Threshold
	given := drawnLevels(rng, 2000, 1, 1.5, 1)
	last := 0.0
	for _, n := range []int{0, 10, 40, 2000} {
		some := slices.Clone(given[:n])
		c := calibrated(t, 0.01, 5, levels, some)
		rng.Shuffle(n, func(i, j int) { some[i], some[j] = some[j], some[i] })
		if again := calibrated(t, 0.01, 5, levels, some).Threshold; again != c.Threshold {
			t.Errorf("%d given strangers in another order: %v, not %v", n, again, c.Threshold)
		}
		if n > 0 && c.Threshold < alone-1 {
			t.Errorf("threshold %v of %d given strangers, %v without", c.Threshold, n, alone)
		}
		last = c.Threshold
	}
	if above := distuv.UnitNormal.Survival(levelOf(last) - 1.5); above > 0.03 || last < alone+1 {
		t.Errorf("2000 given strangers: %v of them are named", above)
	}
	if few := calibrated(t, 0.01, 5, levels, drawnLevels(rng, 40, 1, 0, 1)).Threshold; few > alone+0.1 {
		t.Errorf("strangers in general make the threshold %v from %v", few, alone)
	}
}

// One pair of people who are nearly the same does not decide for all.
func TestTwoNamesOfOnePersonDoNotDecide(t *testing.T) {
	l := Shipped()[0]
	x, groups := drawn(rand.New(rand.NewPCG(3, 4)), l, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5)
	threshold := func() float64 {
		c, err := ByLaw(Default, l, x, groups, nil)
		if err != nil {
			t.Fatal(err)
		}
		return levelOf(c.Threshold)
	}
	before := threshold()
	for j := range 5 {
		x.SetCol(j, mat.Col(nil, 5+j, x))
	}
	if after := threshold(); after > before+2.5 {
		t.Errorf("level %v becomes %v", before, after)
	}
}

// A level is the same for any number of people: that of a stranger in general is standard
// normal.
func TestLevelsOfStrangersInGeneral(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, people := range []int{1, 3, 30} {
		var all []float64
		for range 10000 {
			z := math.Inf(-1)
			for range people {
				z = max(z, rng.NormFloat64())
			}
			all = append(all, levelOf(evidenceOf(z, people)))
		}
		if mean, sd := stat.MeanStdDev(all, nil); math.Abs(mean) > 0.05 || math.Abs(sd-1) > 0.05 {
			t.Errorf("%d people: mean %v, standard deviation %v", people, mean, sd)
		}
	}
}
