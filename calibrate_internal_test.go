package nrdl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl/coding"
	"nrdl/internal/safetensors"
)

// keeping is a method whose dictionary is the training samples.
type keeping struct{}

func (keeping) Name() string    { return "keeping" }
func (keeping) Validate() error { return nil }
func (keeping) Fit(_ context.Context, train *Set, run Run) (*Model, error) {
	return NewModel(Parts{
		D: Unit(train.X), Groups: train.Groups, Classes: train.Classes, Coder: coding.Ridge{Lambda: 0.01},
		Rule: Residual, Input: train.Input, Projection: train.Projection, Method: "keeping", Seed: run.Seed,
		Trained: Outcome{Status: ClosedForm},
	})
}

// patterns returns people, so many images each of a pattern with noise.
func patterns(t testing.TB, people, each int, size Size, noise float64) *Set {
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
	s, err := NewSet(x, labels, ids, nil, Input{Size: size})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func learnKeeping(t testing.TB, s *Set, text string) *Model {
	t.Helper()
	in, err := ParseInput(text)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Learn(t.Context(), s, in, keeping{}, Run{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A fold gives the margins of a model that is learnt, by itself, from the images
// that the fold keeps: what folds share changes nothing.
func TestFoldsAreModelsLearntWithout(t *testing.T) {
	s := patterns(t, 7, 4, Size{Height: 12, Width: 10}, 120)
	for _, text := range []string{"12x10 igo", "12x10 igo mirror fisher:0.3", "12x10 mirror pca:5", "12x10 igo mirror fisher:0.3 shift=1"} {
		m := learnKeeping(t, s, text)
		f, err := newFolding(t.Context(), m, keeping{}, 7)
		if err != nil {
			t.Fatal(err)
		}
		for g := range f.folds {
			var got, want Calibration
			if err := f.fold(t.Context(), g, &got); err != nil {
				t.Fatal(err)
			}
			out, held := f.leftOut(g)
			var kept, strangers, known []int
			for j := range out {
				switch {
				case out[j]:
					strangers = append(strangers, j)
				case held[j]:
					known = append(known, j)
				default:
					kept = append(kept, j)
				}
			}
			alone := learnKeeping(t, s.Select(kept), text)
			want.Left, err = alone.Margins(t.Context(), s.Select(strangers))
			if err != nil {
				t.Fatal(err)
			}
			probes := s.Select(known)
			margins, err := alone.Margins(t.Context(), probes)
			if err != nil {
				t.Fatal(err)
			}
			named, err := alone.PredictOf(t.Context(), probes)
			if err != nil {
				t.Fatal(err)
			}
			for j, v := range margins {
				if alone.p.Classes[named[j]] == probes.Classes[probes.ClassOf(j)] {
					want.Right = append(want.Right, v)
				} else {
					want.Wrong = append(want.Wrong, v)
				}
			}
			for _, l := range []struct{ got, want []float64 }{{got.Left, want.Left}, {got.Right, want.Right}, {got.Wrong, want.Wrong}} {
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
	m := learnKeeping(t, patterns(t, 9, 3, Size{Height: 6, Width: 6}, 20), "6x6")
	f, err := newFolding(t.Context(), m, keeping{}, 4)
	if err != nil {
		t.Fatal(err)
	}
	n := 9 * 3
	left, held := make([]int, n), make([]int, n)
	for g := range f.folds {
		out, in := f.leftOut(g)
		for j := range n {
			if out[j] && in[j] {
				t.Errorf("fold %d: image %d is left out and held out", g, j)
			}
			if out[j] {
				left[j]++
			}
			if in[j] {
				held[j]++
			}
		}
	}
	for j := range n {
		if left[j] != 1 || held[j] == 0 {
			t.Errorf("image %d is left out %d times and held out %d times", j, left[j], held[j])
		}
	}
}

func TestCalibrationTellsStrangersFromPatterns(t *testing.T) {
	all := patterns(t, 30, 4, Size{Height: 12, Width: 10}, 60)
	known, unknown := all.Select(span(0, 60)), all.Select(span(60, 120))
	m := learnKeeping(t, known, "12x10")
	if m, err := m.Recognise(t.Context(), unknown); err != nil || !m[0].Known || !math.IsNaN(m[0].Probability) {
		t.Errorf("without a calibration: %+v, %v", m[0], err)
	}
	m, err := m.Calibrate(t.Context(), keeping{}, DefaultCalibration, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for want, s := range map[bool]*Set{true: known, false: unknown} {
		rs, err := m.Recognise(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		for j, r := range rs {
			if r.Known != want || (r.Probability > 0.5) != want {
				t.Errorf("%s: known %v with probability %v, margin %v of %v", s.ID(j), r.Known, r.Probability, r.Margin, m.p.Calibration.Threshold)
			}
		}
	}
	black := *known
	black.X = mat.NewDense(120, 60, nil)
	if rs, err := m.Recognise(t.Context(), &black); err != nil || rs[0].Class != -1 || rs[0].Known {
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
	m := learnKeeping(t, patterns(t, 2, 4, Size{Height: 6, Width: 6}, 20), "6x6")
	if _, err := m.Calibrate(t.Context(), keeping{}, DefaultCalibration, nil, nil); !errors.Is(err, ErrNoStrangers) {
		t.Errorf("without strangers: %v", err)
	}
	m, err := m.Calibrate(t.Context(), keeping{}, DefaultCalibration, []float64{0.01, 0.02, 0.03}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := m.p.Calibration
	if len(c.Given) != 3 || c.People != 0 || len(c.Right) == 0 || c.Odds == nil {
		t.Errorf("with strangers: %+v", c)
	}
	stricter, err := m.Recalibrate(0.001, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !(stricter.p.Calibration.Threshold > c.Threshold) || len(stricter.p.Calibration.Given) != 3 {
		t.Errorf("for fewer false accepts: %+v", stricter.p.Calibration)
	}
}

// One face each: nothing can be held out, so that no probability is known, but
// strangers are told.
func TestOneFaceEachHasNoProbability(t *testing.T) {
	m := learnKeeping(t, patterns(t, 8, 1, Size{Height: 6, Width: 6}, 20), "6x6")
	m, err := m.Calibrate(t.Context(), keeping{}, DefaultCalibration, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c := m.p.Calibration; c.Odds != nil || !(c.Threshold > 0) || !math.IsNaN(c.Probability(1)) {
		t.Errorf("%+v", c)
	}
}

func TestSavedModelsKeepImagesAndCalibration(t *testing.T) {
	s := patterns(t, 5, 3, Size{Height: 6, Width: 6}, 20)
	s.Quality = make([]Quality, 15)
	for j := range s.Quality {
		s.Quality[j] = Quality{Eyes: 40 + float64(j)/3, Sharpness: 0.5, Exposure: 0.9, Angle: -3, Detection: 20}
	}
	for name, scale := range map[string]float64{"bytes": 1, "single": 1.0 / 3, "black": 0} {
		one := *s
		one.X = mat.DenseCopyOf(s.X)
		one.X.Apply(func(i, j int, v float64) float64 {
			if name == "black" && j%3 > 0 {
				return 0
			}
			return v * max(scale, 1.0/7)
		}, one.X)
		m := learnKeeping(t, &one, "6x6 igo mirror")
		if name != "black" {
			var err error
			if m, err = m.Calibrate(t.Context(), keeping{}, DefaultCalibration, nil, nil); err != nil {
				t.Fatal(err)
			}
		}
		bytesOf := func(m *Model) []byte {
			var b bytes.Buffer
			if err := m.Save(&b); err != nil {
				t.Fatal(err)
			}
			return b.Bytes()
		}
		b := bytesOf(m)
		again, err := Load(bytes.NewReader(b))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !bytes.Equal(b, bytesOf(again)) {
			t.Errorf("%s: saved again it is another file", name)
		}
		e, want := again.p.Enrolled, m.p.Enrolled
		if !mat.Equal(e.X, want.X) || !slices.Equal(e.Quality, want.Quality) || !slices.Equal(e.IDs, want.IDs) || !slices.Equal(e.Groups, want.Groups) {
			t.Errorf("%s: other images than before", name)
		}
		forgotten, err := again.Forget()
		if err != nil {
			t.Fatal(err)
		}
		if small := bytesOf(forgotten); len(small) >= len(b) || bytes.Contains(small, []byte("p03/1.png")) {
			t.Errorf("%s: %d bytes with the images, %d without", name, len(b), len(small))
		}
		if _, err := forgotten.Calibrate(t.Context(), keeping{}, DefaultCalibration, nil, nil); !errors.Is(err, ErrForgotten) {
			t.Errorf("%s: calibrated without images: %v", name, err)
		}
	}
}

func TestModelsRefuseImagesOfOthers(t *testing.T) {
	m := learnKeeping(t, patterns(t, 5, 3, Size{Height: 6, Width: 6}, 20), "6x6")
	for name, spoil := range map[string]func(s *Set){
		"another name":   func(s *Set) { s.Classes = append([]string{"q"}, s.Classes[1:]...) },
		"fewer people":   func(s *Set) { *s = *s.Select(span(0, 12)) },
		"another size":   func(s *Set) { s.Input.Size = Size{Height: 4, Width: 9} },
		"not finite":     func(s *Set) { s.X = mat.DenseCopyOf(s.X); s.X.Set(0, 0, math.NaN()) },
		"other features": func(s *Set) { *s = *patterns(t, 5, 3, Size{Height: 5, Width: 5}, 20) },
	} {
		p := m.p
		s := *p.Enrolled
		spoil(&s)
		p.Enrolled = &s
		if _, err := NewModel(p); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// A file of format 4 does not say what its calibration saw of strangers: it opens,
// keeps its threshold, and can be refined.
func TestFilesOfFormat4KeepTheirCalibration(t *testing.T) {
	m := learnKeeping(t, patterns(t, 8, 4, Size{Height: 12, Width: 10}, 60), "12x10")
	m, err := m.Calibrate(t.Context(), keeping{}, DefaultCalibration, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := *m.p.Calibration
	c.Seen, c.Spread = 0, 0
	p := m.p
	p.Calibration = &c
	text, err := p.about()
	if err != nil {
		t.Fatal(err)
	}
	text = strings.Replace(text, `"format":5`, `"format":4`, 1)
	if strings.Contains(text, `"seen"`) || strings.Contains(text, `"spread"`) {
		t.Fatal("format 4 had no such fields")
	}
	var b bytes.Buffer
	tensors := p.tensors()
	if err := safetensors.Write(&b, tensors, map[string]string{aboutKey: text, checksumKey: checksum(tensors, text)}); err != nil {
		t.Fatal(err)
	}
	old, err := Load(&b)
	if err != nil {
		t.Fatal(err)
	}
	if got := old.p.Calibration; got.Threshold != c.Threshold || got.Probability(1e6) != c.Most() {
		t.Errorf("%+v, want %+v", got, c)
	}
	refined, err := old.Recalibrate(c.FAR, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r := refined.p.Calibration; !(r.Threshold > 0) || r.Seen == 0 {
		t.Errorf("refined: %+v", r)
	}
}
