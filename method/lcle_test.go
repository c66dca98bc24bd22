package method

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
)

// strongLCLE has weights that all matter, on small sets.
func strongLCLE() LCLE {
	m := DefaultLCLE
	m.Alpha, m.Beta, m.Gamma, m.Neighbours, m.Coder.Sparsity = 0.3, 0.7, 0.2, 2, 2
	return m
}

// midwayLCLE returns a state some passes into a fit.
func midwayLCLE(t *testing.T, m LCLE, train *classify.Samples, passes int) *lcleState {
	t.Helper()
	s, err := newLCLEState(m, newTask(t, train, m.Atoms))
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

// objective is the problem of LCLE from its definition, with the Laplacian l.
func (s *lcleState) objective(l *mat.Dense) float64 {
	k, _ := s.S.Dims()
	u := mat.NewDense(k, k, nil)
	for c := range len(s.groups) - 1 {
		for i := s.groups[c]; i < s.groups[c+1]; i++ {
			for j := s.groups[c]; j < s.groups[c+1]; j++ {
				u.Set(i, j, 1/float64(s.groups[c+1]-s.groups[c]))
			}
		}
	}
	trace := func(codes, weights *mat.Dense) float64 { // tr(codesᵀ·weights·codes)
		var p mat.Dense
		p.Product(codes.T(), weights, codes)
		return mat.Trace(&p)
	}
	off := func(a, b mat.Matrix) float64 {
		var e mat.Dense
		e.Sub(a, b)
		return math.Pow(mat.Norm(&e, 2), 2)
	}
	var ds, dv mat.Dense
	ds.Mul(s.D, s.S)
	dv.Mul(s.D, s.V)
	return off(s.X, &ds) + off(s.X, &dv) + s.Alpha*trace(s.S, l) + s.Beta*trace(s.V, u) + s.Gamma*off(s.S, s.V)
}

// laplacian is L_a of d from its definition.
func laplacian(d *mat.Dense, k int) *mat.Dense {
	_, atoms := d.Dims()
	distance := func(i, j int) float64 {
		var e mat.VecDense
		e.SubVec(d.ColView(i), d.ColView(j))
		return mat.Norm(&e, 2)
	}
	var t float64
	for i := range atoms {
		for j := range atoms {
			t += distance(i, j) / float64(atoms*atoms)
		}
	}
	m := mat.NewDense(atoms, atoms, nil)
	for i := range atoms {
		var others []int
		for j := range atoms {
			if j != i {
				others = append(others, j)
			}
		}
		slices.SortStableFunc(others, func(a, b int) int { return cmp.Compare(distance(i, a), distance(i, b)) })
		for _, j := range others[:k] {
			w := math.Exp(-math.Pow(distance(i, j), 2) / (2 * t * t))
			m.Set(i, j, w)
			m.Set(j, i, w)
		}
	}
	l := mat.NewDense(atoms, atoms, nil)
	for i := range atoms {
		for j := range atoms {
			l.Set(i, j, l.At(i, j)-m.At(i, j))
			l.Set(i, i, l.At(i, i)+m.At(i, j))
		}
	}
	return l
}

func TestAtomGraphIsTheLaplacian(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 20))
	for _, k := range []int{1, 2, 5, 11} {
		d := random(r, 6, 12)
		gram := mat.NewDense(12, 12, nil)
		lin.AtA(gram, 1, d)
		g, want := newAtomGraph(gram, k), laplacian(d, k)
		got := mat.NewDense(12, 12, nil)
		g.addTo(got, 1)
		lin.Mirror(got)
		if diff := lin.MaxAbsDiff(got, want); !(diff < 1e-12) {
			t.Errorf("%d neighbours: L_a is off by %.1e", k, diff)
		}
		s := random(r, 12, 4)
		var p mat.Dense
		p.Product(s.T(), want, s)
		if diff := math.Abs(g.quadratic(s) - mat.Trace(&p)); !(diff < 1e-11) {
			t.Errorf("%d neighbours: tr(SᵀL_aS) is off by %.1e", k, diff)
		}
	}
}

