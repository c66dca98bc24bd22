package coding_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/coding"
)

// Codes meet the conditions of the printed problem, and without μ are those of
// Lasso. A zero sample has the code zero.
func TestAnchored(t *testing.T) {
	d, y := faces(1, 40, 4, 5, 0.1), faces(2, 40, 4, 3, 0.1)
	for i := range 40 {
		y.Set(i, 11, 0)
	}
	groups, mean := []int{0, 5, 9, 17}, mat.NewDense(1, 20, nil)
	for k := 17; k < 20; k++ {
		mean.Set(0, k, 0.1*float64(k-16))
	}
	c := coding.Anchored{Lambda: 1e-3, Mu: 0.5, Gap: 1e-12, Mean: mean}
	s := codeByClass(t, c, d, groups, y)
	for j := range 12 {
		var rest, q mat.VecDense
		rest.MulVec(d, s.ColView(j))
		rest.SubVec(y.ColView(j), &rest)
		q.MulVec(d.T(), &rest)
		for k := range 20 {
			at, slope := s.At(k, j), -q.AtVec(k)
			if k >= 17 {
				slope += c.Mu * (at - mean.At(0, k))
			}
			bad := math.Abs(slope) - c.Lambda
			if at != 0 {
				bad = math.Abs(slope + math.Copysign(c.Lambda, at))
			}
			if j == 11 {
				bad = math.Abs(at)
			}
			if bad > 1e-6 {
				t.Errorf("column %d: coefficient %d = %v has the slope %v", j, k, at, slope)
			}
		}
	}
	c.Mu = 0
	if !mat.EqualApprox(codeByClass(t, c, d, groups, y), code(t, coding.Lasso{Lambda: 1e-3, Gap: 1e-12}, d, y), 1e-9) {
		t.Error("without μ the code is not Lasso's")
	}
}
