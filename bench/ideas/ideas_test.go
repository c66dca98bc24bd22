package main

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"nrdl"
	"nrdl/dataset"
	"nrdl/experiment"
	"nrdl/internal/lin"
	"nrdl/method"
)

func drawn(t testing.TB, side int) *nrdl.Set {
	t.Helper()
	s := dataset.DefaultSynthetic
	s.People, s.PerPerson, s.Input = 6, 8, nrdl.Size{Height: side, Width: side}
	set, err := s.Draw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// prepared divides drawn faces.
func prepared(t testing.TB, input string) *split {
	t.Helper()
	in, err := nrdl.ParseInput(input)
	if err != nil {
		t.Fatal(err)
	}
	side := 32
	if in.Size != (nrdl.Size{}) {
		side = in.Height
	}
	set := drawn(t, side)
	learn, judge, err := mustSplit("random:3").Apply(set, 1)
	if err != nil {
		t.Fatal(err)
	}
	s, err := divide(t.Context(), set, in, learn, judge)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// same fails unless scores are those of the base.
func same(t *testing.T, what string, got *mat.Dense, err error, want *mat.Dense) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if d := lin.MaxAbsDiff(got, want); !(d < 1e-8) {
		t.Errorf("%s: the scores are off by %v", what, d)
	}
}

// scoresOf are the scores of the base, or of the unprojected one.
func scoresOf(t *testing.T, f func() (*mat.Dense, error)) *mat.Dense {
	t.Helper()
	scores, err := f()
	if err != nil {
		t.Fatal(err)
	}
	return scores
}

// The bases are what the library recognises with these Inputs.
func TestBasesAreTheLibrary(t *testing.T) {
	for _, input := range []string{"faces32", "faces32 lbp:8+hog:8 fisher:1"} {
		s := prepared(t, input)
		unprojected := s.in
		unprojected.Projection.Projection = nil
		for _, c := range []struct {
			in     nrdl.Input
			scores *mat.Dense
		}{{s.in, scoresOf(t, s.projected)}, {unprojected, scoresOf(t, s.raw)}} {
			train, err := s.train.Training(t.Context(), c.in)
			if err != nil {
				t.Fatal(err)
			}
			m, err := method.NRC{Coder: stopped}.Fit(t.Context(), train, nrdl.Run{})
			if err != nil {
				t.Fatal(err)
			}
			want, err := m.ScoresOf(t.Context(), s.test)
			if err != nil {
				t.Fatal(err)
			}
			// 1 − r and 1 − r²
			want.Apply(func(_, _ int, v float64) float64 { return 1 - (1-v)*(1-v) }, want)
			same(t, c.in.String(), c.scores, nil, want)
			judged, err := experiment.Judge(t.Context(), m, s.test)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.wrong(c.scores); got != judged.Wrong || len(s.labels) != judged.N {
				t.Errorf("%v: %d wrong of %d, the library says %d of %d", c.in, got, len(s.labels), judged.Wrong, judged.N)
			}
		}
	}
}

// Every idea is its base where its parameter is neutral.
func TestNeutralParameters(t *testing.T) {
	s := prepared(t, "faces32")
	ctx := t.Context()
	projected, raw := scoresOf(t, s.projected), scoresOf(t, s.raw)

	got, err := s.fused(0)
	same(t, "fusion of weight 0", got, err, projected)
	got, err = s.priced(0)
	same(t, "prices of 0", got, err, projected)
	got, err = s.twoPhases(len(s.train.Classes))
	same(t, "a second phase of all classes", got, err, projected)
	got, err = s.voted([]move{{}})
	same(t, "queries that are not moved", got, err, projected)
	got, err = s.voted([]move{{}, {}})
	same(t, "the same queries twice", got, err, projected)
	got, err = s.seen(ctx, s.in)
	same(t, "the same Input", got, err, projected)

	rows, _ := s.X.Dims()
	whole := []block{{0, rows}}
	got, err = s.byFeature(ctx, whole)
	same(t, "one feature", got, err, projected)
	got, err = s.sideBySide(ctx, whole, stopped)
	same(t, "one feature, side by side", got, err, projected)

	got, err = s.fisherNRC(ctx, s.whole())
	same(t, "kernel Fisher of the inner products", got, err, projected)
	x, y, err := s.whole().coordinates()
	if err != nil {
		t.Fatal(err)
	}
	got, err = newGram(x, y, s.groups).nrc(stopped)
	same(t, "coordinates of the inner products", got, err, raw)
	far, err := s.whole().withoutWithin(1e12)
	if err != nil {
		t.Fatal(err)
	}
	got, err = far.nrc(stopped)
	same(t, "a metric of an endless ridge", got, err, raw)
}

// The features divide a sample.
func TestFeatures(t *testing.T) {
	s := prepared(t, "faces32")
	rows, _ := s.X.Dims()
	at := 0
	for _, b := range s.features() {
		if b.lo != at || b.hi <= b.lo {
			t.Fatalf("block %v begins at %d", b, at)
		}
		at = b.hi
	}
	if at != rows || len(s.features()) != len(s.in.Features) {
		t.Errorf("%d of %d rows are in %d features", at, rows, len(s.features()))
	}
}

// Kernels are what their formulas say, and coordinates have their inner products.
func TestKernels(t *testing.T) {
	s := prepared(t, "faces32")
	const γ = 0.7
	gauss, chi := rbf(s.whole(), γ), s.chi2()
	rows, n := s.Y.Dims()
	for j := range n {
		for k := range 4 {
			var square, sum float64
			for i := range rows {
				x, y := s.X.At(i, k), s.Y.At(i, j)
				square += (x - y) * (x - y)
				if h, g := x*x, y*y; h+g > 0 {
					sign := 1.0
					if x*y < 0 {
						sign = -1
					}
					sum += sign * 2 * h * g / (h + g)
				}
			}
			if d := gauss.B.At(k, j) - math.Exp(-γ*square); d > 1e-12 || d < -1e-12 {
				t.Fatalf("RBF of %d and %d is off by %v", k, j, d)
			}
			if d := chi.B.At(k, j) - sum; d > 1e-12 || d < -1e-12 {
				t.Fatalf("χ² of %d and %d is off by %v", k, j, d)
			}
		}
	}
	x, y, err := gauss.coordinates()
	if err != nil {
		t.Fatal(err)
	}
	again := newGram(x, y, s.groups)
	if d := max(lin.MaxAbsDiff(again.G, gauss.G), lin.MaxAbsDiff(again.B, gauss.B)); d > 1e-10 {
		t.Errorf("the coordinates' inner products are off by %v", d)
	}
}

// The metric is that of [esrc] over centred samples: with W the samples less the
// means of their classes, the inner product of x and y is
// xᵀ(I + WWᵀ/ε)⁻¹y, and atoms have unit length in it.
func TestMetric(t *testing.T) {
	const ridge = 0.3
	s := prepared(t, "8x8 mirror fisher:0.3")
	less := func(a *mat.Dense, lo, hi int) *mat.Dense { // a less the mean of X's columns lo ≤ j < hi
		b := mat.DenseCopyOf(a)
		b.Apply(func(i, _ int, v float64) float64 { return v - stat.Mean(s.X.RawRowView(i)[lo:hi], nil) }, b)
		return b
	}
	d, n := s.X.Dims()
	x, y := less(s.X, 0, n), less(s.Y, 0, n)
	scatter := mat.NewDense(d, d, nil)
	for c := range s.train.Classes {
		lo, hi := s.groups[c], s.groups[c+1]
		lin.AddABt(scatter, 1, lin.Cols(less(s.X, lo, hi), lo, hi), lin.Cols(less(s.X, lo, hi), lo, hi))
	}
	var metric, mx, my mat.Dense
	metric.Scale(float64(n-1)/ridge/mat.Trace(scatter), scatter) // S_w/ε
	lin.AddDiag(&metric, 1)
	if err := metric.Inverse(&metric); err != nil {
		t.Fatal(err)
	}
	mx.Mul(&metric, x)
	my.Mul(&metric, y)
	got, err := s.whole().centred().withoutWithin(ridge)
	if err != nil {
		t.Fatal(err)
	}
	_, queries := y.Dims()
	for k := range n {
		length := math.Sqrt(mat.Dot(x.ColView(k), mx.ColView(k)))
		for j := range queries {
			if want := mat.Dot(x.ColView(k), my.ColView(j)) / length; math.Abs(got.B.At(k, j)-want) > 1e-9 {
				t.Fatalf("atom %d and query %d: %v, not %v", k, j, got.B.At(k, j), want)
			}
		}
		if math.Abs(got.G.At(k, k)-1) > 1e-12 {
			t.Fatalf("atom %d has the squared length %v", k, got.G.At(k, k))
		}
	}
}

// The code with prices has the least of what it minimises, where ADMM is not
// stopped: no small change of a coefficient lowers it.
func TestPricesAreOptimal(t *testing.T) {
	s := prepared(t, "8x8 mirror fisher:0.3")
	p := newGram(s.Z, s.Q, s.groups)
	f := mat.DenseCopyOf(p.B)
	for k := range s.groups[1] {
		row := f.RawRowView(k)
		for j := range row {
			row[j] -= 0.05 // λ/2·w of the first class
		}
	}
	exact := stopped
	exact.Rho, exact.Passes = 1, 5000
	codes, err := p.code(exact, f)
	if err != nil {
		t.Fatal(err)
	}
	var slope mat.Dense // of the objective, over 2
	slope.Mul(p.G, codes)
	slope.Sub(&slope, f)
	atoms, n := codes.Dims()
	for k := range atoms {
		for j := range n {
			if v := slope.At(k, j); v < -1e-5 || codes.At(k, j) > 1e-4 && v > 1e-5 {
				t.Fatalf("atom %d, query %d: coefficient %v has the slope %v", k, j, codes.At(k, j), v)
			}
		}
	}
}

// A moved image has the pixels of the other.
func TestMoved(t *testing.T) {
	set := drawn(t, 32)
	to := moved(set, move{down: 2, right: -1})
	h := set.Input.Height
	for _, at := range [][2]int{{2, 0}, {10, 7}, {31, 30}} {
		i, j := at[0], at[1]
		if got, want := to.X.At(j*h+i, 3), set.X.At((j+1)*h+i-2, 3); got != want {
			t.Errorf("pixel %v is %v, not %v", at, got, want)
		}
	}
	if to.X.At(0, 3) != set.X.At(h, 3) {
		t.Error("the nearest pixel does not come in at the corner")
	}
}

// Ideas have names of their own, and databases that exist.
func TestIdeasAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, i := range ideas {
		if seen[i.name] || i.hypothesis == "" || i.done == "" || i.base.scores == nil || i.scores == nil || len(i.on) == 0 {
			t.Errorf("idea %q is there twice or incomplete", i.name)
		}
		seen[i.name] = true
		for _, name := range i.on {
			if !slices.ContainsFunc(databases, func(d database) bool { return d.Name == name }) {
				t.Errorf("idea %q: no database %q", i.name, name)
			}
		}
	}
	for _, d := range databases {
		if _, err := nrdl.ParseInput(d.Input); err != nil {
			t.Error(err)
		}
	}
}
