package faces

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
)

// nameAll is what r says of the faces of images.
func nameAll(t *testing.T, r *Recogniser, images *dataset.Images) []Face {
	t.Helper()
	faces := make([]Face, images.Len())
	for j := range faces {
		faces[j].values = make([]float64, 128)
		for i := range faces[j].values {
			faces[j].values[i] = images.X.At(i, j)
		}
	}
	if err := r.name(t.Context(), faces); err != nil {
		t.Fatal(err)
	}
	return faces
}

// A model grows and shrinks across the border in one file, which always has what was saved.
func TestBorderInOneFile(t *testing.T) {
	ctx, images := t.Context(), drawnVectors(t, 1, 40, 3)
	more := images.Select(span(90, 120))
	for _, m := range []classify.Method{method.Mean{}, method.DefaultCRC} {
		path := filepath.Join(t.TempDir(), "model.nrdl")
		how := openset.Default
		r, err := Train(ctx, images.Select(span(0, 90)), Options{Method: m, OpenSet: &how, ShortlistAbove: 100})
		again := func() {
			t.Helper()
			if err == nil {
				err = r.Save(ctx, path)
			}
			people := r.m.Names()
			if err == nil {
				r, err = Open(path)
			}
			if err != nil || !slices.Equal(r.m.Names(), people) || r.m.Shortlists() != (len(people) > 33) {
				t.Fatalf("%s: %v, %v", m.Name(), people, err)
			}
		}
		again()
		for range 2 {
			if r, _, err = r.EnrolAll(ctx, more, false); err == nil {
				again()
				r, err = r.Remove(ctx, slices.Clone(r.m.Names()[30:])...)
			}
			again()
		}
	}
}

// keeping is a method of another module that keeps the faces.
type keeping struct{ method.CRC }

func (keeping) Name() string { return "keeping" }

// A Recogniser that compares a face with the stored ones does not forget them in silence.
func TestShortlistsAreNotForgotten(t *testing.T) {
	ctx, images := t.Context(), drawnVectors(t, 1, 40, 3)
	for _, m := range []classify.Method{method.Mean{}, method.DefaultNRC} {
		o := Options{Method: m, Forget: true, ShortlistAbove: 100}
		if r, err := Train(ctx, images, o); r != nil || err == nil || !strings.Contains(err.Error(), "120 faces cannot be forgotten") ||
			advice.Text(err) == "" {
			t.Errorf("%s: trained without its faces: %v", m.Name(), err)
		}
		o.Forget = false
		r, err := Train(ctx, images, o)
		if err != nil {
			t.Fatal(err)
		}
		if r, err = r.Forget(); r != nil || err == nil {
			t.Errorf("%s: forgotten: %v", m.Name(), err)
		}
	}
}

// A model that shortlists by a method of another module is opened with the method, and else
// the error says what to do.
func TestShortlistsOfAnotherModule(t *testing.T) {
	ctx, images, path := t.Context(), drawnVectors(t, 1, 40, 3), filepath.Join(t.TempDir(), "model.nrdl")
	by := keeping{method.DefaultCRC}
	r, err := Train(ctx, images, Options{Method: by, ShortlistAbove: 100})
	if err == nil {
		err = r.Save(ctx, path)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "keeping, which is not known here") ||
		!strings.Contains(advice.Text(err), "faces.Open takes it") {
		t.Errorf("%v, %q", err, advice.Text(err))
	}
	if r, err = Open(path, by); err != nil || !r.m.Shortlists() || r.Keeps() != nil {
		t.Errorf("with its method: %v", err)
	}
}

// A Recogniser that shortlists is reached by the same calls: it names, grows, is stored and
// shrinks as others do.
func TestShortlists(t *testing.T) {
	ctx, images := t.Context(), drawnVectors(t, 1, 60, 3)
	first := images.Select(span(0, 150))
	small := trainedOn(t, first)
	how := openset.Default
	r, err := Train(ctx, first, Options{Method: method.Mean{}, OpenSet: &how, ShortlistAbove: 100})
	if err != nil || !r.m.Shortlists() || small.m.Shortlists() {
		t.Fatal(r, err)
	}
	if !slices.Equal(r.m.Names(), small.m.Names()) || r.Model().Faces("person 7") != 3 || len(r.People()) != 50 || r.Keeps() != nil ||
		r.Model().CanonicalName("person 7") != "person 7" {
		t.Error("other people")
	}
	for _, holdOut := range []bool{false, true} {
		if s, err := r.Survey(ctx, holdOut); err != nil || s.Faces != 150 || holdOut && s.Held != 150 {
			t.Errorf("a survey of other faces: %+v, %v", s, err)
		}
	}
	a, b := nameAll(t, r, images), nameAll(t, small, images)
	for j := range a {
		if a[j].Ranking[0].Name != b[j].Ranking[0].Name || a[j].TrainedID != b[j].TrainedID || len(a[j].Ranking) != 50 ||
			j < 150 && a[j].Known != b[j].Known {
			t.Errorf("face %d is %v %v, %q, want %v %v, %q", j, a[j].Known, a[j].Ranking[0], a[j].TrainedID, b[j].Known,
				b[j].Ranking[0], b[j].TrainedID)
		}
	}
	why, err := r.Explain(ctx, a[7])
	if err != nil || why.Similarities.Nearest[0].ID != images.ID(7) || !why.Similarities.ByScore ||
		!(why.Similarities.Threshold > 0 && why.Similarities.Threshold < 1) {
		t.Errorf("%+v, %v", why, err)
	}
	path := filepath.Join(t.TempDir(), "model.nrdl")
	if err := r.Save(ctx, path); err != nil {
		t.Fatal(err)
	}
	if r, err = Open(path); err != nil || !r.m.Shortlists() {
		t.Fatal(r, err)
	}
	r, report, err := r.EnrolAll(ctx, images.Select(span(150, 180)), false)
	if err != nil || report.Additions != 30 {
		t.Fatal(report, err)
	}
	if r, _, err = r.Rename(ctx, "person 51", "Zoë"); err == nil {
		r, err = r.Calibrate(ctx, openset.Options{FPIR: 0.02, Prior: 0.5}, nil)
	}
	if err == nil {
		err = r.Save(ctx, path)
	}
	if err == nil {
		r, err = Open(path)
	}
	if err != nil {
		t.Fatal(err)
	}
	if f := nameAll(t, r, images.Select(span(150, 151)))[0]; f.Name != "Zoë" || f.TrainedID == "" || r.m.Calibration.FPIR != 0.02 {
		t.Errorf("%q, %q, %v", f.Name, f.TrainedID, f.Probability)
	}
	if rates := r.m.Rates(); len(rates) == 0 ||
		!slices.IsSortedFunc(rates, func(a, b openset.Rates) int { return int(100 * (b.Threshold - a.Threshold)) }) {
		t.Errorf("rates %+v", rates)
	}
	if r, err = r.Remove(ctx, slices.Clone(r.m.Names()[:30])...); err != nil {
		t.Fatal(err)
	}
	if r.m.Shortlists() || r.m.Calibration == nil || r.m.Calibration.FPIR != 0.02 {
		t.Error("few faces are compared with a shortlist")
	}
	vectors := *first // of no unit norm
	vectors.X = classify.Unit(first.X)
	vectors.X.Scale(2, vectors.X)
	if r, err := Train(ctx, &vectors, Options{Method: method.Mean{}, ShortlistAbove: 100}); err != nil || r.m.Shortlists() {
		t.Errorf("vectors of no unit norm: %v", err)
	}
}
