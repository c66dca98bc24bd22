package method

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
)

func random(r *rand.Rand, m, n int) *mat.Dense {
	a := mat.NewDense(m, n, nil)
	for i := range m {
		for j := range n {
			a.Set(i, j, r.NormFloat64())
		}
	}
	return a
}

// positive draws classes of the given sizes from positive random samples.
func positive(r *rand.Rand, d int, sizes ...int) *classify.Samples {
	var labels []string
	for c, n := range sizes {
		for range n {
			labels = append(labels, fmt.Sprintf("c%d", c))
		}
	}
	x := random(r, d, len(labels))
	x.Apply(func(_, j int, v float64) float64 { return math.Abs(v) + float64(labels[j][1]-'0') }, x)
	s, err := classify.NewSamples(x, labels, nil, nil)
	if err != nil {
		panic(err)
	}
	return s
}

// linear is W of a classifier whose rule is linear.
func linear(p classify.Parts) *mat.Dense { return p.Rule.(classify.Linear).W }

// midway returns a state some passes into a fit whose weights all matter.
func midway(t *testing.T, m NRDL, train *classify.Samples, passes int) *nrdlState {
	t.Helper()
	s, err := newNRDLState(m, newTask(t, train, m.Atoms))
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

// strong weighs every term so that a wrong update shows.
func strong() NRDL {
	m := DefaultNRDL
	m.Lambda, m.Alpha, m.Beta, m.Gamma, m.Mu = 0.3, 0.7, 0.2, 0.05, 0.1
	return m
}

// lagrangian evaluates (9) with β scaled by f, straight from its definition.
func (s *nrdlState) lagrangian(f float64) float64 {
	var ds, ws, e mat.Dense
	ds.Mul(s.D, s.S)
	ws.Mul(s.W, s.S)
	sq := func(a mat.Matrix) float64 { v := mat.Norm(a, 2); return v * v }
	e.Sub(s.X, &ds)
	sum := sq(&e)

	off := mat.DenseCopyOf(s.S) // A⊙S
	h := mat.NewDense(len(s.samples)-1, s.samples[len(s.samples)-1], nil)
	for c := range len(s.samples) - 1 {
		for j := s.samples[c]; j < s.samples[c+1]; j++ {
			h.Set(c, j, 1)
			for k := s.atoms[c]; k < s.atoms[c+1]; k++ {
				off.Set(k, j, 0)
			}
		}
	}
	var a mat.Dense
	a.Mul(s.D, off)
	sum += s.Lambda * sq(&a)
	var b mat.Dense
	b.Sub(h, &ws)
	sum += s.Alpha * sq(&b)
	for i := range len(s.samples) - 1 {
		for j := range len(s.samples) - 1 {
			if i != j {
				var p mat.Dense
				p.Mul(lin.Cols(s.P, s.samples[i], s.samples[i+1]).T(), lin.Cols(s.P, s.samples[j], s.samples[j+1]))
				sum += f * s.Beta * sq(&p)
			}
		}
	}
	_, n := s.J.Dims()
	for u := range n {
		for v := range n {
			var diff mat.VecDense
			diff.SubVec(s.J.ColView(u), s.J.ColView(v))
			sum += s.Gamma / 2 * s.L.(*graph).M.At(u, v) * mat.Dot(&diff, &diff)
		}
	}
	penalty := func(copy, c *mat.Dense) {
		var p, q mat.Dense
		q.Scale(1/s.μ, c)
		p.Sub(&ws, copy)
		p.Add(&p, &q)
		sum += s.μ*sq(&p) - sq(c)/s.μ
	}
	penalty(s.P, s.C1)
	penalty(s.J, s.C2)
	return sum
}

// gradient returns the largest element of the gradient of f with respect to
// the elements of a, by central differences; f is a polynomial of degree 2 in
// a, or 4 for P, so that they are exact up to rounding and h² terms.
func gradient(a *mat.Dense, f func() float64) float64 {
	const h = 1e-4
	var largest float64
	m, n := a.Dims()
	for i := range m {
		for j := range n {
			v := a.At(i, j)
			a.Set(i, j, v+h)
			up := f()
			a.Set(i, j, v-h)
			down := f()
			a.Set(i, j, v)
			largest = max(largest, math.Abs(up-down)/(2*h))
		}
	}
	return largest
}

// After each exact update the Lagrangian is stationary in its variable; (11)
// is inexact by design and only falls short of it.
func TestUpdatesAreStationary(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		name    string
		edit    func(*NRDL)
		d       int
		sizes   []int
		squared bool
	}{
		{"K = N, d > N", func(*NRDL) {}, 20, []int{3, 2, 4}, false},
		{"K = N, d < N", func(*NRDL) {}, 7, []int{3, 5, 4}, false},
		{"K < N", func(m *NRDL) { m.Atoms = 2 }, 9, []int{3, 5, 4}, false},
		{"squared graph", func(m *NRDL) { m.Squared = true }, 9, []int{3, 5, 4}, false},
		{"signed", func(m *NRDL) { m.Signed = true }, 9, []int{3, 5, 4}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := strong()
			c.edit(&m)
			s := midway(t, m, positive(r, c.d, c.sizes...), 3)
			stationary := func(equation string, a *mat.Dense, f float64) {
				t.Helper()
				if g := gradient(a, func() float64 { return s.lagrangian(f) }); g > 1e-6 {
					t.Errorf("%s: gradient %.2e", equation, g)
				}
			}
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			must(s.updateS())
			must(s.updateW())
			stationary("(12) W", s.W, 1)
			lin.AAt(s.PP, 1, s.P)
			for i := range len(c.sizes) {
				must(s.updatePi(i))
				stationary(fmt.Sprintf("(13) P_%d", i), lin.Cols(s.P, s.samples[i], s.samples[i+1]), 0.5)
			}
			must(s.updateJ())
			stationary("(14) J", s.J, 1)
			must(s.updateD())
			stationary("(15) D", s.D, 1)
		})
	}
}

