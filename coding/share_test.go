package coding

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Coders over a shared dictionary code as those over one of their own, bit for
// bit, and take DᵀD from it: they do not see that D has changed.
func TestShare(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(r, c int) *mat.Dense {
		m := mat.NewDense(r, c, nil)
		m.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, m)
		for j := range c {
			col := m.ColView(j).(*mat.VecDense)
			col.ScaleVec(1/mat.Norm(col, 2), col)
		}
		return m
	}
	d, y := random(20, 12), random(20, 5)
	before, groups := mat.DenseCopyOf(d), []int{0, 4, 8, 12}
	stopped, omp := DefaultNonNegative, DefaultOMP
	stopped.Solver, omp.Sparsity = ADMM, 4
	for _, c := range []Coder{
		DefaultNonNegative, stopped, DefaultRidge, DefaultDiscriminative,
		DefaultLasso, omp, DefaultRobust, DefaultPerClass,
	} {
		codes := func(coding Coding, err error) *mat.Dense {
			t.Helper()
			s := mat.NewDense(12, 5, nil)
			if err == nil {
				err = coding.Code(t.Context(), s, y)
			}
			if err != nil {
				t.Fatalf("%s: %v", c.Name(), err)
			}
			return s
		}
		shared := Share(d)
		if !mat.Equal(codes(c.Over(Basis{D: d, Groups: groups})), codes(c.Over(shared.Basis(groups)))) {
			t.Errorf("%s: other codes with DᵀD shared", c.Name())
		}
		d.Scale(1.1, d)
		first, second := codes(c.Over(shared.Basis(groups))), codes(c.Over(shared.Basis(groups)))
		if sees := mat.Equal(first, codes(c.Over(Basis{D: d, Groups: groups}))); sees != (c == DefaultPerClass) { // which has no DᵀD
			t.Errorf("%s: it sees that D has changed: %v", c.Name(), sees)
		}
		if !mat.Equal(first, second) {
			t.Errorf("%s: DᵀD is made twice", c.Name())
		}
		d.Copy(before)
	}
}
