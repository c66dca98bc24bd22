package openset

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// drawnPeople returns the margins of so many faces of each of so many strangers in a
// model of so many classes, and the mean spread of their scores. The scores are
// normal with a scale of the face, whose logarithm has this deviation; DefaultAssumptions.SameStranger of
// its variance is of the person.
func drawnPeople(rng *rand.Rand, people, each, classes int, deviation float64) (margins []float64, spreads float64) {
	for range people {
		own := math.Sqrt(DefaultAssumptions.SameStranger) * rng.NormFloat64()
		for range each {
			scale := math.Exp(deviation * (own + math.Sqrt(1-DefaultAssumptions.SameStranger)*rng.NormFloat64()))
			x := make([]float64, classes)
			for c := range x {
				x[c] = scale * rng.NormFloat64()
			}
			spreads += stat.StdDev(x, nil) / float64(people*each)
			slices.Sort(x)
			margins = append(margins, x[classes-1]-x[classes-2])
		}
	}
	return margins, spreads
}

// The threshold holds in nearly every model, and not in the mean of many alone: in
// few people's margins the mean varies, and with it the share of strangers who
// pass.
func TestThresholdHoldsInNearlyEveryModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, x := range []struct{ people, each int }{{10, 5}, {43, 8}} {
		deviation := PlainLaw.deviation(&DefaultAssumptions, x.people)
		known := PlainLaw
		known.Ratio = spacing(x.people)
		for name, l := range map[string]Law{"spread known": known, "margins alone": {Scale: 0, Caution: UnknownLaw.Caution}} {
			draws, worse := 20, 0
			if os.Getenv("NRDL_LONG") != "" {
				draws = 40
			}
			var total float64
			for range draws {
				c := Calibration{FPIR: 0.01, Prior: 0.5, Folds: 20, People: x.people}
				c.LeftOut, c.Spread = drawnPeople(rng, x.people, x.each, x.people, deviation)
				if err := c.Fit(x.people, l); err != nil {
					t.Fatal(err)
				}
				share := marginSurvival(x.people, c.Threshold, deviation)
				total += share / float64(draws)
				if share > 2*c.FPIR {
					worse++
				}
			}
			if worse > draws/20 || total > 0.01 || total < 0.002 {
				t.Errorf("%d people, %d faces, %s: in %d of %d models more than twice the share pass; in the mean %.2f %%",
					x.people, x.each, name, worse, draws, 100*total)
			}
		}
	}
}

// The laws are those that go run ./bench/strangers at commit `1a8a9d37091a` found on lfw_several: what
// shares of strangers exceed, in units of their mean margin.
func TestLawsAreThoseOfPhotographs(t *testing.T) {
	for _, x := range lawsMeasured {
		l := PlainLaw
		if x.projected {
			l = ProjectedLaw
		}
		if math.Abs(math.Log(l.Ratio/x.ratio)) > 0.15 {
			t.Errorf("%d people: ratio %v, measured %v", x.people, l.Ratio, x.ratio)
		}
		for i, fpir := range []float64{0.1, 0.01, 0.001} {
			if got := marginQuantile(x.people, fpir, l.deviation(&DefaultAssumptions, x.people)); math.Abs(math.Log(got/x.quantiles[i])) > 0.15 {
				t.Errorf("%d people, projected %v: %v exceed %.2f means, measured %.2f", x.people, x.projected, fpir, got, x.quantiles[i])
			}
		}
	}
}

// What the sample cannot bear is not claimed: no probability exceeds what follows
// if the next stranger were taken for somebody.
func TestNoProbabilityIsMoreThanTheSampleBears(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	last := 0.0
	for _, people := range []int{5, 10, 40} {
		c := drawnCalibration(t, rng, 5*people, people, people)
		top := c.Probability(1e6)
		if top != c.MaxProbability() || top > 1-1/(2*c.Faces+6) {
			t.Errorf("%d people: %v is claimed, %v faces of strangers were seen", people, top, c.Faces)
		}
		if !(top > last) {
			t.Errorf("%d people: %v is claimed, of fewer %v", people, top, last)
		}
		last = top
		rare := *c
		rare.Prior = 0.1
		if rare.MaxProbability() < top || rare.MaxProbability() > 1 {
			t.Errorf("where strangers are rare %v is claimed, else %v", rare.MaxProbability(), top)
		}
	}
}

// Among faces that are named the mean probability is the share of right names, strangers
// counting as the prior says, over many models of few people; heavy tails included.
func TestProbabilitiesOfNamedFacesAreRight(t *testing.T) {
	for _, deviation := range []float64{0, 0.45} {
		for _, people := range []int{5, 10} {
			rng := rand.New(rand.NewPCG(15, uint64(people)))
			var sum, right, all, surely, wrong float64
			for range 10 {
				l := Law{Scale: deviation - PlainLaw.deviation(&DefaultAssumptions, people), Ratio: spacing(people), Caution: PlainLaw.Caution}
				c := Calibration{FPIR: 0.01, Prior: 0.5, Folds: 5, People: people}
				c.LeftOut, c.Spread = drawnPeople(rng, people, 5, people, deviation)
				c.Right = drawnKnown(rng, 5*people)
				c.Wrong, _ = drawnPeople(rng, 1, people/5, people, deviation)
				if err := c.Fit(people, l); err != nil {
					t.Fatal(err)
				}
				strangers, _ := drawnPeople(rng, 400, 1, people, deviation)
				for is, list := range map[bool][]float64{true: drawnKnown(rng, 400), false: strangers} {
					for _, v := range list {
						p := c.Probability(v)
						if c.Known(v) {
							sum, all = sum+p, all+1
							if is {
								right++
							}
						}
						if p >= 0.99*c.MaxProbability() {
							surely++
							if !is {
								wrong++
							}
						}
					}
				}
			}
			if all == 0 || sum/all > right/all+0.01 {
				t.Errorf("%d people, scales %v: of %v faces that are named %.4f are right, the mean probability is %.4f",
					people, deviation, all, right/all, sum/all)
			}
			if surely == 0 || wrong/surely > 0.03 {
				t.Errorf("%d people, scales %v: of %v faces that are sure %v are strangers'", people, deviation, surely, wrong)
			}
		}
	}
}

// drawnKnown returns margins of people who are known.
func drawnKnown(rng *rand.Rand, n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		for range 6 {
			list[i] += 0.6 * rng.ExpFloat64()
		}
	}
	return list
}

// lawsMeasured is what that program prints.
var lawsMeasured = []struct {
	people    int
	projected bool
	ratio     float64
	quantiles [3]float64 // exceeded by 10, 1 and 0.1 % of strangers
}{
	{5, false, 0.80, [3]float64{2.16, 3.50, 4.52}},
	{10, false, 0.77, [3]float64{2.24, 3.85, 5.17}},
	{20, false, 0.74, [3]float64{2.29, 4.28, 6.10}},
	{43, true, 0.87, [3]float64{2.42, 5.32, 8.07}},
}
