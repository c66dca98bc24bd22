package method

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
)

// strongSDRERDL has weights that all matter, on small sets.
func strongSDRERDL() SDRERDL {
	m := DefaultSDRERDL
	m.Tau, m.Eta, m.Lambda, m.Nu, m.Coder.Sparsity = 0.6, 0.3, 0.2, 0.1, 2
	return m
}

// pictures are positive samples that are images two pixels high.
func pictures(r *rand.Rand, d int, sizes ...int) *classify.Samples {
	s := positive(r, d, sizes...)
	s.Grid = classify.Grid{Height: 2, Width: d / 2, Planes: 1}
	return s
}

// midwaySDRERDL returns a state some passes into a fit.
func midwaySDRERDL(t *testing.T, m SDRERDL, train *classify.Samples, passes int) *sdrerdlState {
	t.Helper()
	s, err := newSDRERDLState(m, newTask(t, train, m.Atoms))
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

// objective is the problem of SDRERDL from its definition.
func (s *sdrerdlState) objective() float64 {
	_, n := s.S.Dims()
	square := func(a mat.Matrix) float64 { return math.Pow(mat.Norm(a, 2), 2) }
	var e, em, off mat.Dense
	e.Mul(s.D, s.S)
	e.Sub(lin.Cols(s.X, 0, n), &e)
	em.Mul(s.D, s.Sm)
	em.Sub(lin.Cols(s.X, n, 2*n), &em)
	off.Sub(s.S, s.Sm)
	return square(&e) + s.Tau*square(&em) + s.Eta*square(&off) + s.Lambda*(square(s.S)+square(s.Sm)) + s.Nu*square(s.D)
}

// The samples stay, and left and right change places in their images, pixels
// being in column-major order.
func TestWithMirrorImages(t *testing.T) {
	x := mat.NewDense(6, 1, []float64{11, 21, 12, 22, 13, 23}) // 11 12 13 over 21 22 23
	want := mat.NewDense(6, 2, []float64{11, 13, 21, 23, 12, 12, 22, 22, 13, 11, 23, 21})
	if got := withMirrorImages(x, classify.Grid{Height: 2, Width: 3, Planes: 1}); !mat.Equal(got, want) {
		t.Errorf("[X X′] = %v", mat.Formatted(got))
	}
}

// Every update minimises the problem over its variable; so the problem falls
// from update to update, over all passes.
func TestSDRERDLUpdatesAreMinimisers(t *testing.T) {
	for _, c := range []struct {
		name  string
		d     int
		atoms int
		sizes []int
	}{
		{"K = N, d > 2N", 20, 0, []int{3, 2, 4}},
		{"K = N, d < N", 8, 0, []int{3, 5, 4}},
		{"K < N, d > 2N", 20, 2, []int{3, 2, 4}},
		{"K < N, d < K", 6, 3, []int{3, 5, 6}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := strongSDRERDL()
			m.Atoms = c.atoms
			s := midwaySDRERDL(t, m, pictures(rand.New(rand.NewPCG(1, 21)), c.d, c.sizes...), 0)
			before := s.objective()
			for pass := range 5 {
				for _, u := range []struct {
					name   string
					update func() error
					over   *mat.Dense
				}{{"S", s.updateS, s.S}, {"S′", s.updateSm, s.Sm}, {"D", s.updateD, s.D}} {
					if err := u.update(); err != nil {
						t.Fatal(err)
					}
					if g := gradient(u.over, s.objective); g > 1e-8 {
						t.Errorf("pass %d, update of %s: gradient %.1e", pass, u.name, g)
					}
					now := s.objective()
					if now > before*(1+1e-12) {
						t.Errorf("pass %d, update of %s: the objective rises from %v to %v", pass, u.name, before, now)
					}
					before = now
				}
			}
			var terms float64
			for _, term := range s.Objective()[:5] {
				terms += term.Value
			}
			if math.Abs(terms-before) > 1e-10*before {
				t.Errorf("the terms add to %v, the objective is %v", terms, before)
			}
		})
	}
}

