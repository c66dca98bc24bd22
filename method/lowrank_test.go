package method

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
)

// drawnRankProblem is one whose minimum has atoms inside and on their balls, and a
// lower rank than atoms for a large α.
func drawnRankProblem(α float64) (p rankProblem, d *mat.Dense) {
	r := rand.New(rand.NewPCG(1, 2))
	draw := func(m, n int) *mat.Dense {
		a := mat.NewDense(m, n, nil)
		a.Apply(func(int, int, float64) float64 { return r.NormFloat64() }, a)
		return a
	}
	s, x := draw(5, 9), draw(12, 9)
	p = rankProblem{E: mat.NewDense(12, 5, nil), F: mat.NewDense(5, 5, nil), α: α}
	lin.ABt(p.E, 0.7, x, s)
	symmetric(p.F, s)
	return p, classify.Unit(draw(12, 5))
}

// With many steps f is the minimum: no feasible point nearby, nor any random one,
// has a lower value. With few steps f never rises.
func TestRankProblem(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, α := range []float64{0, 0.5, 3} {
		p, d := drawnRankProblem(α)
		last := p.value(d)
		for range 5 {
			p.solve(d, 2)
			if now := p.value(d); now > last {
				t.Errorf("α = %v: f rises from %v to %v", α, last, now)
			} else {
				last = now
			}
		}
		p.solve(d, 3000)
		smallest := p.value(d)
		if smallest > last {
			t.Errorf("α = %v: f rises from %v to %v", α, last, smallest)
		}
		for i := range 3000 {
			to := mat.DenseCopyOf(d)
			size := math.Pow(10, -float64(i%6))
			to.Apply(func(_, _ int, v float64) float64 { return v + size*r.NormFloat64() }, to)
			onBall(to)
			if v := p.value(to); v < smallest-1e-6 {
				t.Fatalf("α = %v: f is %v, and %v nearby", α, smallest, v)
			}
		}
		if _, σ := lin.Spectrum(d); α == 3 && σ[0] > 1e-6 {
			t.Errorf("singular values %v are not of low rank", σ)
		}
	}
}

// shrinkRank is the proximal map of t‖·‖_*: A − J has singular values of at most t,
// which are t where J has a direction; for few columns and many, and t below, among and
// above the singular values.
func TestShrinkRank(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][2]int{{12, 5}, {90, 70}, {70, 70}, {60, 70}} {
		a := mat.NewDense(size[0], size[1], nil)
		a.Apply(func(int, int, float64) float64 { return r.NormFloat64() }, a)
		_, σ := lin.Spectrum(a)
		largest := σ[len(σ)-1]
		for _, by := range []float64{σ[0] / 2, σ[0] * 0.999, largest / 3, 1.001 * largest} {
			if !(by > 1e-6) {
				continue // fewer rows than columns
			}
			j, rest := mat.NewDense(size[0], size[1], nil), mat.NewDense(size[0], size[1], nil)
			shrinkRank(j, a, by)
			rest.Sub(a, j)
			if _, left := lin.Spectrum(rest); left[len(left)-1] > by*(1+1e-9) {
				t.Errorf("%v by %v: a singular value of %v is left", size, by, left[len(left)-1])
			}
			got, want := inner(rest, j), by*nuclear(j)
			if math.Abs(got-want) > 1e-7*max(1, want) || (want == 0) != (by > largest) {
				t.Errorf("%v by %v: ⟨A − J, J⟩ is %v, not t‖J‖_* = %v", size, by, got, want)
			}
		}
	}
}

// sumOf adds the terms.
func sumOf(s classify.Stepper) (sum float64) {
	for _, term := range s.Objective() {
		sum += term.Value
	}
	return sum
}

