package method

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
)

// dplFixture is a state after some passes, with fewer atoms than samples.
func dplFixture(t *testing.T, m DPL, passes int) *dplState {
	t.Helper()
	train := people(t, 4, 6, 15, 0.3, 1)
	atoms, err := atomGroups(train, 4)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newDPLState(m, classify.Unit(train.X), train.Groups, atoms)
	if err != nil {
		t.Fatal(err)
	}
	for range passes {
		if _, err := s.Step(); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// dplObjective is J of class k, from its definition.
func dplObjective(s *dplState, k int, d, p, a *mat.Dense) float64 {
	own, others := mat.DenseCopyOf(lin.Cols(s.X, s.samples[k], s.samples[k+1])), mat.DenseCopyOf(s.X)
	for j := s.samples[k]; j < s.samples[k+1]; j++ {
		for i := range s.X.RawMatrix().Rows {
			others.Set(i, j, 0)
		}
	}
	var rest, codes, px mat.Dense
	rest.Mul(d, a)
	rest.Sub(own, &rest)
	codes.Mul(p, own)
	codes.Sub(&codes, a)
	px.Mul(p, others)
	return lin.SquaredNorm(&rest) + s.Tau*lin.SquaredNorm(&codes) + s.Lambda*lin.SquaredNorm(&px) + s.Gamma*lin.SquaredNorm(p)
}

// pairOf returns D_k and P_k.
func pairOf(s *dplState, k int) (d, p *mat.Dense) {
	all, analysis := s.dictionaries()
	lo, hi := s.atoms[k], s.atoms[k+1]
	return mat.DenseCopyOf(lin.Cols(all, lo, hi)), mat.DenseCopyOf(lin.Cols(analysis, lo, hi).T())
}

// slope is the largest magnitude of the gradient of f, a quadratic, in a.
func slope(a *mat.Dense, f func() float64) (largest float64) {
	m, n := a.Dims()
	for i := range m {
		for j := range n {
			v := a.At(i, j)
			a.Set(i, j, v+0.01)
			up := f()
			a.Set(i, j, v-0.01)
			down := f()
			a.Set(i, j, v)
			largest = max(largest, math.Abs(up-down)/0.02)
		}
	}
	return largest
}

// P and A are the minimisers over each, τ above and below λ; the terms are those
// of the definition.
func TestDPLUpdatesAreStationary(t *testing.T) {
	for _, τ := range []float64{0.05, 0.001} {
		m := DefaultDPL
		m.Tau = τ
		s := dplFixture(t, m, 3)
		for k := range s.pairs {
			pair := &s.pairs[k]
			d, p := pairOf(s, k)
			f := func() float64 { return dplObjective(s, k, d, p, pair.A) }
			if v := slope(pair.A, f); !(v < 1e-9) {
				t.Errorf("class %d: a slope of %g in A", k, v)
			}
			if got, want := pair.j, f(); !(math.Abs(got-want) < 1e-10*want) {
				t.Errorf("class %d: J is %v, not %v", k, got, want)
			}
			pair.updateP()
			_, p = pairOf(s, k)
			if v := slope(p, func() float64 { return dplObjective(s, k, d, p, pair.A) }); !(v < 1e-9) {
				t.Errorf("class %d: a slope of %g in P", k, v)
			}
		}
	}
}

// With many sweeps D is the minimiser: an atom inside the ball has no slope, that
// of one on it points outwards. No sweep raises J, and neither does a pass.
func TestDPLAtoms(t *testing.T) {
	m := DefaultDPL
	m.Sweeps = 1
	s := dplFixture(t, m, 1)
	pair := &s.pairs[0]
	value := func() float64 {
		d, p := pairOf(s, 0)
		return dplObjective(s, 0, d, p, pair.A)
	}
	last := value()
	for range 500 {
		pair.updateD()
		now := value()
		if now > last*(1+1e-12) {
			t.Fatalf("J rises from %v to %v", last, now)
		}
		last = now
	}
	d, _ := pairOf(s, 0)
	x := lin.Cols(s.X, s.samples[0], s.samples[1])
	var rest, gradient mat.Dense
	rest.Mul(d, pair.A)
	rest.Sub(x, &rest)
	gradient.Mul(&rest, pair.A.T()) // −½∇
	onBall := 0
	for i := range pair.A.RawMatrix().Rows {
		atom := d.ColView(i)
		norm := mat.Norm(atom, 2)
		outwards := mat.Dot(atom, gradient.ColView(i)) / norm / norm
		if norm > 1-1e-9 {
			onBall++
		} else {
			outwards = 0
		}
		var off mat.VecDense
		off.AddScaledVec(gradient.ColView(i), -outwards, atom)
		if norm > 1+1e-12 || outwards < -1e-9 || mat.Norm(&off, 2) > 1e-6 {
			t.Errorf("atom %d of norm %v: the slope %g besides %g outwards", i, norm, mat.Norm(&off, 2), outwards)
		}
	}
	if onBall == 0 {
		t.Error("no atom is on the ball")
	}
}

func TestDPLDescends(t *testing.T) {
	s := dplFixture(t, DefaultDPL, 1)
	for range 30 {
		last := s.J
		if _, err := s.Step(); err != nil || s.J > last*(1+1e-12) {
			t.Fatalf("J rises from %v to %v (%v)", last, s.J, err)
		}
		sum := 0.0
		for _, term := range s.Objective() {
			sum += term.Value
		}
		if math.Abs(sum-s.J) > 1e-12*s.J {
			t.Fatalf("the terms add to %v, J is %v", sum, s.J)
		}
	}
}
