package method

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
)

// Samples in any order, under any names, come in one order; reordered puts the
// classes back.
func TestOrderedDependsOnPixelsAlone(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(6, 12, nil)
	x.Apply(func(int, int, float64) float64 { return r.NormFloat64() }, x)
	labels := []string{"a", "b", "c", "a", "b", "a", "c", "c", "a", "a", "b", "c"}
	names := map[string]string{"a": "z", "b": "y", "c": "m"}
	perm := r.Perm(12)
	moved, renamed := mat.NewDense(6, 12, nil), make([]string, 12)
	for to, from := range perm {
		for i := range 6 {
			moved.Set(i, to, 4*x.At(i, from))
		}
		renamed[to] = names[labels[from]]
	}
	a, err := classify.NewSamples(x, labels, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := classify.NewSamples(moved, renamed, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	oa, _ := ordered(a)
	ob, _ := ordered(b)
	if !mat.Equal(classify.Unit(oa.X), classify.Unit(ob.X)) || !slices.Equal(oa.Groups, ob.Groups) {
		t.Error("the order depends on names, scale or places")
	}
	for c, name := range oa.Classes {
		if ob.Classes[c] != names[name] {
			t.Errorf("class %d is %s and %s", c, name, ob.Classes[c])
		}
	}
	w, m := mat.NewDense(3, 12, nil), mat.NewDense(12, 3, nil)
	for j := range 12 {
		w.Set(oa.ClassOf(j), j, oa.X.At(0, j))
		m.Set(j, oa.ClassOf(j), oa.X.At(0, j))
	}
	for _, rule := range []classify.Rule{classify.Linear{W: w}, classify.Fisher{M: m, Weight: 0.3}} {
		q := reordered(classify.Parts{D: oa.X, Groups: oa.Groups, Rule: rule}, oa.Classes, a.Classes)
		if !slices.Equal(q.Groups, a.Groups) {
			t.Errorf("groups %v, want %v", q.Groups, a.Groups)
		}
		for j := range 12 {
			var got float64
			switch c := a.ClassOf(j); r := q.Rule.(type) {
			case classify.Linear:
				got = r.W.At(c, j)
			case classify.Fisher:
				got = r.M.At(j, c)
				if r.Weight != 0.3 {
					t.Errorf("weight %v, want 0.3", r.Weight)
				}
			}
			if got != q.D.At(0, j) {
				t.Errorf("%s: atom %d lost its class", rule.Name(), j)
			}
		}
	}
}
