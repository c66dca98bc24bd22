package method

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
)

func coparFixture(t *testing.T, m COPAR) *coparState {
	t.Helper()
	train := people(t, 3, 5, 12, 0.3, 1)
	atoms, err := atomGroups(train, 3)
	if err != nil {
		t.Fatal(err)
	}
	m.Common = 2
	return newCOPARState(m, classify.Unit(train.X), train.Groups, atoms)
}

// coparObjective is J from its definition, class by class and pair by pair.
func coparObjective(s *coparState) float64 {
	groups := s.groups()
	classes := len(s.samples) - 1
	sum := s.Lambda * absSum(s.S)
	atoms := func(i int) *mat.Dense { return lin.Cols(s.D, groups[i], groups[i+1]) }
	for i := range classes {
		j0, j1 := s.samples[i], s.samples[i+1]
		x := lin.Cols(s.X, j0, j1)
		code := func(j int) *mat.Dense { return lin.Block(s.S, groups[j], groups[j+1], j0, j1) }
		sum += squaredError(x, s.D, lin.Cols(s.S, j0, j1))
		e := mat.DenseCopyOf(x)
		lin.AddAB(e, -1, atoms(classes), code(classes))
		sum += squaredError(e, atoms(i), code(i))
		for j := range classes {
			if j != i {
				sum += lin.SquaredNorm(code(j))
			}
		}
	}
	for i := range classes + 1 {
		for j := range classes + 1 {
			if i != j {
				var product mat.Dense
				product.Mul(atoms(i).T(), atoms(j))
				sum += s.Eta * lin.SquaredNorm(&product)
			}
		}
	}
	return sum
}

// checkSubgradient asks that no code can be moved, nor left at 0, for the better:
// smooth is J without λ‖S‖₁ as a function of s.
func checkSubgradient(t *testing.T, s *mat.Dense, λ, tol float64, smooth func() float64) {
	t.Helper()
	k, n := s.Dims()
	for i := range k {
		for j := range n {
			v := s.At(i, j)
			s.Set(i, j, v+1e-3)
			up := smooth()
			s.Set(i, j, v-1e-3)
			down := smooth()
			s.Set(i, j, v)
			g := (up - down) / 2e-3
			if v == 0 {
				g = max(0, math.Abs(g)-λ)
			} else {
				g += math.Copysign(λ, v)
			}
			if !(math.Abs(g) < tol) {
				t.Errorf("code (%d, %d) = %v has the slope %g", i, j, v, g)
			}
		}
	}
}

// With many steps the codes are the minimiser over all of S.
func TestCOPARCodesAreOptimal(t *testing.T) {
	m := DefaultCOPAR
	m.Steps = 3000
	s := coparFixture(t, m)
	if err := s.updateS(); err != nil {
		t.Fatal(err)
	}
	checkSubgradient(t, s.S, m.Lambda, 1e-7, func() float64 { return coparObjective(s) - m.Lambda*absSum(s.S) })
}

// The terms are those of the definition, and neither update raises J.
func TestCOPARDescends(t *testing.T) {
	for _, η := range []float64{0, 0.001, 0.1} {
		m := DefaultCOPAR
		m.Eta = η
		s := coparFixture(t, m)
		for range 8 {
			last := coparObjective(s)
			if math.Abs(last-s.J) > 1e-10*last {
				t.Fatalf("J is %v, by its definition %v", s.J, last)
			}
			if err := s.updateS(); err != nil {
				t.Fatal(err)
			}
			between := coparObjective(s)
			s.updateD()
			s.J = s.objective(s.S)
			if now := coparObjective(s); between > last*(1+1e-12) || now > between*(1+1e-12) {
				t.Errorf("η = %v: J goes from %v to %v and %v", η, last, between, now)
			}
		}
	}
}

// With many steps D₀ and the other atoms have no slope but outwards on the ball.
func TestCOPARAtoms(t *testing.T) {
	m := DefaultCOPAR
	s := coparFixture(t, m)
	if err := s.updateS(); err != nil {
		t.Fatal(err)
	}
	s.Steps = 3000
	s.updateD() // the last group is renewed last: with all others as they are
	common := lin.Cols(s.D, 9, 11)
	for k := range 2 {
		atom := common.ColView(k)
		var g mat.VecDense
		g.CloneFromVec(atom)
		for i := range 12 {
			v := common.At(i, k)
			common.Set(i, k, v+1e-3)
			up := coparObjective(s)
			common.Set(i, k, v-1e-3)
			down := coparObjective(s)
			common.Set(i, k, v)
			g.SetVec(i, (up-down)/2e-3)
		}
		norm, outwards := mat.Norm(atom, 2), 0.0
		if norm > 1-1e-6 {
			outwards = -mat.Dot(atom, &g) / norm / norm
		}
		g.AddScaledVec(&g, outwards, atom)
		if norm > 1+1e-12 || outwards < -1e-5 || mat.Norm(&g, 2) > 1e-4 {
			t.Errorf("common atom %d of norm %v has the slope %v besides %v outwards", k, norm, mat.Norm(&g, 2), outwards)
		}
	}
}
