package gallery

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/openset"
)

// keeping is a method whose dictionary is the training samples.
type keeping struct{}

func (keeping) Name() string    { return "keeping" }
func (keeping) Validate() error { return nil }
func (keeping) Fit(_ context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return classify.NewClassifier(classify.Parts{
		D: classify.Unit(train.X), Groups: train.Groups, Classes: train.Classes, Coder: coding.Ridge{Lambda: 0.01},
		Rule: classify.Residual{}, Grid: train.Grid, Method: "keeping", Seed: run.Seed,
		Outcome: classify.Outcome{Status: classify.ClosedForm},
	})
}

// patterns returns people, so many images each of a pattern with noise.
func patterns(t testing.TB, people, each int, size dataset.Size, noise float64) *dataset.Images {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, uint64(people)))
	var labels, ids []string
	x := mat.NewDense(size.Len(), people*each, nil)
	for c := range people {
		pattern := make([]float64, size.Len())
		for i := range pattern {
			pattern[i] = 255 * rng.Float64()
		}
		for k := range each {
			for i, v := range pattern {
				x.Set(i, c*each+k, math.Round(min(255, max(0, v+noise*rng.NormFloat64()))))
			}
			labels, ids = append(labels, fmt.Sprintf("p%02d", c)), append(ids, fmt.Sprintf("p%02d/%d.png", c, k))
		}
	}
	s, err := dataset.NewImages(x, labels, ids, nil, dataset.Frame{Size: size})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func learnKeeping(t testing.TB, s *dataset.Images, text string) *Gallery {
	t.Helper()
	in, err := frontend.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Learn(t.Context(), s, in, keeping{}, classify.Run{Seed: 3}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// calibrate gives m the calibration of opt.
func calibrate(t testing.TB, m *Gallery, opt openset.Options, given []float64) {
	t.Helper()
	var err error
	if m.Impostors() != nil {
		m.Calibration, err = byLaw{m}.fit(opt, given)
	} else {
		m.Calibration, err = byMargins{m}.fit(t.Context(), opt, given, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A fold gives the margins of a model that is learned, by itself, from the images
// that the fold keeps: what folds share changes nothing.
func TestFoldsAreModelsLearnedWithout(t *testing.T) {
	s := patterns(t, 7, 4, dataset.Size{Height: 12, Width: 10}, 120)
	for _, text := range []string{"12x10 igo", "12x10 igo mirror fisher:0.3", "12x10 mirror pca:5", "12x10 igo mirror fisher:0.3 shift=1"} {
		m := learnKeeping(t, s, text)
		f, err := newCrossValidation(t.Context(), m, 7, 5)
		if err != nil {
			t.Fatal(err)
		}
		for g := range f.folds {
			var got, want openset.Calibration
			if err := f.fold(t.Context(), g, func(r HeldOutResult) { got.Add(r.Margin, r.Spread, r.Stranger, r.Right) }); err != nil {
				t.Fatal(err)
			}
			kept, strangers, known := f.leftOut(g)
			alone := learnKeeping(t, s.Select(kept), text)
			want.LeftOut, err = alone.Margins(t.Context(), s.Select(strangers))
			if err != nil {
				t.Fatal(err)
			}
			probes := s.Select(known)
			margins, err := alone.Margins(t.Context(), probes)
			if err != nil {
				t.Fatal(err)
			}
			named, err := alone.Predict(t.Context(), probes)
			if err != nil {
				t.Fatal(err)
			}
			for j, v := range margins {
				if alone.Parts().Classes[named[j]] == probes.Classes[probes.ClassOf(j)] {
					want.Right = append(want.Right, v)
				} else {
					want.Wrong = append(want.Wrong, v)
				}
			}
			for _, l := range []struct{ got, want []float64 }{{got.LeftOut, want.LeftOut}, {got.Right, want.Right}, {got.Wrong, want.Wrong}} {
				if !alike(l.got, l.want) {
					t.Fatalf("%s, fold %d: margins %v, alone %v", text, g, l.got, l.want)
				}
			}
		}
	}
}

func alike(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) < 1e-8 })
}

// Everybody is left out once, and every face is held out now and then.
func TestFoldsLeaveOutEverybody(t *testing.T) {
	m := learnKeeping(t, patterns(t, 9, 3, dataset.Size{Height: 6, Width: 6}, 20), "6x6")
	f, err := newCrossValidation(t.Context(), m, 4, 5)
	if err != nil {
		t.Fatal(err)
	}
	n := 9 * 3
	left, held := make([]int, n), make([]int, n)
	for g := range f.folds {
		kept, out, in := f.leftOut(g)
		if all := slices.Sorted(slices.Values(slices.Concat(kept, out, in))); !slices.Equal(all, span(0, n)) {
			t.Errorf("fold %d divides the images into %v, %v and %v", g, kept, out, in)
		}
		for _, j := range out {
			left[j]++
		}
		for _, j := range in {
			held[j]++
		}
	}
	for j := range n {
		if left[j] != 1 || held[j] == 0 {
			t.Errorf("image %d is left out %d times and held out %d times", j, left[j], held[j])
		}
	}
}

func TestCalibrationTellsStrangersFromPatterns(t *testing.T) {
	all := patterns(t, 30, 4, dataset.Size{Height: 12, Width: 10}, 60)
	known, unknown := all.Select(span(0, 60)), all.Select(span(60, 120))
	m := learnKeeping(t, known, "12x10")
	if faces, err := m.Identify(t.Context(), unknown); err != nil || !faces[0].Known || !math.IsNaN(faces[0].Probability) {
		t.Errorf("without a calibration: %+v, %v", faces[0], err)
	}
	calibrate(t, m, openset.Default, nil)
	for want, s := range map[bool]*dataset.Images{true: known, false: unknown} {
		rs, err := m.Identify(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		for j, r := range rs {
			if r.Known != want || (r.Probability > 0.5) != want {
				t.Errorf("%s: known %v with probability %v, margin %v of %v", s.ID(j), r.Known, r.Probability, r.Margin, m.Calibration.Threshold)
			}
		}
	}
	black := *known
	black.X = mat.NewDense(120, 60, nil)
	if rs, err := m.Identify(t.Context(), &black); err != nil || rs[0].Class != -1 || rs[0].Known {
		t.Errorf("a black image is %+v, %v", rs[0], err)
	}
}

func span(lo, hi int) (list []int) {
	for j := lo; j < hi; j++ {
		list = append(list, j)
	}
	return list
}

func TestTwoPeopleAreTooFewForStrangers(t *testing.T) {
	m := learnKeeping(t, patterns(t, 2, 4, dataset.Size{Height: 6, Width: 6}, 20), "6x6")
	if _, err := m.Calibrate(t.Context(), openset.Default, nil, nil); !errors.Is(err, openset.ErrNoStrangers) {
		t.Errorf("without strangers: %v", err)
	}
	calibrate(t, m, openset.Default, []float64{0.01, 0.02, 0.03})
	c := m.Calibration
	if len(c.Strangers) != 3 || c.People != 0 || len(c.Right) == 0 || c.Odds == nil {
		t.Errorf("with strangers: %+v", c)
	}
	stricter, err := m.recalibrated(0.001, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !(stricter.Threshold > c.Threshold) || len(stricter.Strangers) != 3 {
		t.Errorf("for fewer false accepts: %+v", stricter)
	}
}

// One face each: nothing can be held out, so that no probability is known, but
// strangers are reported.
func TestOneFaceEachHasNoProbability(t *testing.T) {
	m := learnKeeping(t, patterns(t, 8, 1, dataset.Size{Height: 6, Width: 6}, 20), "6x6")
	calibrate(t, m, openset.Default, nil)
	if c := m.Calibration; c.Odds != nil || !(c.Threshold > 0) || !math.IsNaN(c.Probability(1)) {
		t.Errorf("%+v", c)
	}
}

func TestModelsRefuseImagesOfOthers(t *testing.T) {
	m := learnKeeping(t, patterns(t, 5, 3, dataset.Size{Height: 6, Width: 6}, 20), "6x6")
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(s *dataset.Images){
		"another name":   func(s *dataset.Images) { s.Classes = append([]string{"q"}, s.Classes[1:]...) },
		"fewer people":   func(s *dataset.Images) { *s = *s.Select(span(0, 12)) },
		"another size":   func(s *dataset.Images) { s.Frame.Size = dataset.Size{Height: 4, Width: 9} },
		"not finite":     func(s *dataset.Images) { s.X = mat.DenseCopyOf(s.X); s.X.Set(0, 0, math.NaN()) },
		"other features": func(s *dataset.Images) { *s = *patterns(t, 5, 3, dataset.Size{Height: 5, Width: 5}, 20) },
	} {
		s := *m.Images()
		spoil(&s)
		if err := (&Gallery{Model: m.Model, Enrolled: Enrolling(&s)}).Validate(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
