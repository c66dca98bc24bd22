package frontend_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/feature"
	"nrdl.example/nrdl/projection"
)

// learned returns a model whose atoms are the training samples that in makes of s.
func learned(t testing.TB, s *dataset.Images, in frontend.Pipeline) *frontend.Model {
	t.Helper()
	m, err := frontend.Learn(t.Context(), s, in, keeping{}, classify.Run{})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	return m
}

// keeping is a method whose dictionary is the training samples.
type keeping struct{}

func (keeping) Name() string    { return "keeping" }
func (keeping) Validate() error { return nil }
func (keeping) Fit(_ context.Context, train *classify.Samples, _ classify.Run) (*classify.Classifier, error) {
	return classify.NewClassifier(classify.Parts{
		D: classify.Unit(train.X), Groups: train.Groups, Classes: train.Classes, Coder: coding.Ridge{Lambda: 0.01},
		Rule: classify.Residual{}, Grid: train.Grid, Method: "keeping",
	})
}

func scoresOf(t testing.TB, m *frontend.Model, s *dataset.Images) *mat.Dense {
	t.Helper()
	got, err := m.Scores(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// whole are inputs with all kinds of stages.
var whole = []string{
	"12x10 pixels", "12x10 igo", "12x10 mirror fisher:0.5", "12x10 lcn pca:4", "12x10 despeckle igo+hog:cell=4 mirror fisher:0.1",
	"12x10 crop=1 lbp:cell=5+igo zoom=0.7 mirror fisher:0.2 shift=1",
}

// Images are recognised as the stages and the coder say, one after the other.
func TestScoresOfAreTheStages(t *testing.T) {
	s := images(t, small, 40)
	test := images(t, small, 90)
	for i := range small.Len() {
		test.X.Set(i, 7, 0) // a blank one
	}
	for _, text := range whole {
		in := input(t, text)
		m := learned(t, s, in)
		p := m.Parts()
		got := scoresOf(t, m, test)
		over, err := p.Coder.Over(coding.Basis{D: p.D, Groups: p.Groups})
		if err != nil {
			t.Fatal(err)
		}
		d, k := p.D.Dims()
		for j := range test.IDs {
			y := mat.NewVecDense(in.Len(), sampleOf(t, in, mat.Col(nil, j, test.X)))
			normalise(y)
			if f := m.Basis; f != nil && mat.Norm(y, 2) > 0 {
				y.SubVec(y, mat.NewVecDense(len(f.M), f.M))
				projected := mat.NewVecDense(d, nil)
				projected.MulVec(f.P.T(), y)
				y = projected
				normalise(y)
			}
			code := mat.NewDense(k, 1, nil)
			column := mat.NewDense(d, 1, nil)
			if mat.Norm(y, 2) > 0 {
				column.SetCol(0, y.RawVector().Data)
			}
			if err := over.Code(t.Context(), code, column); err != nil {
				t.Fatal(err)
			}
			for c := range p.Classes {
				lo, hi := p.Groups[c], p.Groups[c+1]
				var r mat.Dense
				r.Mul(p.D.Slice(0, d, lo, hi), code.Slice(lo, hi, 0, 1))
				r.Sub(column, &r)
				want := 1 - mat.Norm(&r, 2)
				if mat.Norm(column, 2) == 0 {
					want = 0
				}
				if v := got.At(c, j); math.Abs(v-want) > 1e-10 {
					t.Errorf("%s: image %d, class %d scores %v, want %v", text, j, c, v, want)
				}
			}
		}
		if named, err := m.Predict(t.Context(), s); err != nil || !slices.Equal(named, s.Labels()) {
			t.Errorf("%s: the training images are named %v, %v", text, named, err)
		}
	}
}

func normalise(y *mat.VecDense) {
	if n := mat.Norm(y, 2); n > 0 {
		y.ScaleVec(1/n, y)
	}
}

// Images, and the projected samples made of them, are the same to a model.
func TestScoresOfSamples(t *testing.T) {
	s := images(t, small, 40)
	for _, text := range whole {
		in := input(t, text)
		m := learned(t, s, in)
		x := m.Project(samples(t, s, in).X)
		want := scoresOf(t, m, s)
		if direct, err := m.Classifier.Scores(t.Context(), x); err != nil || !mat.Equal(direct, want) {
			t.Errorf("%s: samples score otherwise than images, %v", text, err)
		}
		codes, err := m.Classifier.Transform(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := m.Transform(t.Context(), s); err != nil || !mat.Equal(got, codes) {
			t.Errorf("%s: other codes, %v", text, err)
		}
		named, err := m.Classifier.Predict(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := m.Predict(t.Context(), s); err != nil || !slices.Equal(got, named) {
			t.Errorf("%s: other predictions, %v", text, err)
		}
		white := *s
		white.X, white.White = mat.DenseCopyOf(s.X), 1
		white.X.Scale(1./255, white.X)
		if !mat.EqualApprox(scoresOf(t, m, &white), want, 1e-9) {
			t.Errorf("%s: images of 0 … 1 score otherwise", text)
		}
		threads := runtime.GOMAXPROCS(1)
		if !mat.Equal(scoresOf(t, m, s), want) {
			t.Errorf("%s: one thread gives other scores", text)
		}
		runtime.GOMAXPROCS(threads)
	}
}

// More images than are coded together score as each does alone.
func TestScoresOfManyImages(t *testing.T) {
	size := dataset.Size{Height: 4, Width: 3}
	m := learned(t, images(t, size, 20), input(t, "4x3 igo mirror fisher:0.5"))
	const n = 2048 + 12 // one more batch
	rng := rand.New(rand.NewPCG(5, 6))
	x := mat.NewDense(size.Len(), n, nil)
	x.Apply(func(int, int, float64) float64 { return 255 * rng.Float64() }, x)
	many, err := dataset.NewImages(x, slices.Repeat([]string{"a"}, n), nil, nil, dataset.Frame{Size: size})
	if err != nil {
		t.Fatal(err)
	}
	all := scoresOf(t, m, many)
	codes, err := m.Transform(t.Context(), many)
	if err != nil {
		t.Fatal(err)
	}
	named, err := m.Predict(t.Context(), many)
	if err != nil {
		t.Fatal(err)
	}
	k, _ := codes.Dims()
	for _, j := range []int{0, 7, 2047, 2048, n - 1} {
		one := many.Select([]int{j})
		if !mat.EqualApprox(scoresOf(t, m, one), all.Slice(0, 3, j, j+1), 1e-12) {
			t.Errorf("image %d scores otherwise alone", j)
		}
		if code, err := m.Transform(t.Context(), one); err != nil || !mat.EqualApprox(code, codes.Slice(0, k, j, j+1), 1e-12) {
			t.Errorf("image %d has another code alone, %v", j, err)
		}
		if at, err := m.Predict(t.Context(), one); err != nil || at[0] != named[j] {
			t.Errorf("image %d is named %v alone, %v", j, at, err)
		}
	}
}

// A model and a set that do not go together are refused before any work: even
// where there is no time for it.
func TestModelRefusesImagesOfAnotherFrame(t *testing.T) {
	s := images(t, small, 20)
	vectors := *s
	vectors.Frame, vectors.Grid = dataset.Frame{}, classify.Grid{}
	long := images(t, dataset.Size{Height: 13, Width: 10}, 20)
	longVectors := *long
	longVectors.Frame, longVectors.Grid = dataset.Frame{}, classify.Grid{}
	cropped := *s
	cropped.Frame.Crop = 0.5
	of := func(text string) *frontend.Model { return learned(t, s, input(t, text)) }
	bare := learned(t, &vectors, frontend.Pipeline{})
	expired, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name       string
		m          *frontend.Model
		set        *dataset.Images
		want, hint string
	}{
		{
			"images of another size", of("12x10 igo"), long, "recognise: the images are 13x10 pixels: 12x10 igo cannot be made of them",
			"bring the images to 12x10 pixels",
		},
		{"pixels of another size", of("12x10"), long, "the images are 13x10 pixels: 12x10 pixels cannot", "bring the images to 12x10"},
		{"images of another crop", of("12x10 fisher"), &cropped, "12x10 crop=0.5 pixels", "bring the images to 12x10 pixels"},
		{"vectors for features", of("12x10 igo"), &vectors, "the images are vectors: 12x10 igo cannot", ""},
		{"images for vectors", bare, s, "trained on vectors: in which order these have pixels nothing says", "give vectors"},
	} {
		for name, use := range map[string]func(context.Context, *dataset.Images) error{
			"Scores":    func(ctx context.Context, s *dataset.Images) error { _, err := c.m.Scores(ctx, s); return err },
			"Transform": func(ctx context.Context, s *dataset.Images) error { _, err := c.m.Transform(ctx, s); return err },
			"Recognise": func(ctx context.Context, s *dataset.Images) error { _, err := c.m.Recognise(ctx, s); return err },
			"Predict":   func(ctx context.Context, s *dataset.Images) error { _, err := c.m.Predict(ctx, s); return err },
		} {
			if err := use(expired, c.set); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(advice.Text(err), c.hint) {
				t.Errorf("%s: %s: %v (hint %q), want %s (%s)", name, c.name, err, advice.Text(err), c.want, c.hint)
			}
		}
	}
	for _, m := range []*frontend.Model{bare, of("12x10"), of("12x10 fisher")} {
		_, err := m.Scores(expired, &longVectors)
		if err == nil || !strings.Contains(err.Error(), "a sample has 130 features, the ") ||
			!strings.Contains(err.Error(), " was trained on 120") {
			t.Errorf("vectors of another length for %v: %v", m.Pipeline, err)
		}
		if _, err := m.Scores(expired, &vectors); !errors.Is(err, context.Canceled) {
			t.Errorf("vectors for %v: %v", m.Pipeline, err)
		}
	}
}

// randomModel is a model of 3 classes with 2, 1 and 3 atoms that are projections
// of features.
func randomModel(rng *rand.Rand) (frontend.Fitted, classify.Parts) {
	random := func(m, n int) *mat.Dense {
		a := mat.NewDense(m, n, nil)
		a.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, a)
		return a
	}
	f := frontend.Fitted{
		Pipeline: frontend.Pipeline{
			Frame: dataset.Frame{Size: dataset.Size{Height: 8, Width: 6}, Crop: 0.75}, Mirror: true,
			Photometric: feature.StepList{feature.Despeckle{}, feature.DefaultLCN},
			Features:    feature.Features{feature.IGO{}, feature.Pixels{}},
			Projection:  projection.Choice{Projection: projection.Fisher{Ridge: 0.25}},
		},
		Basis: &projection.Fitted{P: random(144, 5), M: mat.Col(nil, 0, random(144, 1))},
	}
	return f, classify.Parts{
		D: random(5, 6), Groups: []int{0, 2, 3, 6}, Classes: []string{"Ann", "Zoë", "1"},
		Coder: coding.Ridge{Lambda: 0.1}, Rule: classify.Residual{}, Method: "test",
	}
}

// Parts that contradict the pipeline are no model.
func TestModelPartsGoWithThePipeline(t *testing.T) {
	fitted, parts := randomModel(rand.New(rand.NewPCG(8, 9)))
	for name, c := range map[string]struct {
		spoil func(*frontend.Fitted, *classify.Parts)
		want  string
	}{
		"nothing": {func(*frontend.Fitted, *classify.Parts) {}, ""},
		"not fit": {func(f *frontend.Fitted, _ *classify.Parts) { f.Basis = nil }, "whose projection was not fit"},
		"not asked for": {
			func(f *frontend.Fitted, _ *classify.Parts) { f.Pipeline.Projection = projection.Choice{} },
			"and a projection that was fit",
		},
		"of other features": {
			func(f *frontend.Fitted, _ *classify.Parts) { f.Pipeline.Features = nil },
			"makes 48 features, its projection takes 144",
		},
		"of other dimensions": {
			func(_ *frontend.Fitted, p *classify.Parts) { p.D = mat.DenseCopyOf(p.D.Slice(0, 4, 0, 6)) },
			"makes 5 features, not 4",
		},
		"without a mean": {
			func(f *frontend.Fitted, _ *classify.Parts) { f.Basis = &projection.Fitted{P: f.Basis.P} },
			"its mean has 0 features",
		},
		"not finite": {func(f *frontend.Fitted, _ *classify.Parts) {
			f.Basis = &projection.Fitted{P: mat.DenseCopyOf(f.Basis.P), M: f.Basis.M}
			f.Basis.P.Set(3, 2, math.NaN())
		}, "row 3 of the projection holds NaN"},
		"mean not finite": {func(f *frontend.Fitted, _ *classify.Parts) {
			f.Basis = &projection.Fitted{P: f.Basis.P, M: slices.Clone(f.Basis.M)}
			f.Basis.M[140] = math.Inf(-1)
		}, "row 140 of the projection holds -Inf"},
		"an impossible stage": {func(f *frontend.Fitted, _ *classify.Parts) { f.Crop = 3 }, "crop = 3"},
		"an impossible size":  {func(f *frontend.Fitted, _ *classify.Parts) { f.Size = dataset.Size{Height: -4, Width: -5} }, "size -4x-5"},
		"pixels of another size": {func(f *frontend.Fitted, _ *classify.Parts) {
			*f = frontend.Fitted{Pipeline: frontend.Pipeline{Frame: dataset.Frame{Size: dataset.Size{Height: 3, Width: 3}}}}
		}, "makes 9 features, not 5"},
		"blocks": {func(f *frontend.Fitted, p *classify.Parts) {
			p.Coder, p.Rule, p.Grid = coding.DefaultBlocks, classify.Votes{}, f.Grid()
		}, "grid"},
	} {
		f, p := fitted, parts
		c.spoil(&f, &p)
		m := &frontend.Model{Fitted: f}
		var err error
		if m.Classifier, err = classify.NewClassifier(p); err == nil {
			err = m.Validate()
		}
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// Recognise says of each image what Scores and Predict say, and nothing
// of an image without a face.
func TestRecognise(t *testing.T) {
	s := images(t, small, 40)
	unseen := *s
	unseen.X = mat.DenseCopyOf(s.X)
	unseen.X.SetCol(3, make([]float64, small.Len()))
	unseen.NoFace = make([]bool, s.Len())
	unseen.NoFace[5] = true
	for _, text := range whole {
		m := learned(t, s, input(t, text))
		recognised, err := m.Recognise(t.Context(), &unseen)
		if err != nil {
			t.Fatal(err)
		}
		scores := scoresOf(t, m, &unseen)
		named, err := m.Predict(t.Context(), &unseen)
		if err != nil {
			t.Fatal(err)
		}
		for j, r := range recognised {
			want := named[j]
			if j == 3 || j == 5 {
				want = -1
			}
			margin := classify.Margin(scores.ColView(j))
			if r.Class != want || r.Margin != margin || !slices.Equal(r.Scores, mat.Col(nil, j, scores)) {
				t.Errorf("%s: image %d is %+v, not class %d with margin %v", text, j, r, want, margin)
			}
		}
	}
}