// J, of terms from their definitions, falls in every pass; α = 0 has no rank term and
// β = 0 no error. No E near the result has a lower J.
func TestD2L2R2Descends(t *testing.T) {
	train := people(t, 4, 6, 15, 0.3, 1)
	rng := rand.New(rand.NewPCG(1, 1))
	for _, weights := range [][2]float64{{0, 0}, {0.01, 0}, {1, 0}, {0.1, 0.5}, {0, 0.3}} {
		m := DefaultD2L2R2
		m.Alpha, m.Beta, m.Atoms = weights[0], weights[1], 3
		atoms, err := atomGroups(train, m.Atoms)
		if err != nil {
			t.Fatal(err)
		}
		x := classify.Unit(train.X)
		f, err := newFDDLState(m.FDDL, x, train.Groups, atoms)
		if err != nil {
			t.Fatal(err)
		}
		s := m.over(f)
		for range 10 {
			last := sumOf(s)
			if math.Abs(last-(s.J+s.more())) > 1e-9*last {
				t.Fatalf("J is %v, its terms add to %v", s.J+s.more(), last)
			}
			fell, err := s.Step()
			now := sumOf(s)
			if err != nil || now > last*(1+1e-9) || math.Abs(fell-(last-now)/last) > 1e-9 {
				t.Errorf("α, β = %v: J goes from %v to %v, by %v (%v)", weights, last, now, fell, err)
			}
		}
		none, kept := 0, mat.DenseCopyOf(s.X)
		smallest := sumOf(s)
		for j := range s.S.RawMatrix().Cols {
			if mat.Equal(kept.ColView(j), x.ColView(j)) {
				none++
			}
			if m.Beta == 0 {
				continue
			}
			for _, step := range []float64{1e-4, 0.1} {
				for i := range kept.RawMatrix().Rows {
					s.X.Set(i, j, kept.At(i, j)+step*rng.NormFloat64())
				}
				if found := sumOf(s); found < smallest-1e-12 {
					t.Errorf("α, β = %v, sample %d: J is %v at another E, %v at the result", weights, j, found, smallest)
				}
			}
			for i := range kept.RawMatrix().Rows {
				s.X.Set(i, j, kept.At(i, j))
			}
		}
		if all := kept.RawMatrix().Cols; m.Beta == 0 && none < all || m.Beta > 0 && (none == 0 || none == all) {
			t.Errorf("α, β = %v: %d of %d samples have no error", weights, none, all)
		}
	}
}

func lrsdlFixture(t *testing.T, m LRSDL) *lrsdlState {
	t.Helper()
	train := people(t, 3, 5, 12, 0.3, 1)
	atoms, err := atomGroups(train, 3)
	if err != nil {
		t.Fatal(err)
	}
	m.Common = 2
	s, err := newLRSDLState(m, classify.Unit(train.X), train.Groups, atoms)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// lrsdlObjective is J from its definition, class by class.
func lrsdlObjective(m LRSDL, s *lrsdlState) float64 {
	sum := m.Lambda1*(absSum(s.S)+absSum(s.S0)) + m.Lambda2/2*(s.fisher()+spread(s.S0)) + m.Eta*nuclear(s.D0)
	for i := range len(s.samples) - 1 {
		a0, a1, j0, j1 := s.block(i)
		x := mat.DenseCopyOf(lin.Cols(s.Y, j0, j1))
		lin.AddAB(x, -1, s.D0, lin.Cols(s.S0, j0, j1))
		sum += squaredError(x, s.D, lin.Cols(s.S, j0, j1)) / 2
		sum += squaredError(x, lin.Cols(s.D, a0, a1), lin.Block(s.S, a0, a1, j0, j1)) / 2
		for j := range len(s.samples) - 1 {
			if b0, b1, _, _ := s.block(j); j != i {
				var product mat.Dense
				product.Mul(lin.Cols(s.D, b0, b1), lin.Block(s.S, b0, b1, j0, j1))
				sum += lin.SquaredNorm(&product) / 2
			}
		}
	}
	return sum
}

// The terms are those of the definition, and no update raises J.
func TestLRSDLDescends(t *testing.T) {
	m := DefaultLRSDL
	s := lrsdlFixture(t, m)
	for range 10 {
		last := lrsdlObjective(m, s)
		if terms := sumOf(s); math.Abs(terms-last) > 1e-9*last || math.Abs(s.J+s.common()-2*last) > 1e-9*last {
			t.Fatalf("J is %v, its terms add to %v, by its definition it is %v", (s.J+s.common())/2, terms, last)
		}
		for _, u := range []update{
			{"S", s.updateS},
			{"S⁰", s.updateS0},
			{"D", func() error { s.leave(); s.updateD(); return nil }},
			{"D₀", func() error { s.updateD0(); s.leave(); return nil }},
		} {
			if err := u.renew(); err != nil {
				t.Fatal(err)
			}
			if now := lrsdlObjective(m, s); now > last*(1+1e-9) {
				t.Errorf("%s: J rises from %v to %v", u.name, last, now)
			} else {
				last = now
			}
		}
	}
	if lin.MaxAbs(s.S0) == 0 {
		t.Error("nothing is common")
	}
}

// With many steps the codes of the common atoms are the minimiser.
func TestLRSDLCommonCodesAreOptimal(t *testing.T) {
	m := DefaultLRSDL
	s := lrsdlFixture(t, m)
	if _, err := s.Step(); err != nil {
		t.Fatal(err)
	}
	s.Steps = 5000
	if err := s.updateS0(); err != nil {
		t.Fatal(err)
	}
	checkSubgradient(t, s.S0, m.Lambda1, 1e-6, func() float64 { return lrsdlObjective(m, s) - m.Lambda1*absSum(s.S0) })
}
