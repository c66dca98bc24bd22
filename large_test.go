package nrdl

import (
	"path/filepath"
	"slices"
	"testing"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/gallery/large"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
)

// enlarged is r as it would be with so many faces that its gallery is large.
func enlarged(t *testing.T, r *Recogniser) *Recogniser {
	t.Helper()
	how := openset.Default
	l, err := newLarge(t.Context(), r.m, r.m.Images(), Options{Method: method.Mean{}, OpenSet: &how})
	if err != nil || l == nil {
		t.Fatal(l, err)
	}
	return l
}

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

// A large gallery is reached by the same calls: it names, grows, is stored and shrinks as
// a Model does.
func TestLargeRecogniser(t *testing.T) {
	ctx, images := t.Context(), drawnVectors(t, 1, 60, 3)
	small := trainedOn(t, images.Select(span(0, 150)))
	r := enlarged(t, small)
	if !slices.Equal(r.m.Names(), small.m.Names()) || r.Model().Faces("person 7") != 3 || len(r.People()) != 50 || r.Keeps() != nil || r.Model().Spelt("person 7") != "person 7" {
		t.Error("other people")
	}
	if s, err := r.Survey(t.Context(), false); err != nil || s.Faces != 150 {
		t.Errorf("a survey of other faces: %+v, %v", s, err)
	}
	a, b := nameAll(t, r, images), nameAll(t, small, images)
	for j := range a {
		if a[j].Ranked[0].Name != b[j].Ranked[0].Name || a[j].Trained != b[j].Trained || len(a[j].Ranked) != 50 || j < 150 && a[j].Known != b[j].Known {
			t.Errorf("face %d is %v %v, %q, want %v %v, %q", j, a[j].Known, a[j].Ranked[0], a[j].Trained, b[j].Known, b[j].Ranked[0], b[j].Trained)
		}
	}
	path := filepath.Join(t.TempDir(), "model.nrdl")
	if err := r.Save(ctx, path); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path)
	if err != nil || r.large() == nil {
		t.Fatal(r, err)
	}
	r, report, err := r.EnrolAll(ctx, images.Select(span(150, 180)), false)
	if err != nil || report.Added != 30 {
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
	if f := nameAll(t, r, images.Select(span(150, 151)))[0]; f.Name != "Zoë" || f.Trained == "" || r.m.Calibration.FPIR != 0.02 {
		t.Errorf("%q, %q, %v", f.Name, f.Trained, f.Probability)
	}
	if rates := r.m.Rates(); len(rates) == 0 || !slices.IsSortedFunc(rates, func(a, b openset.Rates) int { return int(100 * (b.Threshold - a.Threshold)) }) {
		t.Errorf("rates %+v", rates)
	}
	// With so few faces, a change that removes some makes it a Model again.
	names := []string{"Zoë"}
	for _, p := range r.People() {
		if p.Name > "person 52" && len(p.Name) == 9 {
			names = append(names, p.Name)
		}
	}
	if r, err = r.Remove(ctx, names...); err != nil {
		t.Fatal(err)
	}
	if r.large() != nil || r.m.Crowd != nil || r.m.Calibration == nil || r.m.Calibration.FPIR != 0.02 {
		t.Error("a small gallery is a large one")
	}
}

// Train makes a large gallery where there are more faces than a Model should have.
func TestTrainLarge(t *testing.T) {
	images := drawnVectors(t, 1, 30, 2)
	if r := trainedOn(t, images); r.large() != nil {
		t.Error("few faces are a large gallery")
	}
	many := *images // as many faces as matter to Train
	many.Groups = slices.Clone(images.Groups)
	if r, err := trainLarge(t.Context(), &many, Defaults(images).Pipeline, Options{Method: method.Mean{}}); r != nil || err != nil || many.Len() > large.Faces {
		t.Errorf("%v, %v", r, err)
	}
	vectors := *images
	vectors.X = classify.Unit(images.X)
	vectors.X.Scale(2, vectors.X)
	if r, err := newLarge(t.Context(), trainedOn(t, images).m, &vectors, Options{Method: method.Mean{}}); r != nil || err != nil {
		t.Errorf("vectors of no unit norm: %v", err)
	}
}
