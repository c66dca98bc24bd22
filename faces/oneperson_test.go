package faces

import (
	"bytes"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
	"nrdl.example/nrdl/projection"
)

// One person is enough for vectors of a measured network: the person's faces get the name, and
// strangers, who are as similar to a person as the network was measured to find them, as often
// as is asked for.
func TestOnePersonIsEnough(t *testing.T) {
	const n = 2000
	people := drawnVectors(t, 1, 3, 12)
	for _, fpir := range []float64{0.001, 0.01, 0.1} {
		for _, photographs := range []int{1, 2, 5, 10} {
			for p := range people.Classes {
				lo, hi := people.Groups[p], people.Groups[p+1]
				how := openset.Default
				how.FPIR = fpir
				r, err := Train(t.Context(), people.Select(span(lo, lo+photographs)), Options{Method: method.Mean{}, OpenSet: &how})
				if err != nil {
					t.Fatal(err)
				}
				strangers := strangersOf(r, photographs, n)
				if got := known(t, r, strangers); math.Abs(float64(got)-fpir*n) > 1+fpir*n/10 {
					t.Errorf("%d photographs, %v wanted: %d of %d strangers get the name", photographs, fpir, got, n)
				}
				if of := hi - lo - photographs; known(t, r, people.Select(span(lo+photographs, hi))) < of {
					t.Errorf("%d photographs, %v wanted: of %d faces of the person not all get the name", photographs, fpir, of)
				}
			}
		}
	}
}

// strangersOf are n strangers to the person of r, who has so many photographs: their cosines
// with the mean of these are evenly spread over the impostor distribution.
func strangersOf(r *Recogniser, photographs, n int) *dataset.Images {
	mean, l := mat.Col(nil, 0, r.m.Parts().D), r.m.Impostors()
	other := slices.Clone(mean) // orthogonal, of unit norm
	other[0], other[1] = -mean[1], mean[0]
	clear(other[2:])
	floats.Scale(1/floats.Norm(other, 2), other)
	x := mat.NewDense(len(mean), n, nil)
	for j := range n {
		cosine := l.Cosine(photographs, distuv.UnitNormal.Quantile(1-(float64(j)+0.5)/float64(n)))
		for i := range mean {
			x.Set(i, j, cosine*mean[i]+math.Sqrt(1-cosine*cosine)*other[i])
		}
	}
	return dataset.Unlabelled(x, r.m.Frame)
}

// known counts the faces in images that r names.
func known(t *testing.T, r *Recogniser, images *dataset.Images) (n int) {
	t.Helper()
	faces, err := r.m.Identify(t.Context(), images)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faces {
		if f.Known {
			n++
		}
	}
	return n
}

// From one person to two and back, also where two shortlist, each model is that of a
// training; the last person cannot be removed.
func TestOnePersonComesAndGoes(t *testing.T) {
	two := drawnVectors(t, 1, 2, 12)
	how := openset.Default
	for _, above := range []int{0, 20} {
		train := func(images *dataset.Images) *Recogniser {
			t.Helper()
			r, err := Train(t.Context(), images, Options{Method: method.Mean{}, OpenSet: &how, ShortlistAbove: above})
			if err != nil {
				t.Fatal(err)
			}
			if r.m.Calibration == nil {
				t.Errorf("%d people have no threshold", r.m.Len())
			}
			return r
		}
		equal := func(what string, got, want *Recogniser, err error) {
			t.Helper()
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if !bytes.Equal(bytesOf(t, got), bytesOf(t, want)) {
				t.Errorf("%s: it is not the model that is trained", what)
			}
		}
		one, both := train(two.Select(span(0, 12))), train(two)
		if above > 0 != both.m.Shortlists() {
			t.Fatalf("shortlists: %v", both.m.Shortlists())
		}
		path := filepath.Join(t.TempDir(), "one.nrdl")
		if err := one.Save(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		opened, err := Open(path)
		equal("opened", opened, one, err)
		grown, _, err := opened.EnrolAll(t.Context(), two.Select(span(12, 24)), false)
		if above == 0 { // a gallery that shortlists depends on what was held out before
			equal("a second", grown, both, err)
		}
		less, err := both.Remove(t.Context(), two.Classes[1])
		less.m.ShortlistAbove = one.m.ShortlistAbove
		equal("without the second", less, one, err)
		merged, _, err := both.Rename(t.Context(), two.Classes[1], two.Classes[0])
		if err != nil || merged.m.Len() != 1 || merged.m.Calibration == nil {
			t.Errorf("merged: %v", err)
		}
		if _, err := one.Remove(t.Context(), two.Classes[0]); err == nil {
			t.Error("nobody is left")
		}
		survey, err := one.Survey(t.Context(), true)
		if err != nil || survey.Held != 12 || survey.Right != 12 || survey.People[0].Rival != "" || survey.Resembling.Known() {
			t.Errorf("%+v, %v", survey, err)
		}
		if suspects, err := suspectsOf(t.Context(), one); err != nil || len(suspects) > 0 {
			t.Errorf("suspects %v, %v", suspects, err)
		}
	}
}

// What cannot do with one person says so, and what to do.
func TestOnePersonIsTooFew(t *testing.T) {
	two := drawnVectors(t, 1, 2, 4)
	one := two.Select(span(0, 4))
	other := *one
	other.Frame.Embedding.Digest = strings.Repeat("0", 64)
	plain := *one
	plain.Frame = dataset.Frame{}
	fisher, err := projection.Parse("fisher")
	if err != nil {
		t.Fatal(err)
	}
	projected := Options{Method: method.Mean{}}
	projected.Pipeline.Frame, projected.Pipeline.Projection = one.Frame, fisher
	for want, c := range map[string]struct {
		images *dataset.Images
		o      Options
	}{
		"the method crc learns what tells people apart":    {one, Options{Method: method.DefaultCRC}},
		"projection fisher":                                {one, projected},
		"was not measured with these settings":             {&other, Options{Method: method.Mean{}}},
		"a sample is compared with those of other classes": {&plain, Options{Method: method.Mean{}}},
	} {
		only, next := `one person only, "person 1": `, "add images of other people"
		if c.images == &plain { // in the words for vectors
			only, next = `one class only, "person 1": `, "add samples of other classes"
		}
		_, err := Train(t.Context(), c.images, c.o)
		if err == nil || !strings.Contains(err.Error(), only) || !strings.Contains(err.Error(), want) ||
			!strings.Contains(advice.Text(err), next) {
			t.Errorf("%s: error %v, advice %q", want, err, advice.Text(err))
		}
	}
	how := openset.Default
	r, err := Train(t.Context(), two, Options{Method: method.DefaultCRC, OpenSet: &how, Observer: Observer{Warn: func(error) {}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Remove(t.Context(), "person 2"); err == nil ||
		!strings.Contains(err.Error(), "of 2 people 1 would be left: one person only") {
		t.Error(err)
	}
}