// Equal atoms are neighbours of weight 1, and of equally near ones the first.
func TestAtomGraphOfEqualAtoms(t *testing.T) {
	gram := mat.NewDense(4, 4, slices.Repeat([]float64{1}, 16))
	got := mat.NewDense(4, 4, nil)
	newAtomGraph(gram, 1).addTo(got, 1)
	lin.Mirror(got)
	want := mat.NewDense(4, 4, []float64{3, -1, -1, -1, -1, 1, 0, 0, -1, 0, 1, 0, -1, 0, 0, 1})
	if !mat.Equal(got, want) {
		t.Errorf("L_a = %v", mat.Formatted(got))
	}
}

// shapesOfLCLE are K = N and fewer atoms, unequal classes, more and fewer
// features than samples and than atoms.
var shapesOfLCLE = []struct {
	name  string
	d     int
	atoms int
	sizes []int
}{
	{"K = N, d > N", 20, 0, []int{3, 2, 4}},
	{"K = N, d < N", 7, 0, []int{3, 5, 4}},
	{"K < N, d > N", 20, 2, []int{3, 2, 4}},
	{"K < N, d < K", 5, 3, []int{3, 5, 6}},
}

// Every update minimises the problem over its variable, the graph being that of
// the pass; so the problem falls from update to update.
func TestLCLEUpdatesAreMinimisers(t *testing.T) {
	for _, c := range shapesOfLCLE {
		t.Run(c.name, func(t *testing.T) {
			m := strongLCLE()
			m.Atoms = c.atoms
			s := midwayLCLE(t, m, positive(rand.New(rand.NewPCG(2, 20)), c.d, c.sizes...), 2)
			s.L = newAtomGraph(s.G, m.Neighbours)
			l := laplacian(s.D, m.Neighbours)
			before := s.objective(l)
			for _, u := range []struct {
				name   string
				update func() error
				over   *mat.Dense
			}{{"V", s.updateV, s.V}, {"D", s.updateD, s.D}, {"S", s.updateS, s.S}} {
				if err := u.update(); err != nil {
					t.Fatal(err)
				}
				if g := gradient(u.over, func() float64 { return s.objective(l) }); g > 1e-8 {
					t.Errorf("update of %s: gradient %.1e", u.name, g)
				}
				now := s.objective(l)
				if now > before*(1+1e-12) {
					t.Errorf("update of %s: the objective rises from %v to %v", u.name, before, now)
				}
				before = now
			}
			var terms float64
			for _, term := range s.Objective()[:5] {
				terms += term.Value
			}
			if now := s.objective(l); math.Abs(terms-now) > 1e-10*now {
				t.Errorf("the terms add to %v, the objective is %v", terms, now)
			}
		})
	}
}

// The graph of a pass is that of the atoms with which it begins, in every pass: S,
// which comes last, minimises the problem with it.
func TestLCLEGraphFollowsTheAtoms(t *testing.T) {
	m := strongLCLE()
	s := midwayLCLE(t, m, positive(rand.New(rand.NewPCG(7, 20)), 9, 3, 4, 5), 0)
	for pass := range 3 {
		l := laplacian(s.D, m.Neighbours)
		if _, err := s.Step(); err != nil {
			t.Fatal(err)
		}
		if g := gradient(s.S, func() float64 { return s.objective(l) }); g > 1e-8 {
			t.Errorf("pass %d: gradient %.1e in S", pass, g)
		}
		if now := laplacian(s.D, m.Neighbours); lin.MaxAbsDiff(now, l) < 1e-4 {
			t.Errorf("pass %d hardly changes the graph: nothing is tested", pass)
		}
	}
}

