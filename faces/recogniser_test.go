package faces_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
)

// crops are face crops of drawn people, so many of each.
func crops(t testing.TB, people, each int) *dataset.Images {
	t.Helper()
	images, err := synthetic.Faces{
		People: people, PerPerson: each, Input: dataset.Size{Height: 16, Width: 16}, Seed: 4,
		Light: 0.3, Pose: 0.3, Expression: 0.3, Noise: 1,
	}.Draw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return images
}

// crop is the image of column j.
func crop(images *dataset.Images, j int) *image.Gray {
	size := images.Frame.Size
	m := image.NewGray(image.Rect(0, 0, size.Width, size.Height))
	for x := range size.Width {
		for y := range size.Height {
			m.Pix[y*m.Stride+x] = byte(images.X.At(x*size.Height+y, j))
		}
	}
	return m
}

// columns are those of images that are not held out: of each person the last is.
func columns(images *dataset.Images) (kept, held []int) {
	for j := range images.Len() {
		if j+1 == images.Groups[images.ClassOf(j)+1] {
			held = append(held, j)
		} else {
			kept = append(kept, j)
		}
	}
	return kept, held
}

// options are fast ones.
func options() faces.Options {
	return faces.Options{
		Method: method.DefaultNRC, Pipeline: pipeline("16x16 igo mirror"), Seed: 3,
		OpenSet: &openset.Options{FPIR: 0.05, Prior: 0.5, Folds: 5},
	}
}

func pipeline(text string) frontend.Pipeline {
	in, err := frontend.Parse(text)
	check(err)
	return in
}

