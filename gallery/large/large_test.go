package large

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/frontend"
	"nrdl.example/nrdl/frontend/embedding"
	"nrdl.example/nrdl/gallery"
	"nrdl.example/nrdl/internal/blas"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
)

// drawn are vectors as of the built-in network: so many people, numbered from first, with
// one to most faces each.
func drawn(t testing.TB, first, people, most int) *dataset.Images {
	t.Helper()
	f := embedding.Default().Frame()
	l := openset.ImpostorsOf(f.Embedding.Digest, f.Embedding.Mirror)
	d := float64(f.Len())
	common, person, photograph := math.Sqrt(l.Different.Mean), math.Sqrt((l.Same.Mean-l.Different.Mean)/d), math.Sqrt((1-l.Same.Mean)/d)
	rng := rand.New(rand.NewPCG(uint64(first), uint64(people)))
	var columns [][]float64
	var labels, ids []string
	for p := range people {
		own := make([]float64, f.Len())
		for i := range own {
			own[i] = person * rng.NormFloat64()
		}
		own[0] += common
		for k := range 1 + p%most {
			v, norm := make([]float64, f.Len()), 0.0
			for i := range v {
				v[i] = own[i] + photograph*rng.NormFloat64()
				norm += v[i] * v[i]
			}
			for i := range v {
				v[i] = float64(float32(v[i] / math.Sqrt(norm)))
			}
			name := fmt.Sprintf("person %d", first+p)
			columns, labels, ids = append(columns, v), append(labels, name), append(ids, fmt.Sprintf("%s/%d.jpg", name, k+1))
		}
	}
	x := mat.NewDense(f.Len(), len(columns), nil)
	for j, v := range columns {
		x.SetCol(j, v)
	}
	images, err := dataset.NewImages(x, labels, ids, nil, f)
	if err != nil {
		t.Fatal(err)
	}
	images.Quality = make([]dataset.Quality, images.Len())
	for j := range images.Quality {
		images.Quality[j].Eyes = float64(30 + j%50)
	}
	return images
}