// With more features than samples the fit of compressed samples is that of the
// samples themselves.
func TestLCLECompressionChangesNothing(t *testing.T) {
	train := positive(rand.New(rand.NewPCG(3, 20)), 30, 4, 3, 5)
	x := classify.Unit(train.X)
	for _, atoms := range []int{0, 2} {
		m := strongLCLE()
		m.Atoms = atoms
		s := midwayLCLE(t, m, train, 0)
		full := *s
		full.X = x
		d0, _, err := classwise(context.Background(), m.Init, x, train, atoms)
		if err != nil {
			t.Fatal(err)
		}
		full.D, full.Last = d0, mat.DenseCopyOf(d0)
		for _, a := range []**mat.Dense{&full.S, &full.V, &full.DX, &full.C, &full.G, &full.A} {
			*a = mat.DenseCopyOf(*a)
		}
		full.spd = lin.SPD{}
		full.multiplyD()
		for range 3 {
			if _, err := s.Step(); err != nil {
				t.Fatal(err)
			}
			if _, err := full.Step(); err != nil {
				t.Fatal(err)
			}
		}
		for name, pair := range map[string][2]*mat.Dense{"S": {s.S, full.S}, "V": {s.V, full.V}, "D": {combine(x, s.C), full.D}} {
			if diff := lin.MaxAbsDiff(pair[0], pair[1]); !(diff < 1e-9) {
				t.Errorf("%d atoms per class: %s differs by %.2e", atoms, name, diff)
			}
		}
	}
}

// The model has unit atoms, and the classifier of the codes S of unit norm.
func TestLCLEModel(t *testing.T) {
	train, _ := ordered(positive(rand.New(rand.NewPCG(4, 20)), 9, 6, 5, 7))
	m := strongLCLE()
	m.Passes = 3
	fit, err := m.Fit(context.Background(), train, classify.Run{})
	if err != nil {
		t.Fatal(err)
	}
	s := midwayLCLE(t, m, train, 3)
	norms := make([]float64, 18)
	lin.SquaredColumnNorms(norms, fit.Parts().D)
	for k, v := range norms {
		if math.Abs(v-1) > 1e-12 {
			t.Errorf("atom %d has the squared norm %v", k, v)
		}
	}
	w, err := classifier(classify.Unit(s.S), train.Groups, m.Ridge)
	if err != nil {
		t.Fatal(err)
	}
	if diff := lin.MaxAbsDiff(linear(fit.Parts()), classify.Unit(w)); !(diff < 1e-12) {
		t.Errorf("W differs by %.1e", diff)
	}
}

// Equal samples, weights of zero: singular systems, but finite models.
func TestLCLESingularSystemsStayFinite(t *testing.T) {
	train := positive(rand.New(rand.NewPCG(5, 20)), 4, 5, 6, 7)
	for i := range 4 {
		train.X.Set(i, 1, train.X.At(i, 0))
		train.X.Set(i, 8, 2*train.X.At(i, 7))
	}
	for _, weight := range []float64{0, 1e6} {
		m := strongLCLE()
		m.Alpha, m.Beta, m.Gamma, m.Ridge = weight, weight, weight, 0
		fit, err := m.Fit(context.Background(), train, classify.Run{})
		if err != nil {
			t.Fatal(err)
		}
		scores, err := fit.Scores(context.Background(), train.X)
		if err != nil {
			t.Fatal(err)
		}
		if v := mat.Norm(scores, 2); math.IsNaN(v) || v == 0 || v > 1e6 {
			t.Errorf("weights %v: scores have norm %v", weight, v)
		}
	}
}

func TestLCLEBadParametersAreNamed(t *testing.T) {
	train := positive(rand.New(rand.NewPCG(6, 20)), 5, 3, 4)
	for _, c := range []struct{ path, value string }{
		{"alpha", "-1"},
		{"beta", "NaN"},
		{"gamma", "-1"},
		{"neighbours", "0"},
		{"atoms", "-1"},
		{"atoms", "4"},
		{"passes", "0"},
		{"tol", "-1"},
		{"ridge", "-1"},
		{"init.sparsity", "0"},
		{"coder.sparsity", "0"},
	} {
		m, err := Set(strongLCLE(), c.path, c.value)
		if err == nil {
			_, err = m.Fit(context.Background(), train, classify.Run{})
		}
		if err == nil {
			t.Errorf("%s = %s is accepted", c.path, c.value)
		}
	}
}
