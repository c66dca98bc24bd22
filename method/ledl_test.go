package method

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
)

// Every pass lowers the objective; at the end neither codes nor atoms can be changed for the
// better: small changes of each, and of A with a row for each atom, raise J.
func TestLEDLDescends(t *testing.T) {
	train, _ := drawnSet(t)
	m := DefaultLEDL
	m.Atoms, m.Passes, m.Tol = 3, 3000, 1e-12
	s := newLEDLState(m, classify.Unit(train.X), train.Groups, []int{0, 3, 6, 9, 12})
	last := s.J
	for range 3000 {
		if _, err := s.Step(); err != nil {
			t.Fatal(err)
		}
		if s.J > last*(1+1e-12) {
			t.Fatalf("the objective rises from %v to %v", last, s.J)
		}
		last = s.J
	}
	if terms := sumOf(s); math.Abs(terms-last) > 1e-12*last {
		t.Errorf("the objective is %v, its terms add to %v", last, terms)
	}
	for name, v := range map[string]*mat.Dense{"D": s.D, "W": s.W, "A": s.A, "S": s.S} {
		r, c := v.Dims()
		for i := range r {
			for k := range c {
				was := mat.DenseCopyOf(v)
				for _, δ := range []float64{1e-4, -1e-4} {
					v.Set(i, k, v.At(i, k)+δ)
					if name != "S" {
						onBall(v)
					}
					if j := sumOf(s); j < last-1e-8 {
						t.Errorf("%s: a change of element %d, %d lowers the objective by %v", name, i, k, last-j)
					}
					lin.Set(v, 1, was)
				}
			}
		}
		norms := make([]float64, c)
		if lin.SquaredColumnNorms(norms, v); name != "S" {
			for _, n := range norms {
				if math.Sqrt(n) > 1+1e-12 {
					t.Errorf("%s: a column has the norm %v", name, math.Sqrt(n))
				}
			}
		}
	}
}
