package method_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/method/methodtest"
)

// With fewer atoms than samples a query has a small ridge; what is learned is the same.
func TestFewAtomsHaveARidge(t *testing.T) {
	train := methodtest.Cones(4, 6, 40, 1)
	fit := func(atoms int, few, l2 float64) classify.Parts {
		m := method.DefaultNRDL
		m.Atoms, m.FewL2 = atoms, few
		c := coding.DefaultNonNegative
		c.L2 = l2
		m.Coder = c
		f, err := m.Fit(t.Context(), train, classify.Run{})
		if err != nil {
			t.Fatal(err)
		}
		return f.Parts()
	}
	plain := fit(3, 0, 0)
	for _, c := range []struct {
		atoms           int
		few, own, ridge float64
	}{
		{3, 0, 0, 0},
		{3, 2, 0, 2 * 12.0 / (24 * 24)}, // few_l2·K/N²
		{3, 2, 0.02, 0.02},              // its own is kept
		{0, 2, 0, 0},                    // every sample is an atom
		{6, 2, 0, 0},
	} {
		p := fit(c.atoms, c.few, c.own)
		if l2 := p.Coder.(coding.NonNegative).L2; l2 != c.ridge {
			t.Errorf("%d atoms, few_l2 = %v, l2 = %v: the ridge is %v, want %v", c.atoms, c.few, c.own, l2, c.ridge)
		}
		if c.atoms == 3 && !mat.Equal(p.D, plain.D) {
			t.Errorf("%v: another dictionary is learned", c)
		}
	}
}
