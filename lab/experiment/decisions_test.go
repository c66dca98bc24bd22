package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
)

// embedded draws vectors of a network whose impostors were measured, of so many people
// with so many faces each. The more noise, the more the faces of a person differ from
// what was measured.
func embedded(t testing.TB, people, faces int, noise float64) *dataset.Images {
	t.Helper()
	l := openset.Shipped()[0]
	const d = 128
	rng := rand.New(rand.NewPCG(5, 1))
	common, person, face := math.Sqrt(l.Different.Mean), math.Sqrt((l.Same.Mean-l.Different.Mean)/d), noise*math.Sqrt((1-l.Same.Mean)/d)
	x := mat.NewDense(d, people*faces, nil)
	var labels []string
	for p := range people {
		own := make([]float64, d)
		for i := range own {
			own[i] = person * rng.NormFloat64()
		}
		own[0] += common
		for k := range faces {
			labels = append(labels, fmt.Sprintf("p%d", p))
			for i, v := range own {
				x.Set(i, p*faces+k, v+face*rng.NormFloat64())
			}
		}
	}
	x = classify.Unit(x)
	x.Apply(func(_, _ int, v float64) float64 { return float64(float32(v)) }, x)
	f := dataset.Frame{Embedding: dataset.Embedding{Name: "drawn", Digest: l.Network, Length: d, Mirror: l.Mirror}}
	if l.Landmarks {
		f.Embedding.Alignment = dataset.ToMean
	}
	s, err := dataset.NewImages(x, labels, nil, nil, f)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// untrainable is a Mean that can be trained once a run only.
type untrainable struct {
	method.Mean
	fits *int
}

func (m untrainable) Fit(ctx context.Context, s *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	*m.fits++
	return m.Mean.Fit(ctx, s, run)
}

// The decisions of a run are those of the model that training makes: with a known law
// without further training, and else only where cross-validation is asked for.
func TestDecisionsAreThoseOfTraining(t *testing.T) {
	vectors := embedded(t, 8, 6, 1.6)
	for name, c := range map[string]struct {
		set    *dataset.Images
		m      classify.Method
		byLaw  bool
		counts bool
	}{
		"law":              {vectors, method.Mean{}, true, true},
		"cross-validation": {hard(t), method.DefaultNRC, false, true},
		"not asked":        {hard(t), method.DefaultNRC, true, false},
	} {
		p := Protocol{Split: split(t, "random:3"), Repeats: 2, Seed: 4, Calibrate: &openset.Options{FPIR: 0.2, Prior: 0.5}, LawOnly: c.byLaw}
		got, err := Evaluate(t.Context(), c.set, c.m, p, Observer{})
		if err != nil {
			t.Fatal(err)
		}
		if sum := got.Decisions(); (sum != nil) != c.counts || sum != nil && sum.Right+sum.Wrong+sum.Unknown != len(got.Runs)*got.Runs[0].N {
			t.Errorf("%s: decisions %+v", name, sum)
		}
		for _, r := range got.Runs {
			learn, judge, err := p.Split.Apply(c.set, r.Seed)
			if err != nil {
				t.Fatal(err)
			}
			if !c.counts {
				continue
			}
			m, err := gallery.Learn(t.Context(), c.set.Select(learn), frontend.Pipeline{}.ForImages(c.set.Frame), c.m, classify.Run{Seed: r.Seed}, 0)
			if err != nil {
				t.Fatal(err)
			}
			if m, err = m.Calibrate(t.Context(), *p.Calibrate, nil, nil); err != nil {
				t.Fatal(err)
			}
			test := c.set.Select(judge)
			faces, err := m.Identify(t.Context(), test)
			if err != nil {
				t.Fatal(err)
			}
			want := Decisions{FPIR: 0.2}
			for j, f := range faces {
				switch {
				case !f.Known:
					want.Unknown++
				case m.Parts().Classes[f.Class] == test.Classes[test.ClassOf(j)]:
					want.Right++
				default:
					want.Wrong++
				}
			}
			if diff := cmp.Diff(&want, r.Decisions); diff != "" || want.Right == 0 {
				t.Errorf("%s, seed %d: %+v\n%s", name, r.Seed, want, diff)
			}
		}
	}
	fits := 0
	p := Protocol{Split: split(t, "first:3"), Repeats: 1, Calibrate: &openset.Default}
	if _, err := Evaluate(t.Context(), vectors, untrainable{fits: &fits}, p, Observer{}); err != nil || fits != 1 {
		t.Errorf("a known law takes %d fits, %v", fits, err)
	}
}

// A model is not tested on images on which it was trained, under whatever name, unless
// nothing is known of these.
func TestTrainingImagesAreNoTest(t *testing.T) {
	set := drawn(t)
	learn, judge, err := split(t, "first:5").Apply(set, 0)
	if err != nil {
		t.Fatal(err)
	}
	m, err := gallery.Learn(t.Context(), set.Select(learn), frontend.Pipeline{Frame: set.Frame}, method.DefaultCRC, classify.Run{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	first := split(t, "first:5")
	want, err := EvaluateModel(t.Context(), set, m, &first, 0, false)
	if err != nil || want.TrainedImages != nil || want.Runs[0].N != len(judge) || want.Decisions() != nil {
		t.Fatalf("%+v, %v", want, err)
	}
	_, err = EvaluateModel(t.Context(), set, m, nil, 0, false)
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("trained on %d of the %d test images: ", len(learn), set.Len())) ||
		!strings.Contains(advice.Text(err), string(advice.SkipTrained)) {
		t.Errorf("some are training images: %v", err)
	}
	got, err := EvaluateModel(t.Context(), set, m, nil, 0, true)
	if err != nil || len(got.TrainedImages) != len(learn) || got.Runs[0].N != len(judge) || got.Runs[0].Wrong != want.Runs[0].Wrong {
		t.Errorf("%+v, %v", got, err)
	}
	renamed := *set.Select(learn)
	renamed.IDs = nil
	renamed.X.SetCol(0, make([]float64, set.X.RawMatrix().Rows)) // shows nothing, so no model keeps it
	for _, skip := range []bool{false, true} {
		if _, err := EvaluateModel(t.Context(), &renamed, m, nil, 0, skip); err == nil || !strings.Contains(err.Error(), "on all test images") {
			t.Errorf("all are training images: %v", err)
		}
	}
	m.Enrolled = nil
	if got, err := EvaluateModel(t.Context(), set, m, nil, 0, false); err != nil || got.Runs[0].N != set.Len() || Checks(m, set) {
		t.Errorf("nothing is kept: %+v, %v", got, err)
	}
}

// Faces of people who are not enrolled are apart from the others.
func TestDecisionsOnStrangers(t *testing.T) {
	set := embedded(t, 8, 4, 1)
	m, err := gallery.Learn(t.Context(), set.Select([]int{0, 1, 4, 5, 8, 9, 12, 13}),
		frontend.Pipeline{}.ForImages(set.Frame), method.Mean{}, classify.Run{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if m, err = m.Calibrate(t.Context(), openset.Default, nil, nil); err != nil {
		t.Fatal(err)
	}
	r, err := EvaluateModel(t.Context(), set, m, nil, 0, true)
	if err != nil {
		t.Fatal(err)
	}
	if d := r.Decisions(); d.Right+d.Wrong+d.Unknown != 8 || d.Strangers != 16 || d.Named > 4 || d.Right < 6 || r.Runs[0].Wrong < 16 {
		t.Errorf("%+v", d)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := EvaluateModel(ctx, set, m, nil, 0, true); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if math.IsNaN(r.Accuracy) || !slices.Contains(r.TrainedImages, set.ID(0)) {
		t.Errorf("%+v", r)
	}
}