// The iteration on coordinates in the span of X is the iteration on X.
func TestCompressionChangesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	train := positive(r, 30, 4, 5, 3)
	x := classify.Unit(train.X)
	for _, atoms := range []int{0, 2} {
		m := strong()
		m.Atoms = atoms
		s := midway(t, m, train, 8)
		full := *s
		full.X, full.R = x, mat.NewDense(30, 12, nil)
		d0, groups, err := classwise(context.Background(), m.Init, x, train, m.Atoms)
		if err != nil {
			t.Fatal(err)
		}
		_, k := d0.Dims()
		zero := func(r, c int) *mat.Dense { return mat.NewDense(r, c, nil) }
		full.D, full.atoms, full.μ = d0, groups, m.Mu
		full.S, full.W, full.P, full.J = zero(k, 12), zero(3, k), zero(3, 12), zero(3, 12)
		full.C1, full.C2, full.WS, full.T = zero(3, 12), zero(3, 12), zero(3, 12), zero(3, 12)
		full.spd, full.spdP = lin.SPD{}, lin.SPD{}
		for range 8 {
			if _, err := full.Step(); err != nil {
				t.Fatal(err)
			}
		}
		for name, pair := range map[string][2]*mat.Dense{"S": {s.S, full.S}, "W": {s.W, full.W}, "D": {s.t.own(s.D), full.D}} {
			if diff := lin.MaxAbsDiff(pair[0], pair[1]); !(diff < 1e-9) {
				t.Errorf("%d atoms per class: %s differs by %.2e", atoms, name, diff)
			}
		}
	}
}

// A set whose systems are all singular: equal samples, a blank one, more
// samples than features.
func TestSingularSystemsStayFinite(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	train := positive(r, 4, 5, 6, 7)
	for i := range 4 {
		train.X.Set(i, 1, train.X.At(i, 0))
		train.X.Set(i, 8, 2*train.X.At(i, 7))
		train.X.Set(i, 12, 0)
	}
	for _, m := range []NRDL{DefaultNRDL, DefaultNRDLTest} {
		model, err := m.Fit(context.Background(), train, classify.Run{})
		if err != nil {
			t.Fatal(err)
		}
		scores, err := model.Scores(context.Background(), train.X)
		if err != nil {
			t.Fatal(err)
		}
		if v := mat.Norm(scores, 2); math.IsNaN(v) || v == 0 || v > 1e6 {
			t.Errorf("%s: scores have norm %v", m.Name(), v)
		}
	}
}

