package method

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
)

// The classifier satisfies the normal equations of ridge regression.
func TestClassifierIsRidgeRegression(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	s := mat.NewDense(5, 9, nil)
	s.Apply(func(int, int, float64) float64 { return r.NormFloat64() }, s)
	w, err := classifier(s, []int{0, 2, 5, 9}, 0.3)
	if err != nil {
		t.Fatal(err)
	}
	e := mat.NewDense(3, 9, nil) // WS − H
	e.Mul(w, s)
	for j, c := range []int{0, 0, 1, 1, 1, 2, 2, 2, 2} {
		e.Set(c, j, e.At(c, j)-1)
	}
	g := mat.NewDense(3, 5, nil) // (WS − H)Sᵀ + λW
	lin.ABt(g, 1, e, s)
	lin.Add(g, 0.3, w)
	if v := lin.MaxAbs(g); v > 1e-12 {
		t.Errorf("gradient %v", v)
	}
}
