package lin_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"nrdl.example/nrdl/internal/lin"
)

func gaussian(seed uint64, m, n int) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 5))
	a := mat.NewDense(m, n, nil)
	for i := range m {
		for j := range n {
			a.Set(i, j, rng.NormFloat64())
		}
	}
	return a
}

// definite returns a positive definite matrix, and a copy whose lower triangle
// holds NaN.
func definite(seed uint64, n int) (a, upper *mat.Dense) {
	x := gaussian(seed, n+3, n)
	a = mat.NewDense(n, n, nil)
	a.Mul(x.T(), x)
	upper = mat.DenseCopyOf(a)
	for i := range n {
		for j := range i {
			upper.Set(i, j, math.NaN())
		}
	}
	return a, upper
}

// inWide copies a into the middle of a matrix of NaN and returns the view.
func inWide(a *mat.Dense) *mat.Dense {
	m, n := a.Dims()
	w := mat.NewDense(m+2, n+3, nil)
	for i := range m + 2 {
		for j := range n + 3 {
			w.Set(i, j, math.NaN())
		}
	}
	v := w.Slice(1, m+1, 2, n+2).(*mat.Dense)
	v.Copy(a)
	return v
}

func TestSPDSolves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(1, 90).Draw(t, "n"), rapid.IntRange(1, 40).Draw(t, "m")
		seed := rapid.Uint64().Draw(t, "seed")
		a, upper := definite(seed, n)
		var s lin.SPD
		if err := s.Factor(inWide(upper)); err != nil {
			t.Fatal(err)
		}
		want := gaussian(seed+1, n, m)
		var b mat.Dense
		b.Mul(a, want)
		got := inWide(&b)
		s.Solve(got)
		tol := 1e-13 * mat.Cond(a, 2) * (1 + mat.Norm(want, 2))
		if !mat.EqualApprox(got, want, tol) {
			t.Fatal("A·Solve(B) is not B")
		}
		wantT := mat.DenseCopyOf(want.T())
		var c mat.Dense
		c.Mul(wantT, a)
		got = inWide(&c)
		s.SolveRight(got)
		if !mat.EqualApprox(got, wantT, tol) {
			t.Fatal("SolveRight(B)·A is not B")
		}
	})
}

