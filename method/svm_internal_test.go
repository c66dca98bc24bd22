package method

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The dual value is that of the primal problem: nothing is better.
func TestSVMIsOptimal(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, d, from, to = 40, 7, 5, 20
	x := mat.NewDense(d, n, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, x)
	k := mat.NewDense(n, n, nil)
	symmetricOf(k, x)
	for _, c := range []float64{0.01, 1, 30} {
		a := make([]float64, n)
		b, err := newSVMDual(SVM{C: c, Tol: 1e-9}, k, a, from, to).solve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		w := make([]float64, d)
		var balance, norm, hinge, sum float64
		label := func(j int) float64 {
			if from <= j && j < to {
				return 1
			}
			return -1
		}
		for j, v := range a {
			if v*label(j) < 0 || v*label(j) > c {
				t.Errorf("C = %v: the multiplier %v is not in its bounds", c, v)
			}
			for i := range d {
				w[i] += v * x.At(i, j)
			}
			balance, sum = balance+v, sum+v*label(j)
		}
		for _, v := range w {
			norm += v * v
		}
		for j := range n {
			f := b
			for i := range d {
				f += w[i] * x.At(i, j)
			}
			hinge += max(0, 1-label(j)*f)
		}
		primal, dual := norm/2+c*hinge, sum-norm/2
		if balance > 1e-12*c*n || balance < -1e-12*c*n || primal-dual > 1e-7*primal || dual > primal*(1+1e-9) {
			t.Errorf("C = %v: the primal value is %v, the dual one %v; the multipliers have the sum %v", c, primal, dual, balance)
		}
	}
}
