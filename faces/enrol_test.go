package faces_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
)

// methods are options of a method with nothing to fit, of one with a projection,
// and of one that iterates.
func methods() map[string]faces.Options {
	projected, iterated := options(), options()
	projected.Pipeline = pipeline("16x16 igo mirror fisher:0.1")
	iterated.Method, iterated.Pipeline, iterated.OpenSet = method.DefaultNRDL, pipeline("16x16 pixels"), nil
	return map[string]faces.Options{"nrc": options(), "fisher": projected, "nrdl": iterated}
}

// Whoever is enrolled, image by image and in any order, the result is that of a
// training with all, byte by byte; and the Recogniser that it was is unchanged.
func TestEnrolIsTraining(t *testing.T) {
	images := crops(t, 5, 4)
	rng := rand.New(rand.NewPCG(5, 6))
	for name, o := range methods() {
		want := written(t, trained(t, images, o))
		for range 3 {
			order := rng.Perm(images.Len())
			first := 12 + rng.IntN(4) // of three people or more: two have no threshold
			next := first + rng.IntN(images.Len()-first)
			r := trained(t, images.Select(order[:first]), o)
			before := written(t, r)
			grown := r
			for _, more := range [][]int{order[first:next], order[next:]} {
				if len(more) == 0 {
					continue
				}
				var report gallery.MergeReport
				var err error
				if grown, report, err = grown.EnrolAll(t.Context(), images.Select(more), false); err != nil || report.Additions != len(more) {
					t.Fatalf("%+v, %v", report, err)
				}
			}
			if !bytes.Equal(written(t, grown), want) {
				t.Errorf("%s: images %v, then %v: not what all of them give", name, order[:first], order[first:])
			}
			if !bytes.Equal(written(t, r), before) {
				t.Errorf("%s: the Recogniser from before has changed", name)
			}
			if again, report, err := grown.EnrolAll(t.Context(), images.Select(order[:3]),
				false); err != nil || again != grown || len(report.Duplicates) != 3 {
				t.Errorf("%s: the same again: %+v, %v", name, report, err)
			}
		}
	}
}

func span(n int) (all []int) {
	for j := range n {
		all = append(all, j)
	}
	return all
}

// Who is removed was never there, and who is renamed was always called so.
func TestRemoveAndRenameAreTraining(t *testing.T) {
	images := crops(t, 5, 4)
	for name, o := range methods() {
		r := trained(t, images, o)
		want := written(t, r)
		for _, gone := range [][]string{{"person001"}, {"person005", "person002"}} {
			rest, err := r.Remove(t.Context(), gone...)
			if err != nil {
				t.Fatal(err)
			}
			others, err := gallery.Enrolling(images).Without(gone...)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(written(t, rest), written(t, trained(t, others.Images(), o))) {
				t.Errorf("%s: without %v it is not what the others give", name, gone)
			}
		}
		for _, to := range []string{"a", "person003a"} {
			renamed, _, err := r.Rename(t.Context(), "person002", to)
			if err != nil {
				t.Fatal(err)
			}
			under, _, err := gallery.Enrolling(images).Rename("person002", to)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(written(t, renamed), written(t, trained(t, under.Images(), o))) {
				t.Errorf("%s: %s is not what learning under that name gives", name, to)
			}
			back, _, err := renamed.Rename(t.Context(), to, "person002")
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(written(t, back), want) {
				t.Errorf("%s: to %s and back is another file", name, to)
			}
		}
		both, report, err := r.Rename(t.Context(), "person002", "person001")
		if err != nil || len(both.People()) != 4 || report.Additions != 4 || both.People()[0].Faces != 8 {
			t.Errorf("%s: two people in one: %+v, %v", name, report, err)
		}
		if !bytes.Equal(written(t, r), want) {
			t.Errorf("%s: it has changed", name)
		}
	}
}

