package method_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/method/methodtest"
)

// With fewer atoms than samples a query has a small ridge over atoms at norm 1, which
// rebuild what those of the iteration do; what is learned is the same.
func TestFewAtomsHaveARidge(t *testing.T) {
	train := methodtest.Cones(4, 6, 40, 1)
	var y []string
	for _, c := range train.Labels() {
		y = append(y, train.Classes[c])
	}
	fit := func(atoms int, few, l2 float64) *classify.Fit {
		m := method.DefaultNRDL
		m.Atoms, m.FewL2 = atoms, few
		c := coding.DefaultNonNegative
		c.L2 = l2
		m.Coder = c
		f, err := classify.Learn(t.Context(), train.X, y, m, classify.LearnOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	ridge := func(f *classify.Fit) float64 { return f.Classifier.Parts().Coder.(coding.NonNegative).L2 }
	plain, few := fit(3, 0, 0), fit(3, 0.005, 0)
	if ridge(plain) != 0 || ridge(few) != 0.005 {
		t.Errorf("ridges %v and %v", ridge(plain), ridge(few))
	}
	_, k := few.D.Dims()
	for j := range k {
		if n := mat.Norm(few.D.ColView(j), 2); math.Abs(n-1) > 1e-12 {
			t.Errorf("atom %d has the norm %v", j, n)
		}
	}
	for _, of := range []func(*classify.Fit) *mat.Dense{func(f *classify.Fit) *mat.Dense { return f.D }, func(f *classify.Fit) *mat.Dense { return f.W }} {
		var want, got mat.Dense
		want.Mul(of(plain), plain.S)
		got.Mul(of(few), few.S)
		if d := lin.MaxAbsDiff(&want, &got); d > 1e-12 {
			t.Errorf("what the codes rebuild differs by %v", d)
		}
	}
	if own := fit(3, 0.005, 0.02); ridge(own) != 0.02 || !mat.Equal(own.D, plain.D) {
		t.Errorf("a ridge that is given becomes %v", ridge(own))
	}
	for _, atoms := range []int{0, 6} { // every sample is an atom
		if all := fit(atoms, 0.005, 0); ridge(all) != 0 || !mat.Equal(all.D, fit(atoms, 0, 0).D) {
			t.Errorf("atoms = %d: ridge %v", atoms, ridge(all))
		}
	}
}
