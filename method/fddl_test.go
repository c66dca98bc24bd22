package method

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
)

// fisherState returns a state with random unit atoms and random codes whose
// terms all matter.
func fisherState(t *testing.T, edit func(*FDDL), d int, sizes ...int) *fddlState {
	t.Helper()
	m := DefaultFDDL
	m.Lambda1, m.Lambda2, m.Eta = 0.05, 0.3, 1.2
	edit(&m)
	r := rand.New(rand.NewPCG(5, uint64(d)))
	train := positive(r, d, sizes...)
	atoms, err := atomGroups(train, m.Atoms)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newFDDLState(m, classify.Unit(train.X), train.Groups, atoms)
	if err != nil {
		t.Fatal(err)
	}
	k, n := s.S.Dims()
	s.D = classify.Unit(random(r, d, k))
	s.S = random(r, k, n)
	symmetric(s.SS, s.S)
	s.prepare()
	return s
}

// fisherCases are shapes that an update may get wrong.
func fisherCases(t *testing.T, f func(t *testing.T, s *fddlState)) {
	for _, c := range []struct {
		name  string
		edit  func(*FDDL)
		d     int
		sizes []int
	}{
		{"K = N", func(*FDDL) {}, 9, []int{3, 2, 4}},
		{"K < N", func(m *FDDL) { m.Atoms = 2 }, 7, []int{3, 2, 5}},
		{"K > d", func(*FDDL) {}, 4, []int{3, 2, 4}},
		{"one sample a class", func(*FDDL) {}, 6, []int{1, 1, 1}},
		{"eta 1", func(m *FDDL) { m.Eta = 1 }, 9, []int{3, 2, 4}},
		{"least squares", func(m *FDDL) { m.Lambda1 = 0 }, 9, []int{3, 2, 4}},
	} {
		t.Run(c.name, func(t *testing.T) { f(t, fisherState(t, c.edit, c.d, c.sizes...)) })
	}
}

// smooth evaluates J without λ₁‖S‖₁ straight from its definition, with the
// scatter matrices S_w and S_b formed.
func (s *fddlState) smooth() float64 {
	square := func(a mat.Matrix) float64 { v := mat.Norm(a, 2); return v * v }
	k, n := s.S.Dims()
	column := func(a *mat.Dense, lo, hi int) *mat.VecDense {
		mean := mat.NewVecDense(k, nil)
		for j := lo; j < hi; j++ {
			mean.AddScaledVec(mean, 1/float64(hi-lo), a.ColView(j))
		}
		return mean
	}
	all := column(s.S, 0, n)
	within, between := mat.NewDense(k, k, nil), mat.NewDense(k, k, nil)
	var sum float64
	for i := range len(s.samples) - 1 {
		_, _, j0, j1 := s.block(i)
		xi, si := lin.Cols(s.X, j0, j1), lin.Cols(s.S, j0, j1)
		var e mat.Dense
		e.Mul(s.D, si)
		e.Sub(xi, &e)
		sum += square(&e) // ‖X_i − DS_i‖²
		for j := range len(s.samples) - 1 {
			var part mat.Dense
			part.Mul(lin.Cols(s.D, s.atoms[j], s.atoms[j+1]), lin.Block(s.S, s.atoms[j], s.atoms[j+1], j0, j1))
			if i == j {
				part.Sub(xi, &part)
			}
			sum += square(&part) // ‖X_i − D_iS_i^i‖², ‖D_jS_i^j‖²
		}
		var diff mat.VecDense
		mean := column(s.S, j0, j1)
		for j := j0; j < j1; j++ {
			diff.SubVec(s.S.ColView(j), mean)
			within.RankOne(within, 1, &diff, &diff)
		}
		diff.SubVec(mean, all)
		between.RankOne(between, float64(j1-j0), &diff, &diff)
	}
	return sum + s.Lambda2*(mat.Trace(within)-mat.Trace(between)+s.Eta*square(s.S))
}

func (s *fddlState) naive() float64 {
	sum := s.smooth()
	k, n := s.S.Dims()
	for i := range k {
		for j := range n {
			sum += s.Lambda1 * math.Abs(s.S.At(i, j))
		}
	}
	return sum
}

