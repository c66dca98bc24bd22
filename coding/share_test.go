package coding

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Codings that share DᵀD code as those that do not, bit for bit, and it is
// made once.
func TestShare(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(r, c int) *mat.Dense {
		m := mat.NewDense(r, c, nil)
		m.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, m)
		return m
	}
	d, y := random(20, 12), random(20, 5)
	groups := []int{0, 4, 8, 12}
	codes := func(c Coder) *mat.Dense {
		coding, err := c.Over(d, groups)
		if err != nil {
			t.Fatal(err)
		}
		s := mat.NewDense(12, 5, nil)
		if err := coding.Code(t.Context(), s, y); err != nil {
			t.Fatal(err)
		}
		return s
	}
	stopped := DefaultNonNegative
	stopped.Solver = ADMM
	for _, c := range []Coder{DefaultNonNegative, stopped, DefaultRidge, DefaultDiscriminative, DefaultLasso, DefaultOMP} {
		if o, ok := c.(OMP); ok {
			o.Sparsity = 4
			c = o
		}
		alone := codes(c)
		release := Share(d)
		together := codes(c)
		made, ok := shared.Load(d)
		if !ok {
			t.Fatalf("%s: nothing is shared", c.Name())
		}
		if first, second := made.(func() *mat.Dense)(), made.(func() *mat.Dense)(); first != second {
			t.Errorf("%s: DᵀD is made twice", c.Name())
		}
		release()
		if _, ok := shared.Load(d); ok {
			t.Errorf("%s: DᵀD is kept after release", c.Name())
		}
		if !mat.Equal(alone, together) {
			t.Errorf("%s: other codes with DᵀD shared", c.Name())
		}
	}
}
