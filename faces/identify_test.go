package faces_test

import (
	stdcmp "cmp"
	"context"
	"errors"
	"image"
	"iter"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
)

// identified is what r says of photo.
func identified(t testing.TB, r *faces.Recogniser, photo image.Image) []faces.Face {
	t.Helper()
	found, err := r.Identify(t.Context(), photo)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// photosOf are the files of these columns.
func photosOf(images *dataset.Images, columns ...int) iter.Seq[faces.Photo] {
	return func(yield func(faces.Photo) bool) {
		for _, j := range columns {
			if !yield(photo(images.ID(j), crop(images, j))) {
				return
			}
		}
	}
}

func photo(name string, img image.Image) faces.Photo {
	return faces.Photo{Name: name, Load: func() ([]byte, error) { return encoded(img), nil }}
}

// The results for a face agree with each other, people are named and strangers are
// unknown.
func TestIdentify(t *testing.T) {
	r, faces := photographs(t)
	known, strangers, named := 0, 0, 0
	for j := range faces.Len() {
		photo := photograph(faces, j)
		got := identified(t, r, photo)
		if len(got) != 1 || got[0].Rejection != nil {
			t.Fatalf("%s: %+v", faces.ID(j), got)
		}
		f := got[0]
		agree(t, r, photo, f)
		person := faces.Classes[faces.ClassOf(j)]
		switch held := j+1 == faces.Groups[faces.ClassOf(j)+1]; {
		case faces.ClassOf(j) >= 5:
			strangers++
			if f.Known {
				named++
			}
		case f.Known && f.Name != person:
			t.Errorf("%s is %s", faces.ID(j), f.Name)
		case held && f.Known:
			known++
		case !held && !f.Known:
			t.Errorf("%s, which it has learned from, is unknown", faces.ID(j))
		}
	}
	if known < 3 || named > 0 {
		t.Errorf("%d of 5 faces of people are known, %d of %d of strangers", known, named, strangers)
	}
}

// agree checks what f says against itself.
func agree(t *testing.T, r *faces.Recogniser, photo image.Image, f faces.Face) {
	t.Helper()
	people := map[string]bool{}
	for _, p := range r.People() {
		people[p.Name] = true
	}
	for _, c := range f.Ranking {
		delete(people, c.Name)
	}
	sorted := slices.IsSortedFunc(f.Ranking, func(a, b faces.Candidate) int { return stdcmp.Compare(b.Score, a.Score) })
	if len(people) > 0 || len(f.Ranking) != len(r.People()) || !sorted {
		t.Errorf("ranked %+v", f.Ranking)
	}
	if want := ""; f.Known {
		want = f.Ranking[0].Name
		if f.Name != want {
			t.Errorf("named %q, want %q", f.Name, want)
		}
	} else if f.Name != want {
		t.Errorf("unknown, and named %q", f.Name)
	}
	want := f.Ranking[0].Score - f.Ranking[1].Score
	if l := r.Model().Impostors(); l != nil {
		want = l.Evidence(f.Ranking[0].Score, len(f.Ranking))
	}
	if math.Abs(f.Margin-want) > 1e-12 {
		t.Errorf("margin %v of %+v", f.Margin, f.Ranking)
	}
	if c := r.Model().Calibration; f.Known != (f.Margin >= c.Threshold) || !(f.Probability >= 0 && f.Probability <= c.MaxProbability()) {
		t.Errorf("known %v with margin %v and probability %v; the threshold is %v", f.Known, f.Margin, f.Probability, c.Threshold)
	}
	if f.Box.Empty() || !f.Box.In(photo.Bounds()) || f.Detection == nil || f.Detection.Box != f.Box {
		t.Errorf("box %v of %v", f.Box, photo.Bounds())
	}
}

// IdentifyAll says of photographs what Identify says of each, in order, whatever
// the number of threads. Those that cannot be read are among them, each with its
// error.
func TestIdentifyAllIsIdentify(t *testing.T) {
	r, found := photographs(t)
	r, err := r.With(face.Options{Search: face.DefaultSearch}, faces.Observer{}) // which finds dark faces
	check(err)
	shots := []*image.Gray{
		photograph(found, 3), photograph(found, 7, 24), image.NewGray(image.Rect(0, 0, 60, 50)),
		image.NewGray(image.Rect(0, 0, 1, 1)), photograph(found, 15),
	}
	dark := image.NewGray(shots[0].Rect) // too dark to name its face
	for i, v := range shots[0].Pix {
		dark.Pix[i] = v / 30
	}
	shots = append(shots, dark)
	var want [][]faces.Face
	for _, shot := range shots {
		want = append(want, identified(t, r, shot))
	}
	if f := want[len(want)-1]; len(f) != 1 || f[0].Rejection == nil || f[0].Ranking != nil || f[0].Known {
		t.Errorf("a dark face: %+v", f)
	}
	lost := errors.New("lost")
	photos := func(yield func(faces.Photo) bool) {
		for i, shot := range shots {
			if !yield(photo(string(rune('a'+i)), shot)) {
				return
			}
			if i == 1 && (!yield(faces.Photo{Name: "lost.png", Load: func() ([]byte, error) { return nil, lost }}) ||
				!yield(faces.Photo{Name: "text.png", Load: func() ([]byte, error) { return []byte("text"), nil }})) {
				return
			}
		}
	}
	for _, threads := range []int{1, 8} {
		before := runtime.GOMAXPROCS(threads)
		i := 0
		for result, err := range r.IdentifyAll(t.Context(), photos) {
			switch name := result.Photo.Name; name {
			case "lost.png":
				if i != 2 || !errors.Is(err, lost) {
					t.Errorf("%s: %v", name, err)
				}
				continue
			case "text.png":
				if i != 2 || err == nil || !strings.Contains(err.Error(), name) {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			diff := cmp.Diff(want[i], result.Faces, public)
			if result.Photo.Name != string(rune('a'+i)) || diff != "" || result.Size != shots[i].Rect.Size() {
				t.Errorf("%d threads, photograph %d of %v: %s", threads, i, result.Size, diff)
			}
			for _, f := range result.Faces {
				if _, err := r.Explain(t.Context(), f); err == nil {
					t.Error("a face of IdentifyAll is explained")
				}
			}
			i++
		}
		runtime.GOMAXPROCS(before)
		if i != len(shots) {
			t.Errorf("%d threads: %d of %d photographs", threads, i, len(shots))
		}
	}
}

// A file that the camera stored turned has the same answer as the photograph that ReadPhoto
// returns: the grey values are those of the file, and not those of its colours.
func TestTurnedFiles(t *testing.T) {
	r, _ := photographs(t)
	dir := t.TempDir()
	check(synthetic.Photographs{People: 2, PerPerson: 2, Size: dataset.Size{Height: 240, Width: 240}, Seed: 50}.Write(t.Context(),
		filepath.Join(dir, "drawn"), nil))
	files, err := filepath.Glob(filepath.Join(dir, "drawn", "*", "*.jpg"))
	check(err)
	turned, named := 0, 0
	for result, err := range r.IdentifyAll(t.Context(), func(yield func(faces.Photo) bool) {
		for _, f := range files {
			if !yield(faces.Photo{Name: f}) {
				return
			}
		}
	}) {
		check(err)
		img, err := dataset.ReadPhoto(t.Context(), result.Photo.Name)
		check(err)
		f, err := os.Open(result.Photo.Name)
		check(err)
		stored, _, err := image.DecodeConfig(f)
		check(errors.Join(err, f.Close()))
		if img.Bounds().Dx() == stored.Height {
			turned += len(result.Faces)
		}
		for _, f := range result.Faces {
			named += len(f.Ranking)
		}
		if diff := cmp.Diff(identified(t, r, img), result.Faces, public); diff != "" {
			t.Errorf("%s: %s", result.Photo.Name, diff)
		}
	}
	if turned == 0 || named == 0 {
		t.Errorf("%d faces are in turned files, %d candidates", turned, named)
	}
}

// Of photographs without end a bounded number is read ahead, and none after the
// caller has had enough.
func TestIdentifyAllIsBounded(t *testing.T) {
	images := crops(t, 3, 3)
	r := trained(t, images, options())
	content := encoded(crop(images, 0))
	var loaded, given atomic.Int64
	endless := func(yield func(faces.Photo) bool) {
		for yield(faces.Photo{Load: func() ([]byte, error) { loaded.Add(1); return content, nil }}) {
			given.Add(1)
		}
	}
	const limit, take = 300, 1000 // several batches
	took := int64(0)
	for _, err := range r.IdentifyAll(t.Context(), endless) {
		if err != nil {
			t.Fatal(err)
		}
		took++
		if ahead := loaded.Load() - took; ahead > limit {
			t.Fatalf("%d photographs are read ahead", ahead)
		}
		if took == take {
			break
		}
	}
	after := given.Load()
	runtime.Gosched()
	if took != take || given.Load() != after {
		t.Errorf("%d results; %d photographs are asked for, %d in the end", took, after, given.Load())
	}
}

// IdentifyAll ends with its context, the cause of which is its last error, also
// while it waits for a photograph.
func TestIdentifyAllEndsWithItsContext(t *testing.T) {
	images := crops(t, 3, 3)
	r := trained(t, images, options())
	cause := errors.New("enough")
	for _, waits := range []bool{false, true} {
		ctx, cancel := context.WithCancelCause(t.Context())
		photos := func(yield func(faces.Photo) bool) {
			for i := 0; ; i++ {
				if waits && i == 3 {
					<-ctx.Done() // as who watches a folder waits
				}
				if !yield(photo("", crop(images, i%9))) {
					return
				}
			}
		}
		n := 0
		var last error
		for _, err := range r.IdentifyAll(ctx, photos) {
			if last != nil {
				t.Errorf("a result after the error %v", last)
			}
			if last = err; err != nil {
				continue
			}
			if n++; n == 3 {
				cancel(cause)
			}
		}
		cancel(nil)
		if !errors.Is(last, cause) {
			t.Errorf("waits %v: %d results, then %v", waits, n, last)
		}
	}
}

// A photograph that is not the next for a while holds up none before it.
func TestIdentifyAllYieldsWhatIsDone(t *testing.T) {
	images := crops(t, 3, 3)
	r := trained(t, images, options())
	yielded := make(chan struct{})
	photos := func(yield func(faces.Photo) bool) {
		if yield(photo("first", crop(images, 0))) {
			select {
			case <-yielded:
			case <-time.After(time.Minute):
				t.Error("the first photograph is held up")
			}
			yield(photo("second", crop(images, 1)))
		}
	}
	var names []string
	for result, err := range r.IdentifyAll(t.Context(), photos) {
		if err != nil {
			t.Fatal(err)
		}
		if names = append(names, result.Photo.Name); len(names) == 1 {
			close(yielded)
		}
	}
	if !slices.Equal(names, []string{"first", "second"}) {
		t.Errorf("%q", names)
	}
}

// Images in which there is nothing to see are no faces, and no panic.
func TestIdentifyNothing(t *testing.T) {
	whole, _ := photographs(t)
	o := options()
	o.OpenSet = nil
	small := trained(t, crops(t, 2, 2), o)
	for name, img := range map[string]image.Image{
		"black": image.NewGray(image.Rect(0, 0, 60, 40)), "pixel": image.NewRGBA(image.Rect(0, 0, 1, 1)),
		"empty":     image.NewGray(image.Rectangle{}),
		"elsewhere": image.NewGray(image.Rect(-50, 70, 100, 200)),
	} {
		if got := identified(t, whole, img); len(got) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
		got := identified(t, small, img)
		if len(got) != 1 || !errors.Is(got[0].Rejection, face.ErrBlank) || got[0].Known || got[0].Name != "" {
			t.Errorf("%s as a crop: %+v", name, got)
		}
	}
}

// A Recogniser of vectors has no photographs to look at.
func TestIdentifyByVectors(t *testing.T) {
	images := crops(t, 3, 4)
	vectors := *images
	vectors.Frame = dataset.Frame{}
	r := trained(t, &vectors, faces.Options{Method: method.DefaultNRC, OpenSet: &openset.Options{FPIR: 0.1, Prior: 0.5, Folds: 3}})
	found, err := r.Identify(t.Context(), crop(images, 0))
	if err == nil && (len(found) == 0 || found[0].Rejection == nil) {
		t.Errorf("%+v, %v", found, err)
	}
	for result, err := range r.IdentifyAll(t.Context(), photosOf(images, 0)) {
		if err == nil && (len(result.Faces) == 0 || result.Faces[0].Rejection == nil) {
			t.Errorf("all: %+v, %v", result, err)
		}
	}
	if _, err := r.Verify(t.Context(), crop(images, 0), crop(images, 1)); err == nil {
		t.Error("photographs are compared")
	}
	if _, err := r.ReadFiles(t.Context(), []dataset.File{{Path: "photo.png"}}); err == nil {
		t.Error("a photograph is read")
	}
	if _, _, err := r.Enrol(t.Context(), "zoe", crop(images, 0)); err == nil {
		t.Error("a photograph is enrolled")
	}
}

// An explanation is of the name that the face has.
func TestExplain(t *testing.T) {
	r, found := photographs(t)
	f := identified(t, r, photograph(found, 3))[0]
	e, err := r.Explain(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	if guess := r.People()[e.Class].Name; guess != f.Ranking[0].Name || math.Abs(e.DecisionScore-f.Margin) > 1e-12 || e.Known != f.Known {
		t.Errorf("%s with margin %v is explained, of %v with %v", guess, e.DecisionScore, f.Ranking[0], f.Margin)
	}
	rejected := errors.New("too small")
	if _, err := r.Explain(t.Context(), faces.Face{Rejection: rejected}); !errors.Is(err, rejected) {
		t.Errorf("a face that was not looked at: %v", err)
	}
	if _, err := r.Explain(t.Context(), faces.Face{}); err == nil {
		t.Error("no face is explained")
	}
	if _, err := trained(t, crops(t, 3, 3), options()).Explain(t.Context(), f); err == nil {
		t.Error("a face that another Recogniser found is explained")
	}
}

// Without a Frame, ReadFiles makes of files what Read makes of their folder.
func TestReadFilesChooseTheFrame(t *testing.T) {
	_, e := tinyNetwork(t)
	photos, small := t.TempDir(), t.TempDir()
	coloured(photos, 2, 2)
	tinted(filepath.Join(small, "faces"), crops(t, 2, 2))
	for _, c := range []struct {
		name, dir string
		o         faces.ReadOptions
	}{
		{"photographs", photos, faces.ReadOptions{Detect: quick()}},
		{"photographs, a network", photos, faces.ReadOptions{Embedder: e, Detect: quick()}},
		{"crops", filepath.Join(small, "faces"), faces.ReadOptions{}},
		{"crops, a network", filepath.Join(small, "faces"), faces.ReadOptions{Embedder: e, Detect: face.Options{Detect: face.Never}}},
	} {
		want, err := faces.Read(t.Context(), c.dir, c.o)
		check(err)
		var files []dataset.File
		for j := range want.Len() {
			files = append(files, dataset.File{Path: filepath.Join(c.dir, want.ID(j)), ID: want.ID(j), Person: want.Classes[want.ClassOf(j)]})
		}
		got, err := faces.ReadFiles(t.Context(), files, c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got.Frame != want.Frame || !mat.Equal(got.X, want.X) || !slices.Equal(got.IDs, want.IDs) {
			t.Errorf("%s: %v, not %v", c.name, got.Frame, want.Frame)
		}
	}
}

// A network needs aligned faces: crops in which none can be found are an error, with advice.
func TestUnalignedCrops(t *testing.T) {
	_, e := tinyNetwork(t)
	small := filepath.Join(t.TempDir(), "faces")
	tinted(small, crops(t, 2, 2))
	if _, err := faces.Read(t.Context(), small, faces.ReadOptions{Embedder: e}); err == nil || advice.Text(err) == "" {
		t.Errorf("unaligned crops for a network: %v", err)
	}
}

// Photographs are read as they are when a data set is read: the same faces, in the
// same order.
func TestReadFiles(t *testing.T) {
	r, found := photographs(t)
	dir := t.TempDir()
	writePhotographs(dir, found.Select([]int{3, 7, 11}))
	detect := quick()
	detect.Detect = face.Always
	whole, err := faces.Read(t.Context(), dir, faces.ReadOptions{Detect: detect})
	if err != nil {
		t.Fatal(err)
	}
	var warnings []error
	observed, err := r.With(face.Options{}, faces.Observer{Warn: func(err error) { warnings = append(warnings, err) }})
	if err != nil {
		t.Fatal(err)
	}
	blank, text := filepath.Join(dir, "blank.png"), filepath.Join(dir, "text.png")
	check(os.WriteFile(blank, encoded(image.NewGray(image.Rect(0, 0, 60, 60))), 0o666))
	check(os.WriteFile(text, []byte("text"), 0o666))
	var files []dataset.File
	for _, name := range []string{"person003", "person001"} {
		files = append(files, dataset.File{Path: filepath.Join(dir, name, "0001.png"), ID: name + "/0001.png", Person: name})
	}
	files = append(files, dataset.File{Path: blank, ID: "bob/1.png", Person: "bob"}, dataset.File{Path: text, ID: "x", Person: "bob"})
	got, err := observed.ReadFiles(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	want := whole.Select([]int{0, 2})
	if !slices.Equal(got.IDs, want.IDs) || !mat.Equal(got.X, want.X) || !reflect.DeepEqual(got.Quality, want.Quality) {
		t.Errorf("%v, want %v", got.IDs, want.IDs)
	}
	if len(warnings) != 3 { // two files, and bob
		t.Errorf("%d warnings: %v", len(warnings), warnings)
	}
	for i := range files {
		files[i].Person = ""
	}
	got, err = observed.ReadFiles(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.NoFace, []bool{false, false, true}) ||
		!slices.Equal(got.IDs, []string{"person003/0001.png", "person001/0001.png", "bob/1.png"}) {
		t.Errorf("of nobody in particular: %v, without a face %v", got.IDs, got.NoFace)
	}
	if _, err := observed.ReadFiles(t.Context(), files[2:]); err == nil {
		t.Error("no face, and no error")
	}
}