// J, by products with G and B, and the terms of a trace agree with its definition.
func TestFisherObjective(t *testing.T) {
	fisherCases(t, func(t *testing.T, s *fddlState) {
		want := s.naive()
		if math.Abs(s.J-want) > 1e-12*want {
			t.Errorf("J = %v, by its definition %v", s.J, want)
		}
		var sum float64
		for _, term := range s.Objective() {
			sum += term.Value
		}
		if math.Abs(sum-want) > 1e-12*want {
			t.Errorf("the terms sum to %v, J is %v", sum, want)
		}
	})
}

// stationaryCodes reports the largest violation of the optimality conditions in
// S: ∂/∂s = −λ₁ sign(s) where s ≠ 0, |∂/∂s| ≤ λ₁ elsewhere, by differences.
func (s *fddlState) stationaryCodes() float64 {
	const h = 1e-4
	var worst float64
	k, n := s.S.Dims()
	for i := range k {
		for j := range n {
			v := s.S.At(i, j)
			s.S.Set(i, j, v+h)
			up := s.smooth()
			s.S.Set(i, j, v-h)
			slope := (up - s.smooth()) / (2 * h)
			s.S.Set(i, j, v)
			if v == 0 {
				worst = max(worst, math.Abs(slope)-s.Lambda1)
			} else {
				worst = max(worst, math.Abs(slope+math.Copysign(s.Lambda1, v)))
			}
		}
	}
	return worst
}

// Enough steps minimise J in S.
func TestFisherCodesAreOptimal(t *testing.T) {
	fisherCases(t, func(t *testing.T, s *fddlState) {
		s.Steps = 2000
		if err := s.updateS(); err != nil {
			t.Fatal(err)
		}
		if v := s.stationaryCodes(); v > 1e-6 {
			t.Errorf("optimality is violated by %v", v)
		}
	})
}

// Proximal steps lower J, and end at the minimiser that updateS finds.
func TestFisherProximalStep(t *testing.T) {
	fisherCases(t, func(t *testing.T, s *fddlState) {
		for range 5000 {
			before := s.J
			s.proximal()
			symmetric(s.SS, s.S)
			s.J = s.objective(s.S, s.SS)
			if s.J > before*(1+1e-14) {
				t.Fatalf("a step raises J from %v to %v", before, s.J)
			}
		}
		if v := s.stationaryCodes(); v > 1e-6 {
			t.Errorf("optimality is violated by %v", v)
		}
	})
}

// Neither update raises J, however far the splitting is from convergence; a
// single step with a penalty far off needs the proximal step for that.
func TestFisherUpdatesDescend(t *testing.T) {
	proximal := 0
	for _, ρ := range []float64{1e-3, 1, 1e3} {
		fisherCases(t, func(t *testing.T, s *fddlState) {
			s.Rho, s.Steps = ρ, 1
			last := s.J
			falls := func(update string) {
				t.Helper()
				now := s.naive()
				if now > last*(1+1e-13) {
					t.Errorf("ρ = %v: %s raises J from %v to %v", ρ, update, last, now)
				}
				last = now
			}
			for range 12 {
				if err := s.updateS(); err != nil {
					t.Fatal(err)
				}
				falls("S")
				if !mat.Equal(s.S, s.Z) {
					proximal++
				}
				s.updateD()
				falls("D")
				s.prepare()
			}
		})
	}
	if proximal == 0 {
		t.Error("no case needs the proximal step")
	}
}