// With more features than images and mirror images the fit of compressed
// samples is that of the samples themselves.
func TestSDRERDLCompressionChangesNothing(t *testing.T) {
	train := pictures(rand.New(rand.NewPCG(2, 21)), 30, 4, 3, 5)
	both := withMirrorImages(classify.Unit(train.X), train.Grid)
	for _, atoms := range []int{0, 2} {
		m := strongSDRERDL()
		m.Atoms = atoms
		s := midwaySDRERDL(t, m, train, 0)
		full := *s
		full.X = both
		d0, _, err := classwise(context.Background(), m.Init, lin.Cols(both, 0, 12), train, atoms)
		if err != nil {
			t.Fatal(err)
		}
		full.D, full.Last = d0, mat.DenseCopyOf(d0)
		for _, a := range []**mat.Dense{&full.Codes, &full.DX, &full.C, &full.G, &full.A} {
			*a = mat.DenseCopyOf(*a)
		}
		full.S, full.Sm = lin.Cols(full.Codes, 0, 12), lin.Cols(full.Codes, 12, 24)
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
		for name, pair := range map[string][2]*mat.Dense{"S": {s.S, full.S}, "S′": {s.Sm, full.Sm}, "D": {combine(both, s.C), full.D}} {
			if diff := lin.MaxAbsDiff(pair[0], pair[1]); !(diff < 1e-9) {
				t.Errorf("%d atoms per class: %s differs by %.2e", atoms, name, diff)
			}
		}
	}
}

// With τ = 0 the mirror images do not matter: any image shape gives one model.
func TestSDRERDLWithoutMirrorImages(t *testing.T) {
	train := pictures(rand.New(rand.NewPCG(3, 21)), 12, 5, 6, 4)
	fit := func(tau float64, in classify.Grid) *mat.Dense {
		m := strongSDRERDL()
		m.Tau, m.Eta = tau, 0
		set := *train
		set.Grid = in
		model, err := m.Fit(context.Background(), &set, classify.Run{})
		if err != nil {
			t.Fatal(err)
		}
		return model.Parts().D
	}
	wide, high := classify.Grid{Height: 2, Width: 6, Planes: 1}, classify.Grid{Height: 6, Width: 2, Planes: 1}
	if diff := lin.MaxAbsDiff(fit(0, wide), fit(0, high)); diff > 1e-9 {
		t.Errorf("τ = 0: the shape of the images changes D by %.1e", diff)
	}
	if diff := lin.MaxAbsDiff(fit(1, wide), fit(1, high)); diff < 1e-3 {
		t.Errorf("τ = 1: the shape of the images changes D by %.1e only", diff)
	}
}

// Samples of unknown shape have no mirror images: the error says what to do.
func TestSDRERDLNeedsImages(t *testing.T) {
	train := positive(rand.New(rand.NewPCG(4, 21)), 12, 5, 6)
	_, err := strongSDRERDL().Fit(context.Background(), train, classify.Run{})
	if err == nil || !strings.Contains(err.Error(), "mirror images") || advice.Text(err) == "" {
		t.Errorf("error %v, hint %q", err, advice.Text(err))
	}
}

// Equal samples, weights of zero: singular systems, but finite models.
func TestSDRERDLSingularSystemsStayFinite(t *testing.T) {
	train := pictures(rand.New(rand.NewPCG(5, 21)), 4, 5, 6, 7)
	for i := range 4 {
		train.X.Set(i, 1, train.X.At(i, 0))
		train.X.Set(i, 8, 2*train.X.At(i, 7))
	}
	for _, weight := range []float64{0, 1e6} {
		m := strongSDRERDL()
		m.Tau, m.Eta, m.Lambda, m.Nu, m.Ridge = weight, weight, weight, weight, 0
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

func TestSDRERDLBadParametersAreNamed(t *testing.T) {
	train := pictures(rand.New(rand.NewPCG(7, 21)), 6, 3, 4)
	for _, c := range []struct{ path, value string }{
		{"tau", "-1"},
		{"eta", "NaN"},
		{"lambda", "-1"},
		{"nu", "-1"},
		{"atoms", "-1"},
		{"atoms", "4"},
		{"passes", "0"},
		{"tol", "-1"},
		{"ridge", "-1"},
		{"init.sparsity", "0"},
		{"coder.sparsity", "0"},
	} {
		m, err := Set(strongSDRERDL(), c.path, c.value)
		if err == nil {
			_, err = m.Fit(context.Background(), train, classify.Run{})
		}
		if err == nil {
			t.Errorf("%s = %s is accepted", c.path, c.value)
		}
	}
}
