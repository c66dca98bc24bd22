package method

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
)

func dlsiFixture(t *testing.T, m DLSI, passes int) *dlsiState {
	t.Helper()
	train := people(t, 4, 6, 15, 0.3, 1)
	atoms, err := atomGroups(train, 4)
	if err != nil {
		t.Fatal(err)
	}
	s := newDLSIState(t.Context(), m, classify.Unit(train.X), train.Groups, atoms)
	for range passes {
		if _, err := s.Step(); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// dlsiObjective is J from its definition.
func dlsiObjective(s *dlsiState) (sum float64) {
	for i := range s.A {
		di, x := s.class(i)
		sum += squaredError(x, di, s.A[i]) + s.Lambda*absSum(s.A[i])
		for j := range s.A {
			if dj, _ := s.class(j); i != j {
				var product mat.Dense
				product.Mul(di.T(), dj)
				sum += s.Eta * lin.SquaredNorm(&product)
			}
		}
	}
	return sum
}

// The terms are those of the definition, codes meet the conditions of their
// problem, and no update raises J.
func TestDLSIUpdatesDescend(t *testing.T) {
	for _, η := range []float64{0, 0.001, 1} {
		m := DefaultDLSI
		m.Eta, m.Gap = η, 1e-12
		s := dlsiFixture(t, m, 1)
		for range 5 {
			last := dlsiObjective(s)
			if math.Abs(last-s.J) > 1e-10*last {
				t.Fatalf("J is %v, by its definition %v", s.J, last)
			}
			for _, update := range []func() error{s.updateA, func() error { s.updateD(); return nil }} {
				if err := update(); err != nil {
					t.Fatal(err)
				}
				if now := dlsiObjective(s); now > last*(1+1e-9) {
					t.Errorf("η = %v: J rises from %v to %v", η, last, now)
				} else {
					last = now
				}
			}
			if _, err := s.Step(); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.updateA(); err != nil {
			t.Fatal(err)
		}
		for c, a := range s.A {
			d, x := s.class(c)
			var rest, q mat.Dense
			rest.Mul(d, a)
			rest.Sub(x, &rest)
			q.Mul(d.T(), &rest)
			q.Apply(func(i, j int, v float64) float64 {
				if at := a.At(i, j); at != 0 {
					return math.Abs(v - math.Copysign(m.Lambda/2, at))
				}
				return max(0, math.Abs(v)-m.Lambda/2)
			}, &q)
			if v := lin.MaxAbs(&q); !(v < 1e-6) {
				t.Errorf("η = %v: codes of class %d are off by %v", η, c, v)
			}
		}
	}
}

// With many steps the atoms of a class are the minimum: an atom inside the ball has
// no slope, that of one on it points outwards.
func TestBallProblem(t *testing.T) {
	for _, η := range []float64{0, 0.01, 1} {
		m := DefaultDLSI
		m.Eta = η
		s := dlsiFixture(t, m, 1)
		d, x := s.class(0)
		p := ballProblem{E: mat.NewDense(15, 4, nil), F: mat.NewDense(4, 4, nil), W: mat.NewDense(15, 15, nil), η: η}
		lin.ABt(p.E, 1, x, s.A[0])
		symmetric(p.F, s.A[0])
		symmetric(p.W, s.D)
		lin.AddABt(p.W, -1, d, d)
		p.solve(d, 5000)
		g := mat.NewDense(15, 4, nil)
		p.gradient(g, d)
		for k := range 4 {
			atom := d.ColView(k)
			norm, outwards := mat.Norm(atom, 2), 0.0
			if norm > 1-1e-6 {
				outwards = -mat.Dot(atom, g.ColView(k)) / norm / norm
			}
			var off mat.VecDense
			off.AddScaledVec(g.ColView(k), outwards, atom)
			if norm > 1+1e-12 || outwards < -1e-6 || mat.Norm(&off, 2) > 1e-5 {
				t.Errorf("η = %v: atom %d of norm %v has the slope %v besides %v outwards", η, k, norm, mat.Norm(&off, 2), outwards)
			}
		}
	}
}