func trained(t testing.TB, images *dataset.Images, o faces.Options) *faces.Recogniser {
	t.Helper()
	r, err := faces.Train(t.Context(), images, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// public compares the results for faces.
var public = cmp.Options{
	cmpopts.IgnoreUnexported(faces.Face{}), cmpopts.EquateNaNs(), cmpopts.EquateEmpty(),
	cmp.Comparer(func(a, b error) bool { return fmt.Sprint(a) == fmt.Sprint(b) }),
}

// written is the model file of r.
func written(t testing.TB, r *faces.Recogniser) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// photographs trains on photographs of five people, but for the last of each, and
// returns the faces on them, and those of two strangers. It is done once for all
// tests, and in no short ones, as finding faces takes long under the race detector.
func photographs(t testing.TB) (*faces.Recogniser, *dataset.Images) {
	t.Helper()
	if testing.Short() {
		t.Skip("it finds faces in photographs")
	}
	return photographed()
}

// strict is a target below the default: drawn strangers are more alike to drawn people than
// the default expects of strangers who resemble five people.
func strict() *openset.Options {
	o := openset.Default
	o.FPIR = 0.001
	return &o
}

var photographed = sync.OnceValues(func() (*faces.Recogniser, *dataset.Images) {
	found := drawnFaces(7, 4, 1)
	dir, err := os.MkdirTemp("", "people")
	check(err)
	defer os.RemoveAll(dir)
	var learned []int
	for j := range found.Len() {
		if c := found.ClassOf(j); c < 5 && j+1 != found.Groups[c+1] {
			learned = append(learned, j)
		}
	}
	writePhotographs(dir, found.Select(learned))
	ctx := context.Background()
	images, err := faces.Read(ctx, dir, faces.ReadOptions{Detect: quick()})
	check(err)
	o := faces.Defaults(images)
	o.Detect = quick()
	o.OpenSet = strict()
	r, err := faces.Train(ctx, images, o)
	check(err)
	return r, found
})

// Equal trainings give equal bytes, whatever the number of threads and whoever
// watches, and the file gives the Recogniser back.
func TestEqualRecognisersAreEqualBytes(t *testing.T) {
	images := crops(t, 6, 4)
	path := filepath.Join(t.TempDir(), "m.nrdl")
	reports := 0
	for name, edit := range map[string]func(o *faces.Options){
		"nrc":    func(*faces.Options) {},
		"fisher": func(o *faces.Options) { o.Pipeline = pipeline("16x16 igo mirror fisher:0.1") },
		"nrdl":   func(o *faces.Options) { o.Method, o.Pipeline = method.DefaultNRDL, frontend.Pipeline{} },
		"forget": func(o *faces.Options) { o.Forget = true },
		"all":    func(o *faces.Options) { o.OpenSet = nil },
	} {
		o := options()
		edit(&o)
		r := trained(t, images, o)
		want := written(t, r)

		o.Observer = faces.Observer{
			Watch:    func(classify.Progress) { reports++ },
			Progress: func(string, int, int) { reports++ },
			Tell:     func(advice.Advice) { reports++ }, Warn: func(error) { reports++ },
		}
		threads := runtime.GOMAXPROCS(1)
		again := trained(t, images, o)
		runtime.GOMAXPROCS(threads)
		if !bytes.Equal(written(t, again), want) {
			t.Errorf("%s: one thread, and somebody who watches, give another file", name)
		}

		if err := r.Save(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		opened, err := faces.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(written(t, opened), want) {
			t.Errorf("%s: what is opened and saved again is another file", name)
		}
		for j := range 4 {
			if diff := cmp.Diff(identified(t, r, crop(images, j)), identified(t, opened, crop(images, j)), public...); diff != "" {
				t.Errorf("%s: the file says otherwise: %s", name, diff)
			}
		}
	}
	if reports == 0 {
		t.Error("nothing was reported")
	}
}

// A file that is damaged, or is no model, is an error that names it.
func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	whole := written(t, trained(t, crops(t, 3, 3), options()))
	flipped := slices.Clone(whole)
	flipped[len(flipped)/2] ^= 1
	for name, content := range map[string][]byte{
		"cut": whole[:len(whole)/2], "flipped": flipped, "trailing": append(slices.Clone(whole), 0),
		"empty": nil, "page": []byte("<!DOCTYPE html>"),
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := faces.Open(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, path := range []string{dir, filepath.Join(dir, "missing")} {
		if _, err := faces.Open(path); err == nil || advice.Text(err) == "" {
			t.Errorf("%s: %v (%s)", path, err, advice.Text(err))
		}
	}
}

// Defaults are the only place of the policy that doc/frontends.md gives reasons for.
func TestDefaults(t *testing.T) {
	frame := dataset.Frame{Size: dataset.Size{Height: 96, Width: 96}, Eyes: dataset.DefaultEyes}
	images := func(people int, f dataset.Frame, matrix bool) *dataset.Images {
		x := mat.NewDense(max(1, f.Len()), people, nil)
		s := dataset.Unlabelled(x, f)
		s.Classes, s.Groups, s.Matrix = make([]string, people), make([]int, people+1), matrix
		return s
	}
	few, many := faces.Defaults(images(29, frame, false)), faces.Defaults(images(30, frame, false))
	if got := few.Pipeline.Features.String(); got != frontend.Faces96.Features.String() || few.Pipeline.Frame != frame {
		t.Errorf("features %s in %v", got, few.Pipeline.Frame)
	}
	if !few.Pipeline.Projection.IsZero() || many.Pipeline.Projection.IsZero() {
		t.Errorf("29 people are projected by %v, 30 by %v", few.Pipeline.Projection, many.Pipeline.Projection)
	}
	if small := faces.Defaults(images(30, dataset.Frame{Size: dataset.Size{Height: 32, Width: 32}},
		false)); small.Pipeline.Features.String() != frontend.Faces32.Features.String() {
		t.Errorf("32x32: %v", small.Pipeline)
	}
	for name, o := range map[string]faces.Options{
		"a matrix file": faces.Defaults(images(40, frame, true)), "vectors": faces.Defaults(images(40, dataset.Frame{}, true)),
	} {
		if o.Method.Name() != "nrdl" || len(o.Pipeline.Features) > 0 || !o.Pipeline.Projection.IsZero() {
			t.Errorf("%s: %s of %v", name, o.Method.Name(), o.Pipeline)
		}
	}
	if few.Method.Name() != "nrc" || many.Method.Name() != "nrc" || *few.OpenSet != openset.Default {
		t.Errorf("%s, %s, %+v", few.Method.Name(), many.Method.Name(), few.OpenSet)
	}
}

// Where no threshold can be estimated, or none is wanted, every face is named.
func TestTrainWithoutThreshold(t *testing.T) {
	var warnings []error
	o := options()
	o.Warn = func(err error) { warnings = append(warnings, err) }
	two := trained(t, crops(t, 2, 3), o)
	if two.Model().Calibration != nil || len(warnings) != 1 || advice.Text(warnings[0]) == "" {
		t.Errorf("two people: %+v, warnings %v", two.Model().Calibration, warnings)
	}
	if _, err := faces.Train(t.Context(), crops(t, 2, 3), options()); err == nil {
		t.Error("two people have no threshold, and there is no error")
	}
	o.OpenSet, warnings = nil, nil
	all := crops(t, 4, 3)
	many := trained(t, all, o)
	for _, r := range []*faces.Recogniser{two, many} {
		if f := identified(t, r, crop(all, 11))[0]; !f.Known || f.Name != f.Ranking[0].Name || !math.IsNaN(f.Probability) {
			t.Errorf("%+v", f)
		}
	}
	if len(warnings) > 0 {
		t.Errorf("warnings %v", warnings)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	if _, err := faces.Train(ctx, all, options()); !errors.Is(err, cause) {
		t.Errorf("cancelled: %v", err)
	}
}

// With changes how photographs are looked at, and not the Recogniser that it is of.
func TestWith(t *testing.T) {
	r := trained(t, crops(t, 3, 3), options())
	for _, o := range []face.Options{{Detect: "sometimes"}, {Which: "smallest"}, {Detect: face.Always}} {
		if _, err := r.With(o, faces.Observer{}); err == nil {
			t.Errorf("%+v: crops, and no error", o)
		}
	}
	if _, err := r.With(face.Options{Detect: face.Never}, faces.Observer{}); err != nil {
		t.Error(err)
	}

	r, found := photographs(t)
	group := photograph(found, 3, 7)
	for which, want := range map[face.Which]int{"": 2, face.All: 2, face.Largest: 1, face.Refuse: 2} {
		with, err := r.With(face.Options{Detect: face.Always, Which: which}, faces.Observer{})
		if err != nil {
			t.Fatal(err)
		}
		got := identified(t, with, group)
		if len(got) != want || (got[0].Rejection != nil) != (which == face.Refuse) {
			t.Errorf("which = %q: %+v", which, got)
		}
		if !bytes.Equal(written(t, with), written(t, r)) {
			t.Errorf("which = %q is in the file", which)
		}
	}
	never, err := r.With(face.Options{Detect: face.Never}, faces.Observer{})
	if err != nil {
		t.Fatal(err)
	}
	if got := identified(t, never, group); len(got) != 1 || !got[0].Box.Empty() || got[0].Detection != nil {
		t.Errorf("never: %+v", got)
	}
}

// One Recogniser serves many goroutines, which change each other in nothing.
func TestConcurrentUse(t *testing.T) {
	images := crops(t, 5, 4)
	kept, held := columns(images)
	r := trained(t, images.Select(kept), options())
	want, file := identified(t, r, crop(images, held[0])), written(t, r)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got, err := r.Identify(t.Context(), crop(images, held[0]))
			if err != nil || !cmp.Equal(got, want, public...) {
				t.Errorf("%+v, %v, want %+v", got, err, want)
			}
		})
		wg.Go(func() {
			for result, err := range r.IdentifyAll(t.Context(), photosOf(images, held...)) {
				if err != nil || len(result.Faces) != 1 {
					t.Errorf("%+v, %v", result, err)
				}
			}
		})
		wg.Go(func() {
			if _, err := r.Verify(t.Context(), crop(images, 0), crop(images, 1)); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			if _, _, err := r.Enrol(t.Context(), images.Classes[images.ClassOf(held[0])], crop(images, held[0])); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			if _, err := r.Calibrate(t.Context(), openset.Options{FPIR: 0.2, Prior: 0.5, Folds: 5}, nil); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			if err := r.Write(io.Discard); err != nil || len(r.People()) != 5 {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if !bytes.Equal(written(t, r), file) {
		t.Error("it has changed")
	}
}