// updateD agrees with a twin that takes every atom from the sums of the
// definition, and the atom that it renews last minimises J on the sphere.
func TestFisherAtoms(t *testing.T) {
	fisherCases(t, func(t *testing.T, s *fddlState) {
		want := mat.DenseCopyOf(s.D)
		k, n := s.S.Dims()
		for i := range len(s.samples) - 1 {
			a0, a1, j0, j1 := s.block(i)
			for a := a0; a < a1; a++ {
				v := mat.NewVecDense(len(want.RawMatrix().Data)/k, nil)
				for j := range n { // −½ of the gradient without the term of the atom itself
					r, own := mat.VecDenseCopyOf(s.X.ColView(j)), mat.NewVecDense(v.Len(), nil)
					if j0 <= j && j < j1 {
						own.CopyVec(s.X.ColView(j))
					}
					for b := range k {
						if b == a {
							continue
						}
						r.AddScaledVec(r, -s.S.At(b, j), want.ColView(b))
						if a0 <= b && b < a1 {
							own.AddScaledVec(own, -s.S.At(b, j), want.ColView(b))
						}
					}
					v.AddScaledVec(v, s.S.At(a, j), r)
					v.AddScaledVec(v, s.S.At(a, j), own)
				}
				v.ScaleVec(1/mat.Norm(v, 2), v)
				want.SetCol(a, v.RawVector().Data)
			}
		}
		s.updateD()
		if v := lin.MaxAbsDiff(s.D, want); v > 1e-10 {
			t.Errorf("atoms differ by %v", v)
		}
		d, _ := s.D.Dims()
		smallest, last := s.naive(), mat.Col(nil, k-1, s.D)
		r := rand.New(rand.NewPCG(8, 8))
		for range 50 {
			near := mat.NewVecDense(d, nil)
			for i := range d {
				near.SetVec(i, last[i]+0.01*r.NormFloat64())
			}
			near.ScaleVec(1/mat.Norm(near, 2), near)
			s.D.SetCol(k-1, near.RawVector().Data)
			if v := s.naive(); v < smallest {
				t.Fatalf("a unit atom near the renewed one has J %v, less than %v", v, smallest)
			}
		}
	})
}

// An atom that no code uses stays.
func TestFisherUnusedAtom(t *testing.T) {
	s := fisherState(t, func(*FDDL) {}, 6, 3, 2)
	_, n := s.S.Dims()
	for j := range n {
		s.S.Set(1, j, 0)
	}
	before := mat.Col(nil, 1, s.D)
	symmetric(s.SS, s.S)
	s.prepare()
	s.updateD()
	for i, v := range before {
		if s.D.At(i, 1) != v {
			t.Fatal("an atom that no code uses has moved")
		}
	}
}

// J falls from pass to pass, and a fit ends when it hardly does.
func TestFisherConverges(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	train := positive(r, 20, 4, 5, 3)
	m := DefaultFDDL
	m.Passes, m.Tol = 500, 1e-4
	last := math.Inf(1)
	model, err := m.Fit(context.Background(), train, classify.Run{Watch: func(p classify.Progress) {
		var sum float64
		for _, term := range p.Terms() {
			sum += term.Value
		}
		if sum > last*(1+1e-12) {
			t.Errorf("pass %d raises J from %v to %v", p.Iter, last, sum)
		}
		if p.Residual >= m.Tol && !math.IsInf(last, 1) && math.Abs(p.Residual-(last-sum)/last) > 1e-9 {
			t.Errorf("pass %d: residual %v, J fell by %v of it", p.Iter, p.Residual, (last-sum)/last)
		}
		last = sum
	}})
	if err != nil {
		t.Fatal(err)
	}
	if out := model.Parts().Outcome; out.Status != classify.Converged {
		t.Errorf("%s after %d passes", out.Status, out.Iter)
	}
	norms := make([]float64, 12)
	lin.SquaredColumnNorms(norms, model.Parts().D)
	for k, v := range norms {
		if math.Abs(v-1) > 1e-12 {
			t.Errorf("atom %d has squared norm %v", k, v)
		}
	}
}

