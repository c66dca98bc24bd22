package method

import (
	"context"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/internal/lin"
)

// With nothing replaced the scores are those of NRDL; with both replaced they are
// those of NRC with NRDL's coder; with one replaced they are neither.
func TestAblationKeepsOneOfTwoParts(t *testing.T) {
	train := hard(rand.New(rand.NewPCG(41, 1)), 30, 0.5, 4, 5, 3)
	probe := hard(rand.New(rand.NewPCG(42, 1)), 30, 0.5, 6, 6, 6)
	scores := func(m classify.Method) *mat.Dense {
		got, err := fitted(t, m, train, nil).Scores(context.Background(), probe.X)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	keep := func(samples, residual bool) *mat.Dense {
		return scores(NRDLAblation{NRDL: DefaultNRDL, Samples: samples, Residual: residual})
	}
	nrc := DefaultNRC
	nrc.Coder = coding.DefaultNonNegative
	if diff := lin.MaxAbsDiff(keep(false, false), scores(DefaultNRDL)); diff != 0 {
		t.Errorf("nothing replaced: scores differ from NRDL's by %g", diff)
	}
	if diff := lin.MaxAbsDiff(keep(true, true), scores(nrc)); diff > 1e-8 {
		t.Errorf("all replaced: scores differ from NRC's by %g", diff)
	}
	if diff := lin.MaxAbsDiff(keep(true, false), scores(DefaultNRDL)); diff < 1e-6 {
		t.Error("coding over the samples instead of D changes nothing")
	}
	if diff := lin.MaxAbsDiff(keep(false, true), scores(nrc)); diff < 1e-6 {
		t.Error("D with the residual rule is no different from the samples")
	}
}
