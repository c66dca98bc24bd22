package lin_test

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
)

func TestQR(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][2]int{{7, 4}, {4, 4}, {4, 7}, {1, 3}, {90, 60}} {
		d, n := size[0], size[1]
		a := mat.NewDense(d, n, nil)
		a.Apply(func(int, int, float64) float64 { return r.NormFloat64() }, a)
		before := mat.DenseCopyOf(a)
		q := lin.FactorQR(a)
		if !mat.Equal(a, before) {
			t.Errorf("%d×%d: changed", d, n)
		}
		if !mat.EqualApprox(q.Q(q.R()), a, 1e-12) {
			t.Errorf("%d×%d: Q·R is not A", d, n)
		}
		m := min(d, n)
		identity := mat.NewDense(m, m, nil)
		lin.AddDiag(identity, 1)
		all, gram := q.Q(identity), mat.NewDense(m, m, nil)
		lin.AtB(gram, 1, all, all)
		if !mat.EqualApprox(gram, identity, 1e-12) {
			t.Errorf("%d×%d: QᵀQ is not I", d, n)
		}
		for i := range m {
			for j := range i {
				if q.R().At(i, j) != 0 {
					t.Errorf("%d×%d: R is not upper triangular", d, n)
				}
			}
		}
		if first := q.Q(lin.Block(identity, 0, 1, 0, 1)); !mat.EqualApprox(first, lin.Cols(all, 0, 1), 1e-14) {
			t.Errorf("%d×%d: Q of the first column", d, n)
		}
	}
}
