package nrdl_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl"
	"nrdl/coding"
	"nrdl/internal/hint"
	"nrdl/projection"
)

// learnt returns a model whose atoms are the training samples that in makes of s.
func learnt(t testing.TB, s *nrdl.Set, in nrdl.Input) *nrdl.Model {
	t.Helper()
	train := training(t, s, in)
	return newModel(t, nrdl.Parts{
		D: nrdl.Unit(train.X), Groups: train.Groups, Classes: train.Classes, Coder: coding.Ridge{Lambda: 0.01},
		Rule: nrdl.Residual, Input: train.Input, Projection: train.Projection, Method: "test",
	})
}

func scoresOf(t testing.TB, m *nrdl.Model, s *nrdl.Set) *mat.Dense {
	t.Helper()
	got, err := m.ScoresOf(t.Context(), s)
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
		m := learnt(t, s, in)
		p := m.Parts()
		got := scoresOf(t, m, test)
		over, err := p.Coder.Over(p.D, p.Groups)
		if err != nil {
			t.Fatal(err)
		}
		d, k := p.D.Dims()
		for j := range test.IDs {
			y := mat.NewVecDense(in.Len(), sampleOf(t, in, mat.Col(nil, j, test.X)))
			normalise(y)
			if f := p.Projection; f != nil && mat.Norm(y, 2) > 0 {
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
		if named, err := m.PredictOf(t.Context(), s); err != nil || !slices.Equal(named, s.Labels()) {
			t.Errorf("%s: the training images are named %v, %v", text, named, err)
		}
	}
}

func normalise(y *mat.VecDense) {
	if n := mat.Norm(y, 2); n > 0 {
		y.ScaleVec(1/n, y)
	}
}

// Images, the samples made of them and their columns are the same to a model.
func TestScoresOfSamples(t *testing.T) {
	s := images(t, small, 40)
	for _, text := range whole {
		in := input(t, text)
		m, made := learnt(t, s, in), samples(t, s, in)
		want := scoresOf(t, m, s)
		if !mat.Equal(scoresOf(t, m, made), want) {
			t.Errorf("%s: samples score otherwise than images", text)
		}
		direct, err := m.Scores(t.Context(), made.X)
		if err != nil || !mat.Equal(direct, want) {
			t.Errorf("%s: columns score otherwise than images, %v", text, err)
		}
		codes, err := m.Transform(t.Context(), made.X)
		if err != nil {
			t.Fatal(err)
		}
		for _, set := range []*nrdl.Set{s, made} {
			if got, err := m.TransformOf(t.Context(), set); err != nil || !mat.Equal(got, codes) {
				t.Errorf("%s: other codes of %v, %v", text, set.Input, err)
			}
		}
		named, err := m.Predict(t.Context(), made.X)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := m.PredictOf(t.Context(), s); err != nil || !slices.Equal(got, named) {
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
	size := nrdl.Size{Height: 4, Width: 3}
	m := learnt(t, images(t, size, 20), input(t, "4x3 igo mirror fisher:0.5"))
	const n = 2048 + 12 // one more batch
	rng := rand.New(rand.NewPCG(5, 6))
	x := mat.NewDense(size.Len(), n, nil)
	x.Apply(func(int, int, float64) float64 { return 255 * rng.Float64() }, x)
	many, err := nrdl.NewSet(x, slices.Repeat([]string{"a"}, n), nil, nil, nrdl.Input{Size: size})
	if err != nil {
		t.Fatal(err)
	}
	all := scoresOf(t, m, many)
	codes, err := m.TransformOf(t.Context(), many)
	if err != nil {
		t.Fatal(err)
	}
	named, err := m.PredictOf(t.Context(), many)
	if err != nil {
		t.Fatal(err)
	}
	k, _ := codes.Dims()
	for _, j := range []int{0, 7, 2047, 2048, n - 1} {
		one := many.Select([]int{j})
		if !mat.EqualApprox(scoresOf(t, m, one), all.Slice(0, 3, j, j+1), 1e-12) {
			t.Errorf("image %d scores otherwise alone", j)
		}
		if code, err := m.TransformOf(t.Context(), one); err != nil || !mat.EqualApprox(code, codes.Slice(0, k, j, j+1), 1e-12) {
			t.Errorf("image %d has another code alone, %v", j, err)
		}
		if at, err := m.PredictOf(t.Context(), one); err != nil || at[0] != named[j] {
			t.Errorf("image %d is named %v alone, %v", j, at, err)
		}
	}
}

// A model and a set that do not go together are refused before any work: even
// where there is no time for it.
func TestModelRefusesSamplesOfAnotherInput(t *testing.T) {
	s := images(t, small, 20)
	vectors := *s
	vectors.Input = nrdl.Input{}
	long := images(t, nrdl.Size{Height: 13, Width: 10}, 20)
	longVectors := *long
	longVectors.Input = nrdl.Input{}
	cropped := *s
	cropped.Input.Crop = 0.5
	of := func(text string) *nrdl.Model { return learnt(t, s, input(t, text)) }
	bare := learnt(t, &vectors, nrdl.Input{})
	igo := samples(t, s, input(t, "12x10 igo"))
	projected := training(t, s, input(t, "12x10 igo fisher"))
	expired, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name       string
		m          *nrdl.Model
		set        *nrdl.Set
		want, hint string
	}{
		{"images of another size", of("12x10 igo"), long, "recognise: the samples are 13x10 pixels: 12x10 igo cannot be made of them", "bring the images to 12x10 pixels"},
		{"pixels of another size", of("12x10"), long, "the samples are 13x10 pixels: 12x10 pixels cannot", "bring the images to 12x10"},
		{"images of another crop", of("12x10 fisher"), &cropped, "12x10 crop=0.5 pixels", "bring the images to 12x10 pixels"},
		{"features of others", of("12x10 hog:cell=4"), igo, "the samples are 12x10 igo: 12x10 hog:cell=4 cannot", ""},
		{"features for pixels", of("12x10"), igo, "the samples are 12x10 igo: 12x10 pixels cannot", ""},
		{"features for vectors", bare, igo, "the samples are 12x10 igo: vectors cannot", ""},
		{"vectors for features", of("12x10 igo"), &vectors, "the samples are vectors: 12x10 igo cannot", ""},
		{"projected samples", of("12x10 igo fisher"), projected, "the samples are projected already", ""},
		{"images of another length for vectors", bare, long, "the samples are 13x10 pixels: vectors cannot", ""},
	} {
		for name, use := range map[string]func(context.Context, *nrdl.Set) error{
			"ScoresOf":    func(ctx context.Context, s *nrdl.Set) error { _, err := c.m.ScoresOf(ctx, s); return err },
			"TransformOf": func(ctx context.Context, s *nrdl.Set) error { _, err := c.m.TransformOf(ctx, s); return err },
			"PredictOf":   func(ctx context.Context, s *nrdl.Set) error { _, err := c.m.PredictOf(ctx, s); return err },
		} {
			if err := use(expired, c.set); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(hint.Of(err), c.hint) {
				t.Errorf("%s: %s: %v (hint %q), want %s (%s)", name, c.name, err, hint.Of(err), c.want, c.hint)
			}
		}
	}
	for _, m := range []*nrdl.Model{bare, of("12x10"), of("12x10 fisher")} {
		_, err := m.ScoresOf(expired, &longVectors)
		if err == nil || !strings.Contains(err.Error(), "a sample has 130 features, the model was learnt from 120") {
			t.Errorf("vectors of another length for %v: %v", m.Parts().Input, err)
		}
		if _, err := m.ScoresOf(expired, &vectors); !errors.Is(err, context.Canceled) {
			t.Errorf("vectors for %v: %v", m.Parts().Input, err)
		}
	}
	if !mat.Equal(scoresOf(t, bare, s), scoresOf(t, bare, &vectors)) {
		t.Error("images are other vectors")
	}
}

// A model with all stages is the same model after it was saved.
func TestModelsOfInputsAreSaved(t *testing.T) {
	s := images(t, small, 40)
	for _, text := range whole {
		m := learnt(t, s, input(t, text))
		file := save(t, m)
		again, err := load(file)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !bytes.Equal(save(t, again), file) {
			t.Errorf("%s: the loaded model is saved as other bytes", text)
		}
		if got := again.Parts().Input.String(); got != input(t, text).String() {
			t.Errorf("%s is loaded as %s", text, got)
		}
		if !mat.Equal(scoresOf(t, again, s), scoresOf(t, m, s)) {
			t.Errorf("%s: the loaded model scores otherwise", text)
		}
	}
}

// Parts that contradict the input are no model.
func TestModelPartsGoWithTheInput(t *testing.T) {
	good := projectedParts(rand.New(rand.NewPCG(8, 9)), nrdl.Residual)
	newModel(t, good)
	for name, c := range map[string]struct {
		spoil func(*nrdl.Parts)
		want  string
	}{
		"not fit":             {func(p *nrdl.Parts) { p.Projection = nil }, "whose projection was not fit"},
		"not asked for":       {func(p *nrdl.Parts) { p.Input.Projection = projection.Choice{} }, "and a projection that was fit"},
		"of other features":   {func(p *nrdl.Parts) { p.Input.Features = nil }, "makes 48 features, its projection takes 144"},
		"of other dimensions": {func(p *nrdl.Parts) { p.D = mat.DenseCopyOf(p.D.Slice(0, 4, 0, 6)) }, "makes 5 features, not 4"},
		"without a mean":      {func(p *nrdl.Parts) { p.Projection = &projection.Fitted{P: p.Projection.P} }, "its mean has 0 features"},
		"not finite": {func(p *nrdl.Parts) {
			f := projection.Fitted{P: mat.DenseCopyOf(p.Projection.P), M: p.Projection.M}
			f.P.Set(3, 2, math.NaN())
			p.Projection = &f
		}, "row 3 of the projection holds NaN"},
		"mean not finite": {func(p *nrdl.Parts) {
			f := projection.Fitted{P: p.Projection.P, M: slices.Clone(p.Projection.M)}
			f.M[140] = math.Inf(-1)
			p.Projection = &f
		}, "row 140 of the projection holds -Inf"},
		"an impossible stage": {func(p *nrdl.Parts) { p.Input.Crop = 3 }, "crop = 3"},
		"blocks":              {func(p *nrdl.Parts) { p.Coder, p.Rule = coding.DefaultBlocks, nrdl.Votes }, "grid"},
	} {
		p := good
		c.spoil(&p)
		if _, err := nrdl.NewModel(p); err == nil || !strings.HasPrefix(err.Error(), "model: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}