func TestSPDRefuses(t *testing.T) {
	for name, a := range map[string]*mat.Dense{
		"indefinite": mat.NewDense(2, 2, []float64{1, 2, 2, 1}),
		"negative":   mat.NewDense(1, 1, []float64{-1}),
		"zero":       mat.NewDense(2, 2, nil),
		"NaN":        mat.NewDense(2, 2, []float64{1, 0, 0, math.NaN()}),
		"NaN beside": mat.NewDense(2, 2, []float64{1, math.NaN(), math.NaN(), 1}),
		"infinite":   mat.NewDense(1, 1, []float64{math.Inf(1)}),
	} {
		if err := new(lin.SPD).Factor(a); !errors.Is(err, lin.ErrNotPositiveDefinite) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSPDFactorsAgainAfterAFailure(t *testing.T) {
	var s lin.SPD
	if s.Factor(mat.NewDense(3, 3, nil)) == nil {
		t.Fatal("zero was factored")
	}
	a, upper := definite(1, 2)
	if err := s.Factor(upper); err != nil {
		t.Fatal(err)
	}
	b := mat.DenseCopyOf(a)
	s.Solve(b)
	if !mat.EqualApprox(b, mat.NewDense(2, 2, []float64{1, 0, 0, 1}), 1e-12) {
		t.Errorf("A⁻¹A = %v", mat.Formatted(b))
	}
}

func TestFactorOrRidge(t *testing.T) {
	var s lin.SPD
	_, upper := definite(2, 8)
	if ridge, err := s.FactorOrRidge(upper); ridge != 0 || err != nil {
		t.Errorf("a positive definite matrix got the ridge %g, %v", ridge, err)
	}
	for rank := 1; rank <= 7; rank++ {
		x := gaussian(uint64(rank), rank, 8)
		var a mat.Dense
		a.Mul(x.T(), x)
		a.Scale(1e3, &a)
		ridge, err := s.FactorOrRidge(&a)
		if err != nil || ridge > 2e-10*mat.Trace(&a)/8 {
			t.Errorf("rank %d: ridge %g of %g, %v", rank, ridge, mat.Trace(&a)/8, err)
		}
		b := mat.DenseCopyOf(&a)
		s.Solve(b)
		if !(mat.Norm(b, 1) < 10) {
			t.Errorf("rank %d: ‖A⁻¹A‖ = %g", rank, mat.Norm(b, 1))
		}
	}
	if ridge, err := s.FactorOrRidge(mat.NewDense(3, 3, nil)); ridge != 1 || err != nil {
		t.Errorf("zero got the ridge %g, %v", ridge, err)
	}
	b := gaussian(4, 3, 2)
	got := mat.DenseCopyOf(b)
	s.Solve(got)
	if !mat.Equal(got, b) {
		t.Error("solving with zero changes the right-hand side")
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		a := mat.NewDense(2, 2, []float64{1, bad, 0, 1})
		if _, err := s.FactorOrRidge(a); !errors.Is(err, lin.ErrNotFinite) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	if _, err := s.FactorOrRidge(mat.NewDense(2, 2, []float64{1, 1e9, 1e9, 1})); !errors.Is(err, lin.ErrNotPositiveDefinite) {
		t.Errorf("far from semi-definite: %v", err)
	}
}

// ε is 0 for a well-conditioned matrix, what the comment says for a singular one,
// continuous in between, and enough to solve.
func TestFactorProximal(t *testing.T) {
	const m = 7.0 // mean of the diagonal
	var s lin.SPD
	factor := func(p float64) float64 { // the least pivot is p·m
		a := mat.NewDense(3, 3, []float64{m, 0, m, 0, m, 0, 0, 0, m + p*m})
		ε, err := s.FactorProximal(a, 1e-5)
		if err != nil {
			t.Fatal(err)
		}
		if ε < 0 || ε > 0 && p > 1.01e-6 {
			t.Errorf("pivot %g: ε = %g", p, ε)
		}
		b := mat.NewDense(3, 1, []float64{1, 0, -1})
		s.Solve(b)
		// e₁ − e₃ is nearly an eigenvector with the eigenvalue p·m/2: (a + εI)⁻¹ is near
		// 1/(p·m/2 + ε) there.
		if v := b.At(0, 0) * (p*m/2 + ε); ε > 0 && math.Abs(v-1) > 0.05 {
			t.Errorf("pivot %g: the solution is %g of what it should be", p, v)
		}
		return ε
	}
	if ε := factor(0); math.Abs(ε-1e-5*m) > 1e-9 {
		t.Errorf("singular: ε = %g", ε)
	}
	if ε := factor(0.5e-6); math.Abs(ε-0.5e-5*m) > 1e-8 {
		t.Errorf("half the limit: ε = %g", ε)
	}
	if ε := factor(2e-6); ε != 0 {
		t.Errorf("twice the limit: ε = %g", ε)
	}
	last := factor(0)
	for p := 0.0; p < 1.2e-6; p += 1e-9 {
		ε := factor(p)
		if math.Abs(ε-last) > 3e-8*m {
			t.Errorf("ε jumps from %g to %g at %g", last, ε, p)
		}
		last = ε
	}
	if ε, err := s.FactorProximal(mat.NewDense(3, 3, nil), 1e-5); ε != 1 || err != nil {
		t.Errorf("zero got ε = %g, %v", ε, err)
	}
	if _, err := s.FactorProximal(mat.NewDense(2, 2, []float64{1, math.NaN(), 0, 1}), 1e-5); !errors.Is(err, lin.ErrNotFinite) {
		t.Errorf("not a number: %v", err)
	}
	if _, err := s.FactorProximal(mat.NewDense(2, 2, []float64{1, 1e9, 1e9, 1}), 1e-5); !errors.Is(err, lin.ErrNotPositiveDefinite) {
		t.Errorf("far from semi-definite: %v", err)
	}
}

func TestSPDPanics(t *testing.T) {
	var s lin.SPD
	_, upper := definite(3, 3)
	if err := s.Factor(upper); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func(){
		"Factor":     func() { _ = s.Factor(gaussian(1, 2, 3)) },
		"Solve":      func() { s.Solve(gaussian(1, 2, 3)) },
		"SolveRight": func() { s.SolveRight(gaussian(1, 3, 2)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s of the wrong shape does not panic", name)
				}
			}()
			f()
		}()
	}
}

// raced is whether the race detector is on, under which sync.Pool forgets.
var raced bool

func TestSPDAllocatesNothing(t *testing.T) {
	if raced {
		t.Skip("the race detector allocates")
	}
	var s lin.SPD
	_, upper := definite(4, 60)
	b := gaussian(1, 60, 20)
	run := func() {
		if err := s.Factor(upper); err != nil {
			t.Fatal(err)
		}
		s.Solve(b)
	}
	run()
	if n := testing.AllocsPerRun(10, run); n > 0 {
		t.Errorf("%v allocations a factorisation", n)
	}
}
