package coding_test

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"nrdl.example/nrdl/coding"
)

// TestRidgeNormalEquations: (DᵀD + λI)s = Dᵀy.
func TestRidgeNormalEquations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, k, n := rapid.IntRange(1, 40).Draw(t, "d"), rapid.IntRange(1, 40).Draw(t, "K"), rapid.IntRange(1, 9).Draw(t, "n")
		lambda := rapid.SampledFrom([]float64{0, 1e-6, 1e-3, 1, 100}).Draw(t, "lambda")
		seed := rapid.Uint64().Draw(t, "seed")
		d, y := normal(seed, m, k), normal(seed+1, m, n)
		over, err := coding.Ridge{Lambda: lambda}.Over(coding.Basis{D: d})
		if err != nil {
			t.Fatal(err)
		}
		s := mat.NewDense(k, n, nil)
		if err := over.Code(context.Background(), s, y); err != nil {
			t.Fatal(err)
		}
		if got := ridgeResidual(d, s, y, lambda); !(got <= 1e-10*(1+mat.Norm(s, math.Inf(1)))) && (lambda > 0 || m >= k+5) {
			t.Errorf("normal equations are violated by %g", got)
		}
	})
}

// ridgeResidual returns ‖Dᵀ(Ds − y) + λs‖∞.
func ridgeResidual(d, s, y *mat.Dense, lambda float64) float64 {
	var rest, g, ls mat.Dense
	rest.Mul(d, s)
	rest.Sub(&rest, y)
	g.Mul(d.T(), &rest)
	ls.Scale(lambda, s)
	g.Add(&g, &ls)
	return max(mat.Max(&g), -mat.Min(&g))
}

// TestRidgeOfSingularGram: with λ = 0 and dependent atoms the code is still
// finite and rebuilds as well as any.
func TestRidgeOfSingularGram(t *testing.T) {
	d := normal(3, 20, 12)
	for i := range 20 {
		d.Set(i, 7, d.At(i, 2))
		d.Set(i, 9, d.At(i, 1)-2*d.At(i, 4))
	}
	y := normal(4, 20, 5)
	s := code(t, coding.Ridge{}, d, y)
	if got := ridgeResidual(d, s, y, 0); !(got <= 1e-8) {
		t.Errorf("normal equations are violated by %g", got)
	}
	if wide := code(t, coding.Ridge{}, normal(5, 6, 30), normal(6, 6, 3)); !(mat.Norm(wide, 2) < 1e6) {
		t.Errorf("K > d: codes of norm %g", mat.Norm(wide, 2))
	}
}

// TestRidgeShrinks: the larger λ, the shorter the code.
func TestRidgeShrinks(t *testing.T) {
	d, y := faces(12, 50, 4, 5, 0.02), faces(13, 50, 4, 1, 0.02)
	last := math.Inf(1)
	for _, lambda := range []float64{1e-4, 1e-2, 1, 100} {
		norm := mat.Norm(code(t, coding.Ridge{Lambda: lambda}, d, y), 2)
		if norm >= last {
			t.Errorf("λ = %g: codes of norm %g, with less λ %g", lambda, norm, last)
		}
		last = norm
	}
}
