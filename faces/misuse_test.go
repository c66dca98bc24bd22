package faces_test

import (
	"bytes"
	"context"
	"image"
	"math"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dictionary"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/explain"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/faces/gallery/file"
	"nrdl.example/nrdl/faces/gallery/index"
	"nrdl.example/nrdl/faces/group"
	"nrdl.example/nrdl/faces/measure"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
)

// A Recogniser that nobody trained, and arguments that are empty, are errors.
func TestMisuse(t *testing.T) {
	ctx, empty, none := t.Context(), &faces.Recogniser{}, &dataset.Images{}
	r := trained(t, crops(t, 3, 3), options())
	photo := image.NewGray(image.Rect(0, 0, 20, 20))
	var absent *image.Gray
	wrong := face.Options{Detect: "bogus"}
	wrongly := options()
	wrongly.OpenSet = &openset.Options{FPIR: 2, Prior: 0.5}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	var absentContext context.Context
	for name, err := range map[string]error{
		"no context: Learn": second(nrdl.Learn(absentContext, mat.NewDense(2, 4, []float64{1, 2, 3, 4, 4, 3, 2, 1}),
			[]string{"a", "a", "b", "b"}, method.DefaultCRC, classify.LearnOptions{})),
		"no context: Train":       second(faces.Train(absentContext, crops(t, 3, 3), options())),
		"no context: Read":        second(faces.Read(absentContext, t.TempDir(), faces.ReadOptions{})),
		"no context: ReadFiles":   second(faces.ReadFiles(absentContext, []dataset.File{{Path: "a.png"}}, faces.ReadOptions{})),
		"no context: Identify":    second(r.Identify(absentContext, photo)),
		"no context: Explain":     second(r.Explain(absentContext, faces.Face{})),
		"no context: Verify":      second(r.Verify(absentContext, photo, photo)),
		"no context: files":       second(faces.Verify(absentContext, r, nil, faces.Photo{}, faces.Photo{})),
		"no context: Enrol":       third(r.Enrol(absentContext, "ann", photo)),
		"no context: EnrolAll":    third(r.EnrolAll(absentContext, crops(t, 3, 3), false)),
		"no context: Remove":      second(r.Remove(absentContext, r.People()[0].Name)),
		"no context: Rename":      third(r.Rename(absentContext, r.People()[0].Name, "bob")),
		"no context: Calibrate":   second(r.Calibrate(absentContext, openset.Default, nil)),
		"no context: Survey":      second(r.Survey(absentContext, true)),
		"no context: Save":        r.Save(absentContext, t.TempDir()+"/m.nrdl"),
		"Train nothing":           second(faces.Train(ctx, nil, faces.Defaults(nil))),
		"Train no images":         second(faces.Train(ctx, none, faces.Defaults(none))),
		"Train for no FPIR":       second(faces.Train(ctx, crops(t, 3, 3), wrongly)),
		"Read with a wrong word":  second(faces.Read(ctx, t.TempDir(), faces.ReadOptions{Detect: wrong})),
		"ReadFiles of none":       second(faces.ReadFiles(ctx, nil, faces.ReadOptions{})),
		"ReadFiles with one":      second(faces.ReadFiles(ctx, []dataset.File{{Path: "a.png"}}, faces.ReadOptions{Detect: wrong})),
		"no photograph":           second(r.Identify(ctx, nil)),
		"a nil photograph":        second(r.Identify(ctx, absent)),
		"enrol a nil photograph":  third(r.Enrol(ctx, "ann", absent)),
		"enrol no photograph":     third(r.Enrol(ctx, "ann")),
		"EnrolAll of nothing":     third(r.EnrolAll(ctx, nil, false)),
		"EnrolAll of no images":   third(r.EnrolAll(ctx, none, false)),
		"verify a nil photograph": second(r.Verify(ctx, photo, absent)),
		"Calibrate for no FPIR":   second(r.Calibrate(ctx, openset.Options{FPIR: 2, Prior: 0.5}, nil)),
		"Calibrate, cancelled":    second(r.Calibrate(cancelled, openset.Options{FPIR: 0.1, Prior: 0.5, Folds: 5}, nil)),
		"no strangers":            second(r.Calibrate(ctx, openset.Default, none)),
		"With a wrong word":       second(r.With(wrong, faces.Observer{})),

		"empty: Identify":  second(empty.Identify(ctx, photo)),
		"empty: Verify":    second(empty.Verify(ctx, photo, photo)),
		"empty: Explain":   second(empty.Explain(ctx, faces.Face{})),
		"empty: Enrol":     third(empty.Enrol(ctx, "ann", photo)),
		"empty: EnrolAll":  third(empty.EnrolAll(ctx, crops(t, 3, 3), false)),
		"empty: Remove":    second(empty.Remove(ctx, "ann")),
		"empty: Rename":    third(empty.Rename(ctx, "ann", "bob")),
		"empty: Calibrate": second(empty.Calibrate(ctx, openset.Default, nil)),
		"empty: Survey":    second(empty.Survey(ctx, true)),
		"empty: With":      second(empty.With(face.Options{}, faces.Observer{})),
		"empty: ReadFiles": second(empty.ReadFiles(ctx, []dataset.File{{Path: "a.png"}})),
		"empty: Save":      empty.Save(ctx, t.TempDir()+"/m.nrdl"),
		"empty: Keeps":     empty.Keeps(),
		"empty: Forget":    second(empty.Forget()),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for range r.IdentifyAll(ctx, nil) {
		t.Error("a photograph of none")
	}
	for _, err := range r.IdentifyAll(absentContext, slices.Values([]faces.Photo{{}})) {
		if err == nil {
			t.Error("no context: a photograph")
		}
	}
	if o := faces.Defaults(nil).For(); o.Method == nil || !reflect.DeepEqual(o, faces.Options{Method: o.Method}) {
		t.Error("options for no methods have more than the default method, or not that")
	}
	if len(empty.People()) != 0 || empty.OpenSet() != openset.Default {
		t.Error("an empty Recogniser has people")
	}
}

// So are such arguments of the packages below.
func TestMisuseOfPackages(t *testing.T) {
	ctx, images := t.Context(), crops(t, 3, 3)
	g := trained(t, images, options()).Model()
	var absent context.Context
	var none *method.NRDL
	empty, nobody := &gallery.Gallery{}, &classify.Classifier{}
	wrong := *images
	wrong.X = mat.DenseCopyOf(images.X)
	wrong.X.Set(0, 0, math.NaN())
	three := mat.NewDense(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1})
	for name, err := range map[string]error{
		"Samples of nothing":         second(classify.NewSamples(nil, nil, nil, nil)),
		"Scores of nobody":           second(nobody.Scores(ctx, images.X)),
		"Scores of nothing":          second(g.Classifier.Scores(ctx, nil)),
		"Scores of an empty matrix":  second(g.Classifier.Scores(ctx, &mat.Dense{})),
		"Scores, no context":         second(g.Classifier.Scores(absent, images.X)),
		"Learn by a nil pointer":     second(nrdl.Learn(ctx, images.X, make([]string, images.Len()), none, classify.LearnOptions{})),
		"Train by a nil pointer":     second(faces.Train(ctx, images, faces.Options{Method: none})),
		"Train, a negative number":   second(faces.Train(ctx, images, faces.Options{ShortlistAbove: -5})),
		"Open with no method":        second(file.Read(&bytes.Buffer{}, file.Options{Methods: []classify.Method{nil}})),
		"Read nothing":               second(file.Read(nil, file.Options{})),
		"Write to nothing":           file.Write(nil, g),
		"Write nothing":              file.Write(&bytes.Buffer{}, empty),
		"Save nothing":               file.Save(ctx, t.TempDir()+"/m.nrdl", empty),
		"a nil method has a name":    second(method.Named("nrdl", none)),
		"a nil method is set":        second(method.Set(nil, "lambda", "1")),
		"the method of nothing":      second(method.Of(nil)),
		"gallery.Learn, no images":   second(gallery.Learn(ctx, nil, g.Pipeline, method.DefaultCRC, classify.Run{}, 0)),
		"gallery.Learn, no context":  second(gallery.Learn(absent, images, g.Pipeline, method.DefaultCRC, classify.Run{}, 0)),
		"an empty gallery":           empty.Validate(),
		"an empty gallery: Identify": second(empty.Identify(ctx, images)),
		"an empty gallery: Survey":   second(empty.Survey(ctx, true, nil)),
		"Identify nothing":           second(g.Identify(ctx, nil)),
		"Identify, no context":       second(g.Identify(absent, images)),
		"Transform nothing":          second(g.Transform(ctx, nil)),
		"Calibrate, no context":      second(g.Calibrate(absent, openset.Default, nil, nil)),
		"HeldOut, no context":        second(g.HeldOut(absent, nil)),
		"Review, no context":         second(g.Review(absent, nil)),
		"Refit to nothing":           second(g.Refit(ctx, nil, classify.Run{})),
		"Merge nothing":              third(g.Enrolled.Merge(nil)),
		"Merge NaN":                  third(g.Enrolled.Merge(&wrong)),
		"Explain nothing":            second(explain.New(ctx, g, nil)),
		"no law":                     second(openset.ByLaw(openset.Default, nil, images.X, images.Groups, nil)),
		"group nothing":              second(group.Faces(ctx, nil, nil, openset.Shipped()[0], group.Default)),
		"group NaN":                  second(group.Faces(ctx, wrong.X, nil, openset.Shipped()[0], group.Default)),
		"group by no law":            second(group.Faces(ctx, images.X, nil, nil, group.Default)),
		"measure nothing":            second(measure.Law(nil, nil)),
		"add nobody to an index":     second(index.New(4, 0).With(nil)),
		"search for NaN":             second(index.New(1, 0).Nearest(ctx, []float32{float32(math.NaN())}, 1)),
		"K-SVD of other atoms":       third(dictionary.DefaultKSVD.Learn(ctx, images.X, three, classify.Run{})),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if empty.Names() != nil || empty.Len() != 0 || empty.Shortlists() {
		t.Error("an empty gallery has people")
	}
}

func second[T any](_ T, err error) error { return err }

func third[T, U any](_ T, _ U, err error) error { return err }

// A method that learns a dictionary needs more features than the projection of Defaults
// leaves: For takes it out, and a method that takes it keeps it.
func TestOptionsFor(t *testing.T) {
	images, err := synthetic.Faces{People: 32, PerPerson: 2, Input: dataset.Size{Height: 24, Width: 24}, Seed: 4, Light: 0.3}.Draw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o := faces.Defaults(images)
	if o.Pipeline.Projection.IsZero() {
		t.Fatal("no projection by default: the test proves nothing")
	}
	if got := o.For(method.DefaultCRC); got.Pipeline.Projection != o.Pipeline.Projection || got.Method != method.DefaultCRC {
		t.Errorf("%v for CRC", got.Pipeline)
	}
	few := method.DefaultNRDL
	few.Passes = 1
	for _, got := range []faces.Options{o.For(few), o.For(few, method.DefaultCRC), o.For(method.DefaultCRC, few)} {
		if !got.Pipeline.Projection.IsZero() {
			t.Errorf("%v for NRDL", got.Pipeline)
		}
	}
	o = o.For(few)
	o.OpenSet = nil
	trained(t, images, o)
}

// A threshold is changed by what is to change alone.
func TestCalibrateFromOpenSet(t *testing.T) {
	r := trained(t, crops(t, 4, 4), options())
	how := r.OpenSet()
	if how != *options().OpenSet {
		t.Errorf("%+v", how)
	}
	how.FPIR = 0.2
	next, err := r.Calibrate(t.Context(), how, nil)
	if err != nil || next.OpenSet() != how || r.OpenSet() == how {
		t.Errorf("%+v, %v", next.OpenSet(), err)
	}
}
