package gallery

import (
	"encoding/json"
	"strings"
	"testing"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
)

// Each number changes what a gallery says, and the galleries that follow from it.
func TestSettingsDecide(t *testing.T) {
	other := DefaultSettings
	other.Shortlist, other.Probes, other.Rivals = 10, 30, 2
	images := drawn(t, 1, 70, 2)
	g := shortlisting(t, images, method.Mean{})
	g.Settings = &other
	g = enrol(t, calibrated(t, g), drawn(t, 100, 1, 1))
	if h := g.heldOut; len(h.Probes) != other.Probes || len(h.Probes[0].Rivals) != other.Rivals {
		t.Errorf("%d probes with %d rivals", len(h.Probes), len(h.Probes[0].Rivals))
	}
	if n := len(identifyAll(t, g, images)[0].Scores); n != other.Shortlist {
		t.Errorf("a shortlist of %d people", n)
	}

	s := patterns(t, 9, 4, dataset.Size{Height: 6, Width: 6}, 20)
	s.Quality = make([]dataset.Quality, s.Len())
	for j := range s.Quality {
		s.Quality[j] = dataset.Quality{Eyes: 50, Sharpness: 0.5, Exposure: 1}
	}
	m := learnKeeping(t, s, "6x6")
	calibrate(t, m, openset.Default, nil)
	measured := func(g *Gallery) (folds int, note, words string, err error) {
		c, failed := g.Calibrate(t.Context(), openset.Options{FPIR: 0.01, Prior: 0.4}, nil, nil)
		if failed != nil {
			t.Fatal(failed)
		}
		p := g.People()[0]
		return c.Calibration.Folds, strings.Join(g.advice(0, p, 0, false), "; "), p.QualityText(), c.Usable()
	}
	folds, note, words, err := measured(m)
	if folds != 9 || note != "" || words != "good" || err != nil {
		t.Errorf("%d folds, %q, %q, %v", folds, note, words, err)
	}
	m.Settings = &other
	other.FoldsClosed, other.FoldsIterated, other.FewFaces, other.Eyes, other.Useless = 4, 4, 5, 60, 1
	m.Calibration.Wrong = append(m.Calibration.Wrong, 0)
	if folds, note, words, _ = measured(m); folds != 4 || note != "few photographs (4): add more; all 4 faces are small: add larger ones" ||
		words != "small" || m.Usable() == nil {
		t.Errorf("%d folds, %q, %q, %v", folds, note, words, m.Usable())
	}
	other.Review.Suspect = 2
	if m.Validate() == nil {
		t.Error("a share of 2 is valid")
	}
}

// What a text does not say is as it was.
func TestSettingsOfJSON(t *testing.T) {
	s, want := new(Settings), DefaultSettings
	want.Review.Copied = 0.9
	if err := json.Unmarshal([]byte(`{"review":{"copied":0.9}}`), s); err != nil || *s != want {
		t.Errorf("%+v, %v", s, err)
	}
	for _, text := range []string{
		`{"probes":0}`, `{"shortlist":1}`, `{"folds_closed":2}`, `{"useless":1.5}`,
		`{"eyes":-1}`, `{"rivals":2000000}`,
	} {
		if json.Unmarshal([]byte(text), s) == nil {
			t.Error(text)
		}
	}
}
