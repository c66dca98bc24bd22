package gallery

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
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/internal/blas"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
)

// drawn are vectors as of the built-in network: so many people, numbered from first, with
// one to limit faces each.
func drawn(t testing.TB, first, people, limit int) *dataset.Images {
	t.Helper()
	return drawnIn(t, embedding.Default().Frame().Len(), first, people, limit)
}

// drawnIn is drawn in so many dimensions of the vectors: the fewer, the more the cosines vary.
func drawnIn(t testing.TB, dims, first, people, limit int) *dataset.Images {
	t.Helper()
	return drawnAs(t, embedding.Default().Frame(), dims, first, people, func(p int) int { return 1 + p%limit })
}

// drawnAs is drawnIn for the frame f, with so many faces of person p. Cosines are as of the
// built-in network.
func drawnAs(t testing.TB, f dataset.Frame, dims, first, people int, faces func(p int) int) *dataset.Images {
	t.Helper()
	l := frontend.Pipeline{Frame: embedding.Default().Frame()}.Law()
	d := float64(dims)
	common, person, photograph := math.Sqrt(l.Different.Mean), math.Sqrt((l.Same.Mean-l.Different.Mean)/d), math.Sqrt((1-l.Same.Mean)/d)
	rng := rand.New(rand.NewPCG(uint64(first), uint64(people)))
	var columns [][]float64
	var labels, ids []string
	for p := range people {
		own := make([]float64, f.Len())
		for i := range dims {
			own[i] = person * rng.NormFloat64()
		}
		own[0] += common
		for k := range faces(p) {
			v, norm := make([]float64, f.Len()), 0.0
			for i := range dims {
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

func learnBy(t testing.TB, images *dataset.Images, by classify.Method, shortlistAbove int) *Gallery {
	t.Helper()
	g, err := Learn(t.Context(), images, frontend.Pipeline{}.ForImages(images.Frame), by, classify.Run{}, shortlistAbove)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// shortlisting is a gallery of images that shortlists.
func shortlisting(t testing.TB, images *dataset.Images, by classify.Method) *Gallery {
	t.Helper()
	g := learnBy(t, images, by, 1)
	if !g.Shortlists() {
		t.Fatal("it does not shortlist")
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

// identifyAll is what g says of images.
func identifyAll(t testing.TB, g *Gallery, images *dataset.Images) []Face {
	t.Helper()
	faces, err := g.Identify(t.Context(), images)
	if err != nil {
		t.Fatal(err)
	}
	return faces
}

// enrol is g with more images.
func enrol(t testing.TB, g *Gallery, more *dataset.Images) *Gallery {
	t.Helper()
	e, _, err := g.Enrolled.Merge(more)
	if err == nil {
		g, err = g.Refit(t.Context(), e, classify.Run{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
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
	m, g := learnBy(t, images.Select(enrolled), by, 0), shortlisting(t, images.Select(enrolled), by)
	faces := identifyAll(t, g, images.Select(probes))
	all, err := m.Recognise(t.Context(), images.Select(probes))
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range all {
		m.Decide(&want)
		got := faces[j]
		if name, full := got.Gallery.Names()[got.Class], m.Names()[want.Class]; name != full || math.Abs(got.DecisionScore-want.Largest) > 1e-12 {
			t.Errorf("face %d is %s with %v, want %s with %v", j, name, got.DecisionScore, full, want.Largest)
		}
	}
	old := blas.SetThreads(1)
	defer blas.SetThreads(old)
	one := identifyAll(t, g, images.Select(probes[7:8]))[0]
	if !slices.Equal(one.Scores, faces[7].Scores) || one.DecisionScore != faces[7].DecisionScore {
		t.Error("one face on one thread has other scores than among others")
	}
}

// The share of strangers who are named is the target, whatever was added and removed, and
// what follows changes is equal to a new measurement.
func TestRateIsKept(t *testing.T) {
	images, strangers := drawn(t, 1, 240, 2), drawn(t, 5000, 150, 1)
	part := func(lo, hi int) *dataset.Images {
		var columns []int
		for j := images.Groups[lo]; j < images.Groups[hi]; j++ {
			columns = append(columns, j)
		}
		return images.Select(columns)
	}
	g := calibrated(t, shortlisting(t, part(0, 80), method.Mean{}))
	how := openset.Default
	how.FPIR = 0.1
	g, err := g.Calibrate(t.Context(), how, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	threshold := g.Calibration.Score()
	rate := func() float64 {
		named := 0
		for _, f := range identifyAll(t, g, strangers) {
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
		g = enrol(t, g, part(lo, lo+40))
	}
	e, err := g.Enrolled.Without(images.Classes[10:40]...)
	if err == nil {
		g, err = g.Refit(t.Context(), e, classify.Run{})
	}
	if err != nil {
		t.Fatal(err)
	}
	if r := rate(); r < 0.04 || r > 0.17 || g.Calibration.Score() <= threshold {
		t.Errorf("%.3f of strangers are named, want 0.1, with a threshold of %v after %v", r, g.Calibration.Score(), threshold)
	}
	results, err := g.compare(t.Context(), g.heldOut.Probes, false)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range g.heldOut.Probes {
		n := len(p.Rivals)
		if diff := cmp.Diff(results[i].rivals[:n], p.Rivals, cmpopts.EquateApprox(0, 1e-12)); n == 0 || diff != "" {
			t.Fatalf("probe %s: %s", p.ID, diff)
		}
	}
}

// What is enrolled, removed and renamed is what happens to a set of images, and what is
// reported for equal faces of two people too.
func TestChangesAreThoseOfImages(t *testing.T) {
	images := drawn(t, 1, 40, 3)
	g := calibrated(t, shortlisting(t, images, method.Mean{}))
	e := &Enrolled{
		Frame: images.Frame, hasIDs: true, hasQuality: true, // not in an index
		list:   func() *listing { return &listing{names: images.Classes, groups: images.Groups} },
		images: func() (*dataset.Images, error) { return images, nil },
	}
	check := func(what string, next *Enrolled, got MergeReport, err error, all *Enrolled, want MergeReport, wanted error) {
		t.Helper()
		if (err == nil) != (wanted == nil) || err != nil && err.Error() != wanted.Error() {
			t.Fatalf("%s: %v, want %v", what, err, wanted)
		}
		if diff := cmp.Diff(want, got); wanted == nil && diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
		if err != nil {
			return
		}
		if g, err = g.Refit(t.Context(), next, classify.Run{}); err != nil {
			t.Fatal(err)
		}
		w, err := g.Whole()
		if err != nil {
			t.Fatal(err)
		}
		if err := equalSets(w.Images(), all.Images()); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		set := all.Images()
		if people, faces := g.Enrolled.Len(); people != len(set.Classes) || faces != set.Len() || g.Len() != people ||
			!slices.Equal(g.Names(), set.Classes) {
			t.Fatalf("%s: %d people with %d faces", what, people, faces)
		}
		set.Frame = images.Frame
		e = &Enrolled{Frame: set.Frame, hasIDs: true, hasQuality: true, list: func() *listing {
			return &listing{
				names:  set.Classes,
				groups: set.Groups,
			}
		}, images: func() (*dataset.Images, error) { return set, nil }}
	}
	more := images.Select([]int{0, 1, 5})
	more.IDs = []string{"person 1/new.jpg", "person 2/1.jpg", "person 3/3.jpg"}
	twice := drawn(t, 200, 1, 1)
	twice.X = mat.DenseCopyOf(images.X.Slice(0, twice.Frame.Len(), 8, 9))
	for name, more := range map[string]*dataset.Images{"known": more, "new": drawn(t, 100, 2, 2), "twice": twice} {
		next, got, err := g.Enrolled.Merge(more)
		all, want, wanted := e.Merge(more)
		check(name, next, got, err, all, want, wanted)
	}
	for _, names := range [][]string{{"person 5"}, {"person 3/1.jpg", "person 6", "person 3/2.jpg"}, {"nobody"}, {"person 9/none.jpg"}} {
		next, err := g.Enrolled.Without(names...)
		all, wanted := e.Without(names...)
		check(fmt.Sprint(names), next, MergeReport{}, err, all, MergeReport{}, wanted)
	}
	for _, names := range [][2]string{{"person 7", "Zoë"}, {"person 8", "person 9"}, {"Zoë", "unknown"}} {
		next, got, err := g.Enrolled.Rename(names[0], names[1])
		all, want, wanted := e.Rename(names[0], names[1])
		check(fmt.Sprint(names), next, got, err, all, want, wanted)
	}
	for _, p := range g.heldOut.Probes {
		for _, name := range append([]string{p.Name}, p.Rivals[0].Name) {
			if g.Faces(name) == 0 {
				t.Errorf("%s is still in the calibration", name)
			}
		}
	}
}

// The number of faces decides whether a gallery shortlists, also after a change; its people
// are surveyed in either case.
func TestShortlistAbove(t *testing.T) {
	images := drawn(t, 1, 60, 2)
	n := images.Len()
	g := calibrated(t, learnBy(t, images, method.Mean{}, n))
	if g.Shortlists() || g.Calibration.ByScores {
		t.Fatal("it shortlists")
	}
	w := g
	g = enrol(t, g, drawn(t, 100, 1, 1))
	if !g.Shortlists() || g.Calibration != nil || learnBy(t, images, method.DefaultLCKSVD1, 1).Shortlists() {
		t.Fatal("it does not shortlist, or for a method that learns a dictionary")
	}
	g = calibrated(t, g)
	e, err := g.Enrolled.Without("person 100")
	if err == nil {
		g, err = g.Refit(t.Context(), e, classify.Run{})
	}
	if err != nil || g.Shortlists() || g.Calibration != nil {
		t.Fatal("it shortlists", err)
	}
	if again := calibrated(t, g); again.Calibration.Threshold != w.Calibration.Threshold {
		t.Errorf("another threshold: %v, want %v", again.Calibration.Threshold, w.Calibration.Threshold)
	}
	s, err := calibrated(t, shortlisting(t, images, method.Mean{})).Survey(t.Context(), true, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err := w.Survey(t.Context(), true, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.Faces != want.Faces || s.Held != want.Held || s.Right != want.Right || s.Held != 60 {
		t.Errorf("%d of %d right among %d, want %d of %d", s.Right, s.Held, s.Faces, want.Right, want.Held)
	}
}

// A gallery that was stored gives the same results as before.
func TestRestore(t *testing.T) {
	images := drawn(t, 1, 70, 2)
	g := calibrated(t, shortlisting(t, images, method.Mean{}))
	text, err := g.State()
	if err != nil {
		t.Fatal(err)
	}
	again, err := g.Restore(g.Shared(), text)
	if err != nil {
		t.Fatal(err)
	}
	more := drawn(t, 300, 3, 1)
	a, b := identifyAll(t, enrol(t, g, more), more), identifyAll(t, enrol(t, again, more), more)
	for j := range a {
		if a[j].Decision != b[j].Decision || a[j].DecisionScore != b[j].DecisionScore || a[j].Gallery.Names()[a[j].Class] != more.Classes[j] {
			t.Errorf("%+v, want %+v", b[j], a[j])
		}
	}
	for _, bad := range []string{"{", `{"how":{"far":7}}`, `{"held":{"probes":[{"name":"a"}]}}`, `{"held":{"compared":-1}}`} {
		if _, err := g.Restore(g.Shared(), []byte(bad)); err == nil {
			t.Errorf("%s is a state", bad)
		}
	}
}

// A method whose scores depend on all people decides by margins; the rate is kept by the
// number of people.
func TestMethodThatCodes(t *testing.T) {
	by := method.DefaultCRC
	images := drawn(t, 1, 70, 2)
	g := calibrated(t, shortlisting(t, images, by))
	more := drawn(t, 400, 30, 1)
	before := g.Calibration.Evidence(g.Calibration.Score())
	next := enrol(t, g, more)
	if math.Abs(before-2) > 1e-6 || next.Calibration.Score() <= g.Calibration.Score() {
		t.Errorf("threshold %v with evidence %v, and %v with more people", g.Calibration.Score(), before, next.Calibration.Score())
	}
	if f := identifyAll(t, next, more)[0]; f.Gallery.Names()[f.Class] != more.Classes[0] {
		t.Errorf("%+v", f.Recognition.Class)
	}
}

func TestShortlistErrors(t *testing.T) {
	images := drawn(t, 1, 8, 1)
	g := shortlisting(t, images, method.Mean{})
	if _, err := g.Calibrate(t.Context(), openset.Default, nil, nil); !errors.Is(err, openset.ErrNoStrangers) {
		t.Errorf("few people: %v", err)
	}
	other := *images
	other.Frame.Embedding.Digest = strings.Repeat("0", 64)
	if _, _, err := g.Enrolled.Merge(&other); err == nil {
		t.Error("vectors of another network are enrolled")
	}
	if _, err := g.Forget(); err == nil {
		t.Error("the faces are forgotten")
	}
	blank := images.Select([]int{0, 1})
	blank.X = mat.NewDense(images.Frame.Len(), 2, nil)
	blank.X.SetCol(1, mat.Col(nil, 1, images.X))
	if faces := identifyAll(t, g, blank); faces[0].Class != -1 || faces[0].Known || faces[0].Gallery != nil || faces[1].Class < 0 {
		t.Errorf("an image without a face: %+v", faces[0].Recognition)
	}
}

func BenchmarkIdentify(b *testing.B) {
	images := drawn(b, 1, 1000, 4)
	g := shortlisting(b, images, method.Mean{})
	one := images.Select([]int{17})
	for b.Loop() {
		if _, err := g.Identify(b.Context(), one); err != nil {
			b.Fatal(err)
		}
	}
}
