package openset

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
)

// Other assumptions change a threshold, are stored with it, and are those of what follows from
// the Calibration. The default ones are not stored.
func TestAssumptionsAreStored(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	scores := make([]float64, 300)
	for i := range scores {
		scores[i] = rng.ExpFloat64()
	}
	calibrated := func(a *Assumptions) *Calibration {
		o := Default
		o.Assumptions = a
		c, err := ByScores(o, 20, 10, scores, []float64{4, 5, 6, 7, 8, 9, 10}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	other := DefaultAssumptions
	other.TailShare, other.Reach, other.MinMargin = 0.3, 2, 3
	c, usual, named := calibrated(&other), calibrated(nil), calibrated(&DefaultAssumptions)
	if c.Evidence(4) == usual.Evidence(4) || c.SmallestFPIR() == usual.SmallestFPIR() || *c.Odds == *usual.Odds {
		t.Error("assumptions are not used")
	}
	if c.DiffersInRate(usual.Options()) || !usual.DiffersInRate(named.Options()) || !c.DiffersInRate(c.Options()) ||
		!slices.Equal(usual.LeftOut, named.LeftOut) {
		t.Error("different options count as equal")
	}
	few := *usual
	few.Assumptions, few.Folds, few.Wrong = &other, 20, []float64{1}
	other.Turns, other.NearChance, other.Worthwhile, other.Member = 2, 0.99999, 0.6, 0.01
	if m := []float64{0, 2, 4}; few.Members(m) <= usual.Members(m) {
		t.Error("who is a member is not decided by Member")
	}
	rates := []Rates{{Present: true}, {Right: 0.55, FPIR: 0.1}}
	_, more := few.Suggest(rates, 0.5)
	_, usually := usual.Suggest(rates, 0.5)
	usual.Folds = 20
	if few.MaxProbability() >= usual.MaxProbability() || few.NearChance(1000) == usual.NearChance(1000) || more || !usually {
		t.Error("the numbers for what is printed are not used")
	}
	usual.Folds = 0
	text, err := json.Marshal(usual)
	var read struct{ Assumptions *Assumptions }
	if err == nil {
		err = json.Unmarshal(text, &read)
	}
	if err != nil || read.Assumptions != nil {
		t.Errorf("default assumptions are stored: %s, %v", text, err)
	}
	if text, err = json.Marshal(c); err == nil {
		err = json.Unmarshal(text, &read)
	}
	if err != nil || read.Assumptions == nil || *read.Assumptions != other {
		t.Errorf("stored: %s, %v", text, err)
	}
	for name, edit := range map[string]func(a *Assumptions){
		"no tail": func(a *Assumptions) { a.TailShare = 0.01 }, "no trials": func(a *Assumptions) { a.MaxTrials = 0 },
		"no spread": func(a *Assumptions) { a.Alike[1].SD = -1 }, "endless": func(a *Assumptions) { a.StrangerTrials = 1 << 30 },
	} {
		bad := DefaultAssumptions
		if edit(&bad); (Options{0.01, 0.5, 0, &bad}).Validate() == nil {
			t.Error(name)
		}
	}
}