func learn(t testing.TB, images *dataset.Images, by classify.Method) *gallery.Model {
	t.Helper()
	m, err := gallery.Learn(t.Context(), images, frontend.Pipeline{}.ForImages(images.Frame), by, classify.Run{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func grown(t testing.TB, images *dataset.Images, by classify.Method) *Gallery {
	t.Helper()
	g, err := New(t.Context(), learn(t, images.Select([]int{0, images.Len() - 1}), by), by, images)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func calibrated(t testing.TB, g *Gallery) *Gallery {
	t.Helper()
	c, err := g.Calibrate(t.Context(), openset.Default, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// identify is what g says of images.
func identify(t testing.TB, g *Gallery, images *dataset.Images) []Face {
	t.Helper()
	faces, err := g.Identify(t.Context(), images)
	if err != nil {
		t.Fatal(err)
	}
	return faces
}

// With class means, a face gets the guess and the score of a Model of all faces.
func TestShortlistIsEnough(t *testing.T) {
	images := drawn(t, 1, 200, 4)
	var enrolled, probes []int
	for c := range images.Classes {
		for j := images.Groups[c]; j < images.Groups[c+1]; j++ {
			if k := images.Groups[c+1] - images.Groups[c]; k > 1 && j == images.Groups[c] {
				probes = append(probes, j)
			} else {
				enrolled = append(enrolled, j)
			}
		}
	}
	probes = probes[:40]
	by := method.Mean{}
	m, g := learn(t, images.Select(enrolled), by), grown(t, images.Select(enrolled), by)
	faces := identify(t, g, images.Select(probes))
	all, err := m.Recognise(t.Context(), images.Select(probes))
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range all {
		m.Decide(&want)
		got := faces[j]
		if name, full := got.Of.Parts().Classes[got.Class], m.Parts().Classes[want.Class]; name != full || math.Abs(got.Decisive-want.Largest) > 1e-12 {
			t.Errorf("face %d is %s with %v, want %s with %v", j, name, got.Decisive, full, want.Largest)
		}
	}
	old := blas.SetThreads(1)
	defer blas.SetThreads(old)
	one := identify(t, g, images.Select(probes[7:8]))[0]
	if !slices.Equal(one.Scores, faces[7].Scores) || one.Decisive != faces[7].Decisive {
		t.Error("one face on one thread has other scores than among others")
	}
}

// The share of strangers who are named is the target, whatever was added and removed, and
// what follows changes is what is measured anew.
func TestRateIsKept(t *testing.T) {
	images, strangers := drawn(t, 1, 240, 2), drawn(t, 5000, 150, 1)
	span := func(lo, hi int) *dataset.Images {
		var columns []int
		for j := images.Groups[lo]; j < images.Groups[hi]; j++ {
			columns = append(columns, j)
		}
		return images.Select(columns)
	}
	g := calibrated(t, grown(t, span(0, 80), method.Mean{}))
	how := openset.Default
	how.FPIR = 0.1
	g, err := g.Calibrate(t.Context(), how, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	threshold := g.calibration.Score()
	rate := func() float64 {
		named := 0
		for _, f := range identify(t, g, strangers) {
			if f.Known {
				named++
			}
		}
		return float64(named) / float64(strangers.Len())
	}
	if r := rate(); r < 0.04 || r > 0.17 {
		t.Errorf("%.3f of strangers are named, want 0.1", r)
	}
	for lo := 80; lo < 240; lo += 40 {
		if g, _, err = g.Enrol(t.Context(), span(lo, lo+40)); err != nil {
			t.Fatal(err)
		}
	}
	if g, err = g.Without(t.Context(), images.Classes[10:40]...); err != nil {
		t.Fatal(err)
	}
	if r := rate(); r < 0.04 || r > 0.17 || g.calibration.Score() <= threshold {
		t.Errorf("%.3f of strangers are named, want 0.1, with a threshold of %v after %v", r, g.calibration.Score(), threshold)
	}
	h := *g.held
	h.Right, h.Wrong, h.Probes = nil, nil, slices.Clone(h.Probes)
	if err := g.compare(t.Context(), h.Probes, &h); err != nil {
		t.Fatal(err)
	}
	for i, p := range g.held.Probes {
		n := len(p.Rivals)
		if diff := cmp.Diff(h.Probes[i].Rivals[:n], p.Rivals, cmpopts.EquateApprox(0, 1e-12)); n == 0 || diff != "" {
			t.Fatalf("probe %s: %s", p.ID, diff)
		}
	}
}

// What is enrolled, removed and renamed is what a Model makes of it.
func TestChangesAreThoseOfAModel(t *testing.T) {
	ctx := t.Context()
	images := drawn(t, 1, 40, 3)
	by := method.Mean{}
	g := calibrated(t, grown(t, images, by))
	e := gallery.Enrolling(images)
	check := func(err, wanted error) {
		t.Helper()
		if (err == nil) != (wanted == nil) || err != nil && err.Error() != wanted.Error() {
			t.Fatalf("%v, want %v", err, wanted)
		}
		w, err := g.Whole()
		if err != nil {
			t.Fatal(err)
		}
		got, want := w.Images(), e.Images()
		if !slices.Equal(got.IDs, want.IDs) || !slices.Equal(got.Classes, want.Classes) || !slices.Equal(got.Quality, want.Quality) || !mat.Equal(got.X, want.X) {
			t.Fatalf("faces %v, want %v", got.IDs, want.IDs)
		}
		if people, faces := g.Len(); people != len(want.Classes) || faces != want.Len() || !slices.Equal(g.Names(), want.Classes) {
			t.Fatalf("%d people with %d faces", people, faces)
		}
	}
	more := images.Select([]int{0, 1, 5})
	more.IDs = []string{"person 1/new.jpg", "person 2/1.jpg", "person 3/3.jpg"}
	added := drawn(t, 100, 2, 2)
	for _, more := range []*dataset.Images{more, added} {
		next, report, err := g.Enrol(ctx, more)
		all, want, wanted := e.Merge(more)
		want.Twice = nil // not looked for
		if diff := cmp.Diff(want, report); diff != "" {
			t.Error(diff)
		}
		if err == nil {
			g, e = next, all
		}
		check(err, wanted)
	}
	for _, names := range [][]string{{"person 5"}, {"person 3/1.jpg", "person 6", "person 3/2.jpg"}, {"nobody"}, {"person 9/none.jpg"}} {
		next, err := g.Without(ctx, names...)
		rest, wanted := e.Without(names...)
		if err == nil {
			g, e = next, rest
		}
		check(err, wanted)
	}
	for _, names := range [][2]string{{"person 7", "Zoë"}, {"person 8", "person 9"}, {"Zoë", "unknown"}} {
		next, report, err := g.Rename(ctx, names[0], names[1])
		all, want, wanted := e.Rename(names[0], names[1])
		if diff := cmp.Diff(want, report); wanted == nil && diff != "" {
			t.Error(diff)
		}
		if err == nil {
			g, e = next, all
		}
		check(err, wanted)
	}
	for _, p := range g.held.Probes {
		for _, name := range append([]string{p.Name}, p.Rivals[0].Name) {
			if g.CountOf(name) == 0 {
				t.Errorf("%s is still in the calibration", name)
			}
		}
	}
}

// A Gallery that was stored says what it said before.
func TestRestore(t *testing.T) {
	images := drawn(t, 1, 70, 2)
	g := calibrated(t, grown(t, images, method.Mean{}))
	state, err := g.State()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Restore(g.template, g.by, g.faces, state)
	if err != nil {
		t.Fatal(err)
	}
	more := drawn(t, 300, 3, 1)
	for _, g := range []**Gallery{&g, &again} {
		if *g, _, err = (*g).Enrol(t.Context(), more); err != nil {
			t.Fatal(err)
		}
	}
	a, b := identify(t, g, more), identify(t, again, more)
	for j := range a {
		if a[j].Decision != b[j].Decision || a[j].Decisive != b[j].Decisive || a[j].Of.Parts().Classes[a[j].Class] != more.Classes[j] {
			t.Errorf("%+v, want %+v", b[j], a[j])
		}
	}
	for _, bad := range []string{"{", `{"how":{"far":7}}`, `{"held":{"probes":[{"name":"a"}]}}`, `{"held":{"compared":-1}}`} {
		if _, err := Restore(g.template, g.by, g.faces, []byte(bad)); err == nil {
			t.Errorf("%s is a state", bad)
		}
	}
}

// A method whose scores depend on all people decides by margins; the rate is kept by the
// number of people.
func TestMethodThatCodes(t *testing.T) {
	by := method.DefaultCRC
	images := drawn(t, 1, 70, 2)
	g := calibrated(t, grown(t, images, by))
	more := drawn(t, 400, 30, 1)
	before := g.calibration.Evidence(g.calibration.Score())
	next, _, err := g.Enrol(t.Context(), more)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(before-2) > 1e-6 || next.calibration.Score() <= g.calibration.Score() {
		t.Errorf("threshold %v with evidence %v, and %v with more people", g.calibration.Score(), before, next.calibration.Score())
	}
	if f := identify(t, next, more)[0]; f.Of.Parts().Classes[f.Class] != more.Classes[0] {
		t.Errorf("%+v", f.Recognition.Class)
	}
}

func TestErrors(t *testing.T) {
	images := drawn(t, 1, 8, 1)
	g := grown(t, images, method.Mean{})
	if _, err := g.Calibrate(t.Context(), openset.Default, nil, nil); !errors.Is(err, openset.ErrNoStrangers) {
		t.Errorf("few people: %v", err)
	}
	if _, err := g.Without(t.Context(), images.Classes[1:]...); err == nil || !strings.Contains(err.Error(), "recognition needs two") {
		t.Errorf("one person is left: %v", err)
	}
	other := *images
	other.Frame.Embedding.Digest = strings.Repeat("0", 64)
	if _, _, err := g.Enrol(t.Context(), &other); err == nil {
		t.Error("vectors of another network are enrolled")
	}
	if Suits(learn(t, images, method.DefaultNRDL), method.DefaultNRDL) {
		t.Error("a method that learns a dictionary suits")
	}
	blank := images.Select([]int{0, 1})
	blank.X = mat.NewDense(128, 2, nil)
	blank.X.SetCol(1, mat.Col(nil, 1, images.X))
	if faces := identify(t, g, blank); faces[0].Class != -1 || faces[0].Known || faces[1].Class < 0 {
		t.Errorf("an image without a face: %+v", faces[0].Recognition)
	}
}
