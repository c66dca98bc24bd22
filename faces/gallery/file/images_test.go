package file

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
)

// faces are so many images of each of so many drawn people.
func faces(t testing.TB, people, each int, size dataset.Size) *dataset.Images {
	t.Helper()
	d := synthetic.Default
	d.People, d.PerPerson, d.Input = people, each, size
	set, err := d.Draw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func pipeline(t testing.TB, text string) frontend.Pipeline {
	t.Helper()
	in, err := frontend.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// learn learns s by a method whose dictionary is the training samples.
func learn(t testing.TB, s *dataset.Images, in frontend.Pipeline) *gallery.Gallery {
	t.Helper()
	m, err := gallery.Learn(t.Context(), s, in, method.DefaultCRC, classify.Run{Seed: 3}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// calibrated is m with the calibration of how.
func calibrated(t testing.TB, m *gallery.Gallery, how openset.Options) *gallery.Gallery {
	t.Helper()
	c, err := m.Calibrate(t.Context(), how, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A model with all stages is the same model after it was saved.
func TestModelsOfPipelinesAreSaved(t *testing.T) {
	s := faces(t, 3, 5, dataset.Size{Height: 12, Width: 10})
	for _, text := range []string{
		"12x10 pixels", "12x10 igo", "12x10 mirror fisher:0.5", "12x10 lcn pca:4", "12x10 despeckle igo+hog:cell=4 mirror fisher:0.1",
		"12x10 crop=1 lbp:cell=5+igo zoom=0.7 mirror fisher:0.2 shift=1",
	} {
		m := learn(t, s, pipeline(t, text))
		m.Enrolled = nil
		file := save(t, m)
		again, err := load(file)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !bytes.Equal(save(t, again), file) {
			t.Errorf("%s: the loaded model is saved as other bytes", text)
		}
		if got := again.Pipeline.String(); got != pipeline(t, text).String() {
			t.Errorf("%s is loaded as %s", text, got)
		}
		want, err := m.Scores(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := again.Scores(t.Context(), s); err != nil || !mat.Equal(got, want) {
			t.Errorf("%s: the loaded model scores otherwise, %v", text, err)
		}
	}
}

// A model that is learned again from more people is the one that is learned from
// all of them, after it was written and read too, with its calibration.
func TestLearningAgainIsLearning(t *testing.T) {
	whole := faces(t, 9, 4, dataset.Size{Height: 12, Width: 10})
	for _, text := range []string{"12x10 pixels", "12x10 igo mirror fisher:0.3"} {
		in := pipeline(t, text)
		for _, folds := range []int{0, 7} {
			how := openset.Options{FPIR: 0.02, Prior: 0.3, Folds: folds}
			fresh := calibrated(t, learn(t, whole, in), how)
			without := func(names ...string) *dataset.Images {
				e, err := gallery.Enrolling(whole).Without(names...)
				if err != nil {
					t.Fatal(err)
				}
				return e.Images()
			}
			rest := without("person003", "person007")
			few, err := load(save(t, calibrated(t, learn(t, rest, in), how)))
			if err != nil {
				t.Fatal(err)
			}
			all, _, err := few.Enrolled.Merge(without(rest.Classes...))
			if err != nil {
				t.Fatal(err)
			}
			grown, err := gallery.Learn(t.Context(), all.Images(), few.Pipeline, method.DefaultCRC, classify.Run{Seed: few.Parts().Seed}, 0)
			if err != nil {
				t.Fatal(err)
			}
			grown = calibrated(t, grown, few.Calibration.Options())
			if !bytes.Equal(save(t, grown), save(t, fresh)) {
				t.Errorf("%s, %d folds: another model", text, folds)
			}
		}
	}
}

func TestSavedModelsKeepImagesAndCalibration(t *testing.T) {
	s := faces(t, 5, 3, dataset.Size{Height: 6, Width: 6})
	s.Quality = make([]dataset.Quality, 15)
	for j := range s.Quality {
		s.Quality[j] = dataset.Quality{Eyes: 40 + float64(j)/3, Sharpness: 0.5, Exposure: 0.9, Angle: -3, Detection: 20}
	}
	for name, scale := range map[string]float64{"bytes": 1, "single": 1.0 / 3, "black": 0} {
		one := *s
		one.X = mat.DenseCopyOf(s.X)
		one.X.Apply(func(_, j int, v float64) float64 {
			if name == "black" && j%3 > 0 {
				return 0
			}
			return v * max(scale, 1.0/7)
		}, one.X)
		m := learn(t, &one, pipeline(t, "6x6 igo mirror"))
		if name != "black" {
			m = calibrated(t, m, openset.Default)
		}
		settings := gallery.DefaultSettings
		m.Settings = &settings
		b := save(t, m)
		if bytes.Contains(b, []byte("folds_closed")) {
			t.Errorf("%s: the default settings are stored", name)
		}
		settings.FoldsClosed = 4
		b = save(t, m)
		again, err := load(b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !bytes.Equal(b, save(t, again)) {
			t.Errorf("%s: saved again it is another file", name)
		}
		if again.Numbers().FoldsClosed != 4 {
			t.Errorf("%s: other settings than before", name)
		}
		if !mat.Equal(again.Images().X, m.Images().X) {
			t.Errorf("%s: other images than before", name)
		}
		kept, want := *again.Images(), *m.Images()
		kept.X, want.X = nil, nil
		if d := cmp.Diff(want, kept); d != "" {
			t.Errorf("%s: (-want +got)\n%s", name, d)
		}
		if d := cmp.Diff(m.Calibration, again.Calibration, cmpopts.IgnoreUnexported(openset.Calibration{})); d != "" {
			t.Errorf("%s: another calibration: (-want +got)\n%s", name, d)
		}
		again.Enrolled = nil
		small := save(t, again)
		if bytes.Contains(small, []byte("person003/01")) || !bytes.Contains(b, []byte("person003/01")) {
			t.Errorf("%s: the images are in the file: %v, without them %v", name, bytes.Contains(b, []byte("person003/01")),
				bytes.Contains(small, []byte("person003/01")))
		}
		// The dictionary is the samples of the images, and stored only without them.
		if without, err := load(small); err != nil || !mat.Equal(without.Parts().D, m.Parts().D) || len(small) < len(b) {
			t.Errorf("%s: %d bytes with the images, %d without (%v)", name, len(b), len(small), err)
		}
	}
}