// A model codes a query y by min ‖y − Ds‖² + γ‖s‖₁, of which the conditions are
// |2d_kᵀ(y − Ds)| ≤ γ, with the sign of s_k and equality where s_k ≠ 0, and
// scores class c by 1 − ‖y − D_c·s_c‖² − w‖s − m_c‖². A duality gap of 1e-6
// lets Ds be off by √2e-6, and 2d_kᵀ(y − Ds) by 3e-3.
func TestFisherModel(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	m := DefaultFDDL
	m.Passes, m.Gamma, m.Weight = 3, 0.1, 0.7
	model, err := m.Fit(t.Context(), positive(r, 20, 4, 5, 3), classify.Run{})
	if err != nil {
		t.Fatal(err)
	}
	p, y := model.Parts(), classify.Unit(positive(r, 20, 3, 4).X)
	codes, err := model.Transform(t.Context(), y)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := model.Scores(t.Context(), y)
	if err != nil {
		t.Fatal(err)
	}
	var rest, slopes mat.Dense
	rest.Mul(p.D, codes)
	rest.Sub(y, &rest)
	slopes.Mul(p.D.T(), &rest)
	slopes.Scale(2, &slopes) // 2Dᵀ(y − Ds)
	k, n := codes.Dims()
	on := 0
	for j := range n {
		for i := range k {
			slope, s := slopes.At(i, j), codes.At(i, j)
			if math.Abs(slope) > m.Gamma+3e-3 {
				t.Errorf("query %d: |2dᵀ(y − Ds)| is %v at atom %d, more than γ", j, math.Abs(slope), i)
			}
			if math.Abs(s) > 1e-3 {
				on++
				if math.Abs(slope-math.Copysign(m.Gamma, s)) > 3e-3 {
					t.Errorf("query %d: 2dᵀ(y − Ds) is %v at atom %d with the coefficient %v", j, slope, i, s)
				}
			}
		}
		for c := range p.Classes {
			lo, hi := p.Groups[c], p.Groups[c+1]
			var part, off mat.VecDense
			part.MulVec(lin.Cols(p.D, lo, hi), codes.ColView(j).(*mat.VecDense).SliceVec(lo, hi))
			part.SubVec(y.ColView(j), &part)
			off.SubVec(codes.ColView(j), p.Rule.(classify.Fisher).M.ColView(c))
			want := 1 - mat.Dot(&part, &part) - m.Weight*mat.Dot(&off, &off)
			if got := scores.At(c, j); math.Abs(got-want) > 1e-12 {
				t.Errorf("query %d: class %d scores %v, want %v", j, c, got, want)
			}
		}
	}
	if on == 0 || on == k*n {
		t.Errorf("%d of %d coefficients are not 0: the test sees one case only", on, k*n)
	}
}

// What cannot be done is refused before any work.
func TestFisherRefuses(t *testing.T) {
	train := positive(rand.New(rand.NewPCG(7, 1)), 10, 4, 2, 3)
	for want, edit := range map[string]func(*FDDL){
		"atoms = 3, more than the 2 training samples of class c1": func(m *FDDL) { m.Atoms = 3 },
		"atoms = -1":   func(m *FDDL) { m.Atoms = -1 },
		"eta = 0.5":    func(m *FDDL) { m.Eta = 0.5 },
		"lambda1 = -1": func(m *FDDL) { m.Lambda1 = -1 },
		"lambda2 = NaN": func(m *FDDL) {
			m.Lambda2 = math.NaN()
		},
		"weight = -1": func(m *FDDL) { m.Weight = -1 },
		"rho = 0":     func(m *FDDL) { m.Rho = 0 },
		"omega = 2":   func(m *FDDL) { m.Omega = 2 },
		"steps = 0":   func(m *FDDL) { m.Steps = 0 },
		"passes = -1": func(m *FDDL) { m.Passes = -1 },
		"gamma = 0":   func(m *FDDL) { m.Gamma = 0 },
	} {
		m := DefaultFDDL
		edit(&m)
		passes := 0
		_, err := m.Fit(context.Background(), train, classify.Run{Watch: func(classify.Progress) { passes++ }})
		if err == nil || !strings.Contains(err.Error(), want) || passes > 0 {
			t.Errorf("want %q before any pass, got %v after %d", want, err, passes)
		}
	}
}

// A pass over as many samples as Extended Yale B trains on.
func BenchmarkFDDLPass(b *testing.B) {
	for _, n := range []int{240, 760} {
		b.Run(fmt.Sprintf("N=%d", n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			sizes := make([]int, n/20)
			groups := []int{0}
			for c := range sizes {
				groups = append(groups, 20*(c+1))
			}
			x := classify.Unit(random(r, n, n))
			s, err := newFDDLState(DefaultFDDL, x, groups, groups)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := s.Step(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
