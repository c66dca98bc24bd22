package method

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl"
	"nrdl/dataset"
	"nrdl/internal/blas"
	"nrdl/internal/lin"
	"nrdl/internal/realdata"
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
func positive(r *rand.Rand, d int, sizes ...int) *nrdl.Set {
	var labels []string
	for c, n := range sizes {
		for range n {
			labels = append(labels, fmt.Sprintf("c%d", c))
		}
	}
	x := random(r, d, len(labels))
	x.Apply(func(_, j int, v float64) float64 { return math.Abs(v) + float64(labels[j][1]-'0') }, x)
	s, err := nrdl.NewSet(x, labels, nil, nil, nrdl.Input{})
	if err != nil {
		panic(err)
	}
	return s
}

// midway returns a state some passes into a fit whose weights all matter.
func midway(t *testing.T, m NRDL, train *nrdl.Set, passes int) *nrdlState {
	t.Helper()
	s, err := newNRDLState(context.Background(), m, nrdl.Unit(train.X), train)
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
			sum += s.Gamma / 2 * s.L.M.At(u, v) * mat.Dot(&diff, &diff)
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
	x := nrdl.Unit(train.X)
	for _, atoms := range []int{0, 2} {
		m := strong()
		m.Atoms = atoms
		s := midway(t, m, train, 8)
		full := *s
		full.X, full.R = x, mat.NewDense(30, 12, nil)
		d0, groups, err := m.initial(context.Background(), x, train)
		if err != nil {
			t.Fatal(err)
		}
		_, k := d0.Dims()
		zero := func(r, c int) *mat.Dense { return mat.NewDense(r, c, nil) }
		full.D, full.atoms, full.μ = d0, groups, m.Mu
		full.S, full.W, full.P, full.J = zero(k, 12), zero(3, k), zero(3, 12), zero(3, 12)
		full.C1, full.C2, full.WS, full.T, full.TS = zero(3, 12), zero(3, 12), zero(3, 12), zero(3, 12), zero(3, k)
		full.spd, full.spdP = lin.SPD{}, lin.SPD{}
		for range 8 {
			if _, err := full.Step(); err != nil {
				t.Fatal(err)
			}
		}
		for name, pair := range map[string][2]*mat.Dense{"S": {s.S, full.S}, "W": {s.W, full.W}, "D": {s.dictionary(x), full.D}} {
			if diff := lin.MaxAbsDiff(pair[0], pair[1]); !(diff < 1e-9) {
				t.Errorf("%d atoms a class: %s differs by %.2e", atoms, name, diff)
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
		model, err := m.Fit(context.Background(), train, nrdl.Run{})
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
	x := nrdl.Unit(positive(r, 20, 30, 40, 50).X)
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
	x := nrdl.Unit(positive(rand.New(rand.NewPCG(5, 1)), 6, 4, 5).X)
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
		if got := newGraph(x, squared, 100).quadratic(y); math.Abs(got-want) > 1e-9*want {
			t.Errorf("squared %v: tr(YLYᵀ) = %v, half the weighted squared differences %v", squared, got, want)
		}
	}
}

func TestStepAllocatesLittle(t *testing.T) {
	s := midway(t, DefaultNRDL, positive(rand.New(rand.NewPCG(7, 1)), 150, 40, 40, 40), 2)
	result := testing.Benchmark(func(b *testing.B) {
		for range b.N {
			if _, err := s.Step(); err != nil {
				b.Fatal(err)
			}
		}
	})
	k, n := s.S.Dims()
	if got, limit := result.AllocedBytesPerOp(), int64(k*n*8/2); got > limit {
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
			_, err = m.Fit(context.Background(), train, nrdl.Run{})
		}
		if err == nil {
			t.Errorf("%s = %s is accepted", c.path, c.value)
		}
	}
}

type golden struct {
	Predictions []int
	Trace       []map[string]float64
}

func readGolden(t *testing.T, name string) golden {
	t.Helper()
	raw, err := os.ReadFile(realdata.Path(t, "..", "golden", name))
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.Unmarshal(raw, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

func trainingPart(t *testing.T, file, split string, seed uint64) (train, test *nrdl.Set) {
	t.Helper()
	set, err := dataset.Open(context.Background(), realdata.Path(t, "sets", file), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := dataset.ParseSplit(split)
	if err != nil {
		t.Fatal(err)
	}
	tr, te, err := s.Apply(set, seed)
	if err != nil {
		t.Fatal(err)
	}
	return set.Select(tr), set.Select(te)
}

// The traces were computed by two independent routes with D₀ the training
// samples; floor is the size above which the routes agree to 1e-6.
func TestGoldenTraces(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	for _, c := range []struct {
		file, split, golden string
		floor               float64
	}{
		{"orl_56x46.mat", "first:6", "nrdl_orl_first6.json", 1e-9},
		{"yaleb_32x32.mat", "first:20", "nrdl_yaleb_first20.json", 1e-6},
	} {
		g := readGolden(t, c.golden)
		train, test := trainingPart(t, c.file, c.split, 1)
		for _, b := range blas.Available() {
			t.Run(fmt.Sprintf("%s/%v", c.golden, b), func(t *testing.T) {
				was := blas.Current()
				if err := blas.Use(b); err != nil {
					t.Fatal(err)
				}
				defer func() {
					if err := blas.Use(was); err != nil {
						t.Fatal(err)
					}
				}()
				model := g.compare(t, train, c.floor)
				g.recognise(t, model, test)
			})
		}
	}
}

func (g golden) compare(t *testing.T, train *nrdl.Set, floor float64) *nrdl.Model {
	t.Helper()
	passes, failed := 0, 0
	model, err := DefaultNRDL.Fit(context.Background(), train, nrdl.Run{Watch: func(p nrdl.Progress) {
		passes++
		if passes > len(g.Trace) {
			return
		}
		want := g.Trace[passes-1]
		got := append(p.Terms(), nrdl.Term{Name: "residual", Value: p.Residual}, nrdl.Term{Name: "iter", Value: float64(p.Iter)})
		if len(got) != len(want) {
			t.Fatalf("%d quantities a pass, the trace has %d", len(got), len(want))
		}
		for _, term := range got {
			w, ok := want[term.Name]
			if !ok || math.Abs(w) > floor && !(math.Abs(term.Value-w) <= 1e-6*math.Abs(w)) {
				if failed++; failed < 10 {
					t.Errorf("pass %d: %s = %v, want %v", passes, term.Name, term.Value, w)
				}
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if passes != len(g.Trace) || model.Parts().Trained.Status != nrdl.Converged {
		t.Errorf("%v after %d passes, want %d", model.Parts().Trained.Status, passes, len(g.Trace))
	}
	return model
}

// recognise compares the classes, which the trace numbers from 1.
func (g golden) recognise(t *testing.T, model *nrdl.Model, test *nrdl.Set) {
	t.Helper()
	got, err := model.Predict(context.Background(), test.X)
	if err != nil {
		t.Fatal(err)
	}
	differ := 0
	for j, p := range g.Predictions {
		if p != got[j]+1 {
			differ++
		}
	}
	if len(got) != len(g.Predictions) || differ > 0 {
		t.Errorf("%d of %d predictions differ from the golden ones", differ, len(got))
	}
}

// With conjugate gradients in (14) the same trace comes out.
func TestGoldenTraceByConjugateGradients(t *testing.T) {
	g := readGolden(t, "nrdl_orl_first6.json")
	train, _ := trainingPart(t, "orl_56x46.mat", "first:6", 1)
	x := nrdl.Unit(train.X)
	s, err := newNRDLState(context.Background(), DefaultNRDL, x, train)
	if err != nil {
		t.Fatal(err)
	}
	s.L = newGraph(x, false, 0)
	for i, want := range g.Trace {
		residual, err := s.Step()
		if err != nil {
			t.Fatal(err)
		}
		for _, term := range append(s.Objective(), nrdl.Term{Name: "residual", Value: residual}) {
			if w := want[term.Name]; w > 1e-9 && !(math.Abs(term.Value-w) <= 1e-6*w) {
				t.Fatalf("pass %d: %s = %v, want %v", i+1, term.Name, term.Value, w)
			}
		}
	}
}
