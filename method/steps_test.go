package method_test

import (
	"testing"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/method/methodtest"
)

// The codes of a fit are a start of the next one in the same order.
func TestGoesOnFromAFit(t *testing.T) {
	train := methodtest.Cones(4, 6, 40, 1)
	x, y := train.X, make([]string, train.Len())
	for j := range y {
		y[j] = train.Classes[train.ClassOf(j)]
	}
	m := method.DefaultFDDL
	m.Passes = 8
	fit, err := classify.Learn(t.Context(), x, y, m, classify.LearnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o := classify.LearnOptions{Start: classify.Start{D: fit.D, S: fit.S}}
	next, err := classify.Learn(t.Context(), x, y, m, o)
	if err != nil {
		t.Fatal(err)
	}
	if end := fit.Objective[7]; next.Objective[0] > end*(1+1e-9) || fit.Objective[0] <= end {
		t.Errorf("the first fit goes from %v to %v, the next one begins with %v", fit.Objective[0], end, next.Objective[0])
	}
}
