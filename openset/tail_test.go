package openset

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// largest are the largest of so many standard normal numbers, n times.
func largest(rng *rand.Rand, people, n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = math.Inf(-1)
		for range people {
			all[i] = max(all[i], rng.NormFloat64())
		}
	}
	return all
}

func shareAbove(all []float64, score float64) float64 {
	n := 0
	for _, v := range all {
		if v >= score {
			n++
		}
	}
	return float64(n) / float64(len(all))
}

// The wanted share of other strangers is named, also with more people than were compared.
func TestByScoresKeepsTheRate(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	held := largest(rng, 50, 6000)
	for _, fpir := range []float64{0.1, 0.01} {
		for _, growth := range []int{1, 4} {
			g, err := ByScores(Options{FPIR: fpir, Prior: 0.5}, 50*growth, 50, held, []float64{5, 6}, []float64{3})
			if err != nil {
				t.Fatal(err)
			}
			others, fewer := largest(rng, 50*growth, 6000), 1.5
			if growth > 1 { // the tail of normal numbers ends before an exponential one
				fewer = 2.5
			}
			if got := shareAbove(others, g.Score()); got < fpir/fewer || got > 1.5*fpir {
				t.Errorf("%v of strangers among %d people are named, want %v", got, 50*growth, fpir)
			}
			for _, evidence := range []float64{0.5, 1, 2} {
				evidences := make([]float64, len(others))
				for i, s := range others {
					evidences[i] = g.Evidence(s)
				}
				if got, want := shareAbove(evidences, evidence), math.Pow(10, -evidence); got < want/fewer || got > 1.6*want {
					t.Errorf("an evidence of %v is exceeded by %v, want %v", evidence, got, want)
				}
			}
		}
	}
}

// Evidence never falls with the score, and is finite for any score.
func TestByScoresEvidenceIsMonotone(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	g, err := ByScores(Default, 3000, 100, largest(rng, 100, 300), []float64{4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []float64
	for s := -50.0; s < 1e4; s += 0.01 + math.Abs(s)/50 {
		all = append(all, g.Evidence(s))
	}
	if !slices.IsSorted(all) || all[0] < 0 || all[len(all)-1] > maxEvidence || slices.ContainsFunc(all, math.IsNaN) {
		t.Error("evidence falls, or is no number")
	}
	if e := g.Evidence(g.Score()); math.Abs(e-g.Threshold) > 1e-9 || g.Probability(0.1) >= g.Probability(6) {
		t.Errorf("the score of the threshold has the evidence %v, not %v", e, g.Threshold)
	}
	rates := g.RatesAt(3000, UnknownLaw)
	if len(rates) != len(Offered) || !rates[1].Present || rates[1].Threshold != 2 || rates[0].Threshold != 3 {
		t.Errorf("%+v", rates)
	}
}

func TestByScoresErrors(t *testing.T) {
	few := make([]float64, DefaultAssumptions.MinStrangers-1)
	if _, err := ByScores(Default, 5, 5, few, nil, nil); !errors.Is(err, ErrNoStrangers) {
		t.Error(err)
	}
	equal := make([]float64, 100)
	if _, err := ByScores(Default, 5, 5, equal, nil, nil); err == nil {
		t.Error("equal scores have a tail")
	}
	equal[7] = math.Inf(1)
	if _, err := ByScores(Default, 5, 5, equal, nil, nil); err == nil {
		t.Error("an infinite score")
	}
	if _, err := ByScores(Options{}, 5, 5, equal, nil, nil); err == nil {
		t.Error("no rate")
	}
}