func TestConjugateGradientsSolveAsTheFactorisation(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	x := classify.Unit(positive(r, 20, 30, 40, 50).X)
	factored, iterated := newGraph(x, false, 1000), newGraph(x, false, 0)
	for _, μ := range []float64{1e-5, 1e-2, 1, 1e4} {
		for _, γ := range []float64{0, 1e-4, 1, 100} {
			b := random(r, 7, 120)
			lin.Clamp(lin.Block(b, 3, 4, 0, 120), 1e9) // a constant row
			for j := range 120 {
				b.Set(5, j, 0)
			}
			j1, j2 := mat.NewDense(7, 120, nil), random(r, 7, 120)
			if err := factored.solve(j1, b, γ, μ); err != nil {
				t.Fatal(err)
			}
			if err := iterated.solve(j2, mat.DenseCopyOf(b), γ, μ); err != nil {
				t.Fatal(err)
			}
			for i := range 7 {
				size := mat.Norm(j1.RowView(i), 2) + 1e-300
				var diff mat.VecDense
				diff.SubVec(j1.RowView(i), j2.RowView(i))
				condition := γ * 120 / μ // the factorisation loses so much
				if e := mat.Norm(&diff, 2) / size; e > 1e-10+1e-16*condition {
					t.Errorf("μ %v, γ %v, row %d: relative difference %.1e", μ, γ, i, e)
				}
			}
		}
	}
}

func TestGraphIsTheLaplacian(t *testing.T) {
	x := classify.Unit(positive(rand.New(rand.NewPCG(5, 1)), 6, 4, 5).X)
	y := random(rand.New(rand.NewPCG(6, 1)), 3, 9)
	for _, squared := range []bool{false, true} {
		var want float64
		for u := range 9 {
			for v := range 9 {
				var dx, dy mat.VecDense
				dx.SubVec(x.ColView(u), x.ColView(v))
				dy.SubVec(y.ColView(u), y.ColView(v))
				distance := mat.Norm(&dx, 2)
				if squared {
					distance *= distance
				}
				want += mat.Dot(&dy, &dy) / (1 + distance) / 2
			}
		}
		if got := quadratic(newGraph(x, squared, 100), y); math.Abs(got-want) > 1e-9*want {
			t.Errorf("squared %v: tr(YLYᵀ) = %v, half the weighted squared differences %v", squared, got, want)
		}
	}
}

// raced is whether the race detector is on, under which sync.Pool forgets.
var raced bool