// Photographs are enrolled by their largest faces, as training on these crops does,
// and the person is known afterwards.
func TestEnrolPhotographs(t *testing.T) {
	r, found := photographs(t)
	stranger, other := found.Groups[5], found.Groups[6]
	shots := []image.Image{photograph(found, stranger), photograph(found, stranger+1, 0), photograph(found, stranger+2)}
	grown, report, err := r.Enrol(t.Context(), "zoe", shots...)
	if err != nil || report.Additions != 3 {
		t.Fatalf("%+v, %v", report, err)
	}
	images := grown.Model().Images()
	o := faces.Defaults(images)
	o.Detect, o.OpenSet = quick(), strict()
	if !bytes.Equal(written(t, grown), written(t, trained(t, images, o))) {
		t.Error("it is not what training on the same crops gives")
	}
	if n := images.Len(); images.Groups[len(images.Classes)-1] != n-3 || !strings.HasPrefix(images.IDs[n-1], "zoe/") ||
		len(images.Quality) != n {
		t.Errorf("%v, %d qualities", images.IDs, len(images.Quality))
	}
	if again, report, err := grown.Enrol(t.Context(), "zoe", shots[1]); err != nil || report.Additions != 0 || len(report.Duplicates) != 1 ||
		again != grown {
		t.Errorf("enrolled again: %+v, %v", report, err)
	}
	for j, want := range map[int]string{stranger + 3: "zoe", other: ""} {
		if f := identified(t, grown, photograph(found, j))[0]; f.Name != want {
			t.Errorf("%s is %q, want %q", found.ID(j), f.Name, want)
		}
	}
	// What shows no face is left out, and it is an error if nothing is left.
	black := image.NewGray(image.Rect(0, 0, 60, 60))
	warnings := 0
	observed, err := r.With(quick(), faces.Observer{Warn: func(error) { warnings++ }})
	check(err)
	if _, report, err := observed.Enrol(t.Context(), "zoe", black, shots[0]); err != nil || report.Additions != 1 || warnings != 1 {
		t.Errorf("%+v, %d warnings, %v", report, warnings, err)
	}
	for name, none := range map[string][]image.Image{"black": {black, black}, "none": nil} {
		if _, _, err := r.Enrol(t.Context(), "zoe", none...); err == nil || (name == "black") != errors.Is(err, face.ErrNoFace) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// forget is r without its faces.
func forget(t *testing.T, r *faces.Recogniser) *faces.Recogniser {
	t.Helper()
	r, err := r.Forget()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What cannot be changed is an error, and the Recogniser is as before.
func TestEnrolRefuses(t *testing.T) {
	images := crops(t, 3, 3)
	r := trained(t, images, options())
	before := written(t, r)
	forgotten, again := forget(t, r), crop(images, 0)
	vectors := *images
	vectors.Frame = dataset.Frame{}
	other, err := faces.Train(t.Context(), &vectors, faces.Options{Method: method.DefaultNRC})
	if err != nil {
		t.Fatal(err)
	}
	enrol := func(r *faces.Recogniser, name string) error {
		_, _, err := r.Enrol(t.Context(), name, again)
		return err
	}
	remove := func(r *faces.Recogniser, names ...string) error {
		_, err := r.Remove(t.Context(), names...)
		return err
	}
	rename := func(r *faces.Recogniser, from, to string) error {
		_, _, err := r.Rename(t.Context(), from, to)
		return err
	}
	for name, err := range map[string]error{
		"enrol, forgotten":   enrol(forgotten, "zoe"),
		"remove, forgotten":  remove(forgotten, "person001"),
		"rename, forgotten":  rename(forgotten, "person001", "zoe"),
		"enrol in vectors":   enrol(other, "zoe"),
		"a name for nobody":  enrol(r, faces.Unknown),
		"a path":             enrol(r, "../zoe"),
		"nobody is called z": remove(r, "z"),
		"one would be left":  remove(r, "person001", "person002"),
		"all removed":        remove(r, "person001", "person002", "person003"),
		"nobody to rename":   rename(r, "z", "zoe"),
		"renamed unknown":    rename(r, "person001", faces.Unknown),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for _, err := range []error{enrol(forgotten, "zoe"), forgotten.Keeps()} {
		if !errors.Is(err, gallery.ErrForgotten) {
			t.Errorf("forgotten: %v", err)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	if _, _, err := r.Enrol(ctx, "zoe", again); !errors.Is(err, cause) {
		t.Errorf("cancelled: %v", err)
	}
	if err := r.Keeps(); err != nil || !bytes.Equal(written(t, r), before) {
		t.Errorf("it has changed: %v", err)
	}
	if _, err := r.Remove(t.Context(), "person001"); err == nil {
		t.Error("two people have no threshold, and there is no error")
	}
	observed, err := r.With(face.Options{}, faces.Observer{Warn: func(error) {}})
	check(err)
	two, err := observed.Remove(t.Context(), "person001", "person001")
	if err != nil || len(two.People()) != 2 {
		t.Errorf("one person, named twice: %v", err)
	}
}

// CanonicalName finds a name by what is seen of it.
func TestSpelt(t *testing.T) {
	images := crops(t, 2, 2)
	images.Classes = []string{"Zoe\u0308", "\u00dcnal"} // an accent of its own, and none
	o := options()
	o.OpenSet = nil
	r := trained(t, images, o)
	for name, want := range map[string]string{
		"Zo\u00eb": "Zoe\u0308", "Zoe\u0308": "Zoe\u0308", "U\u0308nal": "\u00dcnal", "zo\u00eb": "zo\u00eb", "": "",
	} {
		if got := r.Model().CanonicalName(name); got != want {
			t.Errorf("%+q is spelt %+q, want %+q", name, got, want)
		}
	}
}

// A threshold for another rate is that of a training with it, learns nothing again,
// and admits the more the higher the rate is.
func TestCalibrateIsTraining(t *testing.T) {
	images := crops(t, 6, 4)
	o := options()
	r := trained(t, images, o)
	last := r.Model().Calibration.Threshold
	for _, rate := range []float64{0.1, 0.3} {
		how := *o.OpenSet
		how.FPIR = rate
		got, err := r.Calibrate(t.Context(), how, nil)
		if err != nil {
			t.Fatal(err)
		}
		o.OpenSet = &how
		if !bytes.Equal(written(t, got), written(t, trained(t, images, o))) {
			t.Errorf("a rate of %v: not what training with it gives", rate)
		}
		if got.Model().Classifier != r.Model().Classifier || !(got.Model().Calibration.Threshold < last) {
			t.Errorf("a rate of %v: the threshold %v, after %v", rate, got.Model().Calibration.Threshold, last)
		}
		last = got.Model().Calibration.Threshold
	}
	if _, err := r.Calibrate(t.Context(), openset.Options{FPIR: 2, Prior: 0.5}, nil); err == nil {
		t.Error("a rate of 2")
	}
	if _, err := forget(t, r).Calibrate(t.Context(), openset.Options{FPIR: 0.1, Prior: 0.3}, nil); !errors.Is(err, gallery.ErrForgotten) {
		t.Errorf("forgotten: %v", err)
	}
}

// Two people get a threshold by photographs of strangers, who must be others; it is
// lost, with a warning, when somebody is enrolled.
func TestCalibrateByStrangers(t *testing.T) {
	all := crops(t, 12, 4)
	two, strangers := all.Select(span(8)), all.Select(span(48)[12:])
	var warnings []error
	o := options()
	o.Warn = func(err error) { warnings = append(warnings, err) }
	r := trained(t, two, o)
	warnings = nil
	if _, err := r.Calibrate(t.Context(), *o.OpenSet, nil); !errors.Is(err, openset.ErrNoStrangers) {
		t.Errorf("without strangers: %v", err)
	}
	given, err := r.Calibrate(t.Context(), *o.OpenSet, strangers)
	if err != nil || len(given.Model().Calibration.Strangers) != strangers.Len() || len(warnings) > 0 {
		t.Fatalf("%v, warnings %v", err, warnings)
	}
	named := 0
	for j := range strangers.Len() {
		if identified(t, given, crop(strangers, j))[0].Known {
			named++
		}
	}
	if named > strangers.Len()/5 { // 5 % are wanted
		t.Errorf("%d of %d strangers are named", named, strangers.Len())
	}
	if _, err := given.Calibrate(t.Context(), *o.OpenSet, two); err != nil || len(warnings) != 1 {
		t.Errorf("strangers who are people of the model: %v, warnings %v", err, warnings)
	}
	warnings = nil
	grown, _, err := given.EnrolAll(t.Context(), all.Select(span(12)[8:]), false)
	if err != nil || len(warnings) != 1 || len(grown.Model().Calibration.Strangers) > 0 || grown.Model().Calibration.FPIR != o.OpenSet.FPIR {
		t.Errorf("%v, warnings %v", err, warnings)
	}
}

// Two people keep what was asked for of a threshold, in the file too, until a third
// makes one possible; and where none was asked for, there is none then either.
func TestTwoPeopleKeepOpenSetOptions(t *testing.T) {
	images := crops(t, 3, 4)
	for name, how := range map[string]*openset.Options{"asked": {FPIR: 0.07, Prior: 0.3, Folds: 4}, "none": nil} {
		o := options()
		o.OpenSet, o.Warn = how, func(error) {}
		path := filepath.Join(t.TempDir(), "two.nrdl")
		if err := trained(t, images.Select(span(8)), o).Save(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		two, err := faces.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		two, err = two.With(face.Options{}, o.Observer)
		check(err)
		three, _, err := two.EnrolAll(t.Context(), images.Select(span(12)[8:]), false)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(written(t, three), written(t, trained(t, images, o))) {
			t.Errorf("%s: with a third, it is not the model that is trained on all", name)
		}
		again, err := three.Remove(t.Context(), "person003")
		if err != nil || !bytes.Equal(written(t, again), written(t, two)) {
			t.Errorf("%s: without the third, it is not the model before: %v", name, err)
		}
	}
}

// A warm start is much the same, from a method that can start from what it has
// learned, and exactly the same from others.
func TestEnrolWarm(t *testing.T) {
	images := crops(t, 4, 4)
	for name, o := range methods() {
		tips := 0
		o.Tell = func(advice.Advice) { tips++ }
		r := trained(t, images.Select(span(12)), o)
		tips = 0
		warm, _, err := r.EnrolAll(t.Context(), images.Select(span(16)[12:]), true)
		if err != nil {
			t.Fatal(err)
		}
		cold := trained(t, images, o)
		if same := bytes.Equal(written(t, warm), written(t, cold)); same != (name != "nrdl") {
			t.Errorf("%s: the same is %v", name, same)
		}
		w, c := warm.Model().Parts().Outcome, cold.Model().Parts().Outcome
		if w.Status != c.Status || w.Status == classify.Exhausted || tips == 0 {
			t.Errorf("%s: %+v, want %+v", name, w, c)
		}
		for j := range images.Len() {
			got, want := identified(t, warm, crop(images, j))[0], identified(t, cold, crop(images, j))[0]
			if got.Ranking[0].Name != want.Ranking[0].Name {
				t.Errorf("%s: %s is most like %s, without a warm start %s", name, images.ID(j), got.Ranking[0].Name, want.Ranking[0].Name)
			}
		}
	}
}

// A survey counts every face of everybody once.
func TestSurvey(t *testing.T) {
	images := crops(t, 4, 4)
	r := trained(t, images, options())
	s, err := r.Survey(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	held := 0
	for i, p := range s.People {
		if p.Name != images.Classes[i] || p.Faces != 4 || p.Held != 4 || p.Right > p.Held {
			t.Errorf("%+v", p)
		}
		held += p.Held
	}
	if s.Faces != 16 || s.Held != held || *s.Threshold != r.Model().Calibration.Threshold {
		t.Errorf("%+v", s)
	}
	plain, err := forget(t, r).Survey(t.Context(), true)
	if err != nil || plain.Reason == "" || len(plain.People) != 4 {
		t.Errorf("forgotten: %+v, %v", plain, err)
	}
}

// Of several faces the one is enrolled that is meant: the person, or the only unknown one. None is taken
// where that is not clear, and nobody who is enrolled gets a second name without a warning.
func TestEnrolsTheFaceThatIsMeant(t *testing.T) {
	r, found := photographs(t)
	known, zoe, other := found.Groups[0], found.Groups[5], found.Groups[6]
	name := found.Classes[0]
	var warned, hints []string
	observed, err := r.With(quick(), faces.Observer{
		Warn: func(err error) { warned = append(warned, err.Error()+": "+advice.Text(err)) },
		Tell: func(a advice.Advice) { hints = append(hints, a.String()) },
	})
	check(err)
	for what, c := range map[string]struct {
		name   string
		photo  image.Image
		like   int // the column that is enrolled; -1: none
		warns  string
		silent bool // also a Recogniser that tells nobody enrols it
	}{
		"largest is known":      {"zoe", photograph(found, known, zoe), zoe, "", true},
		"largest is a stranger": {name, photograph(found, other, known+1), known + 1, "", true},
		"two strangers": {
			"zoe", photograph(found, zoe, other), -1,
			"nothing says which one is zoe: if face 1 is zoe: faces.Recogniser.Enrol with person: zoe, face.Options.At: ", false,
		},
		"alone, but somebody else": {"zoe", photograph(found, known+3), known + 3, "takes 1 photograph of zoe for " + name, false},
	} {
		warned, hints = nil, nil
		grown, report, err := observed.Enrol(t.Context(), c.name, c.photo)
		if (err == nil) != (c.like >= 0) || err == nil && report.Additions+len(report.Duplicates) != 1 {
			t.Errorf("%s: %+v, %v", what, report, err)
			continue
		}
		if all := strings.Join(warned, "\n"); !strings.Contains(all, c.warns) || (c.warns == "") != (all == "") {
			t.Errorf("%s: warned %q", what, all)
		}
		if err == nil {
			if f := identified(t, grown, photograph(found, c.like))[0]; f.Name != c.name ||
				grown.Model().Faces(c.name) != r.Model().Faces(c.name)+1 {
				t.Errorf("%s: %s is %q; hints %q", what, found.ID(c.like), f.Name, hints)
			}
		}
		if _, _, err := r.Enrol(t.Context(), c.name, c.photo); (err == nil) != c.silent {
			t.Errorf("%s, in silence: %v", what, err)
		}
	}
}
