package method

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
)

// An exact code of NSCR has the gradient 0 where a coefficient is above 0, and ≥ 0 where it is 0.
// The gradient is that of the printed problem, by differences, which are exact for a square.
func TestNSCRIsOptimal(t *testing.T) {
	train, probe := drawnSet(t)
	m := NSCR{coding.NonNegative{Solver: coding.Exact, Rho: 0.1, Passes: 1, L1: 0.3, L2: 0.2}}
	model, err := m.Fit(t.Context(), train, classify.Run{})
	if err != nil {
		t.Fatal(err)
	}
	codes, err := model.Transform(t.Context(), probe.X)
	if err != nil {
		t.Fatal(err)
	}
	x, y := model.Parts().D, classify.Unit(probe.X)
	objective := func(s []float64, j int) float64 {
		var rest mat.VecDense
		rest.MulVec(x, mat.NewVecDense(len(s), s))
		rest.SubVec(y.ColView(j), &rest)
		v := mat.Dot(&rest, &rest) // ‖y − X·s‖²
		for _, s := range s {
			v += m.Coder.L2*s*s + m.Coder.L1*s // α‖s‖² + β‖s‖₁, s ≥ 0
		}
		return v
	}
	k, n := codes.Dims()
	zeros := 0
	for j := range n {
		s := mat.Col(nil, j, codes)
		for i := range k {
			const h = 1e-4
			at := s[i]
			s[i] = at + h
			above := objective(s, j)
			s[i] = at - h
			gradient := (above - objective(s, j)) / (2 * h)
			if s[i] = at; at == 0 {
				zeros++
			}
			if at < 0 || gradient < -1e-7 || at > 0 && math.Abs(gradient) > 1e-7 {
				t.Errorf("probe %d: coefficient %d is %v, the gradient %v", j, i, at, gradient)
			}
		}
	}
	if zeros == 0 || zeros == k*n {
		t.Errorf("%d of %d coefficients are 0", zeros, k*n)
	}
}