func TestStepAllocatesLittle(t *testing.T) {
	if raced {
		t.Skip("the race detector allocates")
	}
	s := midway(t, DefaultNRDL, positive(rand.New(rand.NewPCG(7, 1)), 150, 40, 40, 40), 2)
	const passes = 10
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range passes {
		if _, err := s.Step(); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	k, n := s.S.Dims()
	if got, limit := (after.TotalAlloc-before.TotalAlloc)/passes, uint64(k*n*8/2); got > limit {
		t.Errorf("a pass allocates %d bytes, more than half a K×N matrix, %d", got, limit)
	}
}

func TestBadParametersAreNamed(t *testing.T) {
	train := positive(rand.New(rand.NewPCG(8, 1)), 5, 3, 4)
	for _, c := range []struct{ path, value string }{
		{"lambda", "-1"},
		{"alpha", "-1"},
		{"alpha", "0"},
		{"beta", "-1e-9"},
		{"gamma", "-1"},
		{"mu", "0"},
		{"growth", "0.9"},
		{"mu_max", "1e-9"},
		{"passes", "0"},
		{"atoms", "-1"},
		{"atoms", "4"},
		{"tol", "-1"},
		{"init.sparsity", "0"},
		{"coder.rho", "0"},
		{"coder.passes", "0"},
	} {
		m, err := Set(DefaultNRDL, c.path, c.value)
		if err == nil {
			_, err = m.Fit(context.Background(), train, classify.Run{})
		}
		if err == nil {
			t.Errorf("%s = %s is accepted", c.path, c.value)
		}
	}
}

// surrogate is what (11) minimises: (9) with D(A⊙S) replaced by DS − R, r = R.
func (s *nrdlState) surrogate(r *mat.Dense) float64 {
	off := s.Lambda
	s.Lambda = 0
	sum := s.lagrangian(1)
	s.Lambda = off
	var e mat.Dense
	e.Mul(s.D, s.S)
	e.Sub(&e, r)
	return sum + s.Lambda*lin.SquaredNorm(&e)
}

// Before clamping, (11) is stationary for (10) with D(A⊙S) replaced by DS − R.
func TestSIsStationaryForItsSurrogate(t *testing.T) {
	m := strong()
	m.Signed = true // no clamping
	s := midway(t, m, positive(rand.New(rand.NewPCG(9, 1)), 20, 3, 2, 4), 3)
	r := mat.DenseCopyOf(s.R)
	s.ownClass(r)
	if err := s.updateS(); err != nil {
		t.Fatal(err)
	}
	if g := gradient(s.S, func() float64 { return s.surrogate(r) }); g > 1e-6 {
		t.Errorf("gradient %.2e", g)
	}
}

// (16) and (17) with the μ of the pass, which grows afterwards up to its bound.
func TestMultipliers(t *testing.T) {
	m := strong()
	m.MuMax = 0.14
	s := midway(t, m, positive(rand.New(rand.NewPCG(10, 1)), 9, 3, 4), 0)
	for _, want := range []float64{0.1, 0.11, 0.121, 0.1331, 0.14, 0.14} {
		var p, j mat.Dense
		c1, c2 := mat.DenseCopyOf(s.C1), mat.DenseCopyOf(s.C2)
		if _, err := s.Step(); err != nil {
			t.Fatal(err)
		}
		if math.Abs(s.lastMu-want) > 1e-15 {
			t.Errorf("μ = %v, want %v", s.lastMu, want)
		}
		p.Sub(s.WS, s.P)
		p.Scale(want, &p)
		p.Add(&p, c1)
		j.Sub(s.WS, s.J)
		j.Scale(want, &j)
		j.Add(&j, c2)
		if !mat.EqualApprox(&p, s.C1, 1e-12) || !mat.EqualApprox(&j, s.C2, 1e-12) {
			t.Errorf("μ = %v: the multipliers are not C + μ(WS − copy)", want)
		}
	}
}

// The terms of (7), with P and J in the place of WS, make up the Lagrangian
// where the copies are exact and the multipliers zero.
func TestObjectiveIsTheLagrangianAtExactCopies(t *testing.T) {
	m := strong()
	s := midway(t, m, positive(rand.New(rand.NewPCG(11, 1)), 9, 3, 2, 4), 3)
	lin.AB(s.WS, 1, s.W, s.S)
	lin.Set(s.P, 1, s.WS)
	lin.Set(s.J, 1, s.WS)
	s.C1.Zero()
	s.C2.Zero()
	var sum float64
	parts := map[string]float64{}
	for _, term := range s.Objective() {
		switch term.Name {
		case "reconstruction", "offclass", "classification", "incoherence", "graph":
			sum += term.Value
			parts[term.Name] = term.Value
		}
	}
	if want := s.lagrangian(1); math.Abs(sum-want) > 1e-9*want {
		t.Errorf("the terms %v make %v, the Lagrangian is %v", parts, sum, want)
	}
	if len(parts) != 5 {
		t.Errorf("terms %v", parts)
	}
}

// Weights that blow the dictionary up are an error that names the pass.
func TestDivergenceIsAnError(t *testing.T) {
	m := DefaultNRDL
	m.Lambda = 1e12
	_, err := m.Fit(context.Background(), positive(rand.New(rand.NewPCG(12, 1)), 30, 5, 6, 7), classify.Run{})
	if !errors.Is(err, classify.ErrDiverged) || !strings.Contains(err.Error(), "pass ") ||
		!strings.Contains(advice.Text(err), "lambda = 1e+12") {
		t.Errorf("error %v, hint %q", err, advice.Text(err))
	}
}

// The remedy for a divergence names what is not a default, and never what is.
func TestRemedyNamesTheCause(t *testing.T) {
	large, edited := DefaultNRDL, DefaultNRDL
	large.Lambda, edited.Beta = 0.5, 7
	for _, c := range []struct {
		m         NRDL
		with, not string
	}{
		{DefaultNRDL, "the data are the cause", "lambda"},
		{large, "lambda = 0.5", "data"},
		{edited, "beta = 7 (default 0.1)", "lambda"},
	} {
		if got := c.m.remedy().String(); !strings.Contains(got, c.with) || strings.Contains(got, c.not) {
			t.Errorf("%q should name %q and not %q", got, c.with, c.not)
		}
	}
}

// More atoms than features: the norms stay in their range and the model serves.
func TestMoreAtomsThanFeatures(t *testing.T) {
	train := positive(rand.New(rand.NewPCG(13, 1)), 8, 9, 8, 10)
	s := midway(t, DefaultNRDL, train, 110)
	for _, term := range s.Objective() {
		if term.Value > 100 {
			t.Errorf("%s = %v", term.Name, term.Value)
		}
	}
}
