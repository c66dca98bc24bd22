package method_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/method/methodtest"
)

// W₂ minimises f(W) = ‖H − WZ‖² + λ‖W‖², with Z coded by the coder of the model, one sample at a time:
// the gradient is zero, and f grows in random directions.
func TestRefitIsOptimal(t *testing.T) {
	train := methodtest.Cones(5, 8, 30, 3)
	for _, c := range []struct {
		name  string
		m     method.NRDL
		atoms int
	}{{"few atoms", method.DefaultNRDLRefit, 3}, {"all samples", method.DefaultNRDLRefit, 0}} {
		t.Run(c.name, func(t *testing.T) {
			c.m.Atoms = c.atoms
			f, err := c.m.Fit(t.Context(), train, classify.Run{})
			if err != nil {
				t.Fatal(err)
			}
			p := f.Parts()
			w := p.Rule.(classify.Linear).W
			z := oneByOne(t, p, train)
			_, n := z.Dims()
			λ := c.m.Refit * mat.Norm(z, 2) * mat.Norm(z, 2) / float64(n)
			h := mat.NewDense(len(train.Classes), n, nil)
			for j := range n {
				h.Set(slices.Index(p.Classes, train.Classes[train.ClassOf(j)]), j, 1)
			}
			value := func(w mat.Matrix) float64 {
				var e mat.Dense
				e.Mul(w, z)
				e.Sub(h, &e)
				return math.Pow(mat.Norm(&e, 2), 2) + λ*math.Pow(mat.Norm(w, 2), 2)
			}
			var e, gradient, pull mat.Dense // 2(WZ − H)Zᵀ + 2λW
			e.Mul(w, z)
			e.Sub(&e, h)
			gradient.Mul(&e, z.T())
			pull.Scale(λ, w)
			gradient.Add(&gradient, &pull)
			if g, scale := mat.Norm(&gradient, 2), mat.Norm(&pull, 2); !(g <= 1e-8*scale) {
				t.Errorf("the gradient has norm %g beside parts of norm %g", g, scale)
			}
			minimum := value(w)
			rng := rand.New(rand.NewPCG(7, 7))
			for range 20 {
				var near mat.Dense
				near.Apply(func(_, _ int, v float64) float64 { return v + 1e-3*rng.NormFloat64() }, w)
				if v := value(&near); !(v > minimum) {
					t.Errorf("f = %g near W₂, where it is %g", v, minimum)
				}
			}
		})
	}
}

// oneByOne codes the samples of train, at unit norm, over the atoms of p.
func oneByOne(t *testing.T, p classify.Parts, train *classify.Samples) *mat.Dense {
	over, err := p.Coder.Over(coding.Basis{D: p.D, Groups: p.Groups})
	if err != nil {
		t.Fatal(err)
	}
	_, k := p.D.Dims()
	d, n := train.X.Dims()
	z := mat.NewDense(k, n, nil)
	for j := range n {
		x, s := mat.NewDense(d, 1, mat.Col(nil, j, train.X)), mat.NewDense(k, 1, nil)
		x.Scale(1/mat.Norm(x, 2), x)
		if err := over.Code(t.Context(), s, x); err != nil {
			t.Fatal(err)
		}
		z.SetCol(j, mat.Col(nil, 0, s))
	}
	return z
}

// The refit changes neither D nor, where it is 0 or every sample is an atom, W.
func TestRefitChangesWAlone(t *testing.T) {
	train := methodtest.Cones(4, 6, 40, 1)
	fit := func(m method.NRDL, atoms int, refit float64) (d, w *mat.Dense) {
		m.Atoms, m.Refit = atoms, refit
		f, err := m.Fit(t.Context(), train, classify.Run{})
		if err != nil {
			t.Fatal(err)
		}
		p := f.Parts()
		return p.D, p.Rule.(classify.Linear).W
	}
	for _, c := range []struct {
		m       method.NRDL
		atoms   int
		changes bool
	}{
		{method.DefaultNRDL, 3, true},
		{method.DefaultNRDL, 0, false},
		{method.DefaultNRDL, 6, false},
		{method.DefaultNRDLRefit, 0, true},
		{method.DefaultNRDLTest, 3, false},
	} {
		d, w := fit(c.m, c.atoms, 0.4)
		before, iterated := fit(c.m, c.atoms, 0)
		if !mat.Equal(d, before) {
			t.Errorf("%s, %d atoms: the refit changes D", c.m.Name(), c.atoms)
		}
		if changes := !mat.Equal(w, iterated); changes != c.changes {
			t.Errorf("%s, %d atoms: W changes: %v", c.m.Name(), c.atoms, changes)
		}
	}
}
