package coding_test

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"nrdl.example/nrdl/coding"
)

// naiveADMM is the algorithm as [nrc] prints it, for one column.
func naiveADMM(d *mat.Dense, y *mat.VecDense, rho float64, passes int) []float64 {
	_, k := d.Dims()
	var a, inv mat.Dense
	a.Mul(d.T(), d)
	for i := range k {
		a.Set(i, i, a.At(i, i)+rho/2)
	}
	if err := inv.Inverse(&a); err != nil {
		panic(err)
	}
	var f, c mat.VecDense
	f.MulVec(d.T(), y)
	z, delta, right := mat.NewVecDense(k, nil), mat.NewVecDense(k, nil), mat.NewVecDense(k, nil)
	for range passes {
		for i := range k {
			right.SetVec(i, f.AtVec(i)+rho/2*z.AtVec(i)+delta.AtVec(i)/2)
		}
		c.MulVec(&inv, right)
		for i := range k {
			z.SetVec(i, math.Max(0, c.AtVec(i)-delta.AtVec(i)/rho))
			delta.SetVec(i, delta.AtVec(i)+rho*(z.AtVec(i)-c.AtVec(i)))
		}
	}
	return z.RawVector().Data
}

func TestADMMIsThePrintedAlgorithm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, k := rapid.IntRange(1, 30).Draw(t, "d"), rapid.IntRange(1, 30).Draw(t, "K")
		rho := rapid.SampledFrom([]float64{0.01, 0.1, 1, 10}).Draw(t, "rho")
		passes := rapid.IntRange(1, 25).Draw(t, "passes")
		seed := rapid.Uint64().Draw(t, "seed")
		d, y := unitColumns(normal(seed, m, k)), normal(seed+1, m, 4)
		over, err := coding.NonNegative{Solver: coding.ADMM, Rho: rho, Passes: passes}.Over(coding.Basis{D: d})
		if err != nil {
			t.Fatal(err)
		}
		s := mat.NewDense(k, 4, nil)
		if err := over.Code(context.Background(), s, y); err != nil {
			t.Fatal(err)
		}
		for j := range 4 {
			for i, want := range naiveADMM(d, mat.VecDenseCopyOf(y.ColView(j)), rho, passes) {
				if got := s.At(i, j); !(math.Abs(got-want) <= 1e-10*max(1, math.Abs(want))) || got < 0 {
					t.Fatalf("element (%d, %d) is %v, want %v", i, j, got, want)
				}
			}
		}
	})
}

func TestADMMConvergesToExact(t *testing.T) {
	d, y := normal(20, 40, 25), normal(21, 40, 30)
	want := code(t, coding.DefaultNonNegative, d, y)
	got := code(t, coding.NonNegative{Solver: coding.ADMM, Rho: 20, Passes: 3000}, d, y)
	if !mat.EqualApprox(got, want, 1e-9) {
		var diff mat.Dense
		diff.Sub(got, want)
		t.Errorf("3000 passes end at a distance of %g", mat.Norm(&diff, 2))
	}
}
