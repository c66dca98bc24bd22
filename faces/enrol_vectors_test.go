package faces

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
)

// drawnVectors are vectors of a network, drawn: so many people with so many faces each,
// who are numbered from first.
func drawnVectors(tb testing.TB, first, people, each int) *dataset.Images {
	const d = 128
	f := byPupils(tb).Frame()
	l := frontend.Pipeline{Frame: f}.Law()
	common, person, photograph := math.Sqrt(l.Different.Mean), math.Sqrt((l.Same.Mean-l.Different.Mean)/d), math.Sqrt((1-l.Same.Mean)/d)
	rng := rand.New(rand.NewPCG(uint64(first), uint64(people)))
	x := mat.NewDense(d, people*each, nil)
	var labels, ids []string
	for p := range people {
		own := make([]float64, d)
		for i := range own {
			own[i] = person * rng.NormFloat64()
		}
		own[0] += common
		name := fmt.Sprintf("person %d", first+p)
		for k := range each {
			v := make([]float64, d)
			for i := range v {
				v[i] = own[i] + photograph*rng.NormFloat64()
			}
			norm := mat.Norm(mat.NewVecDense(d, v), 2)
			for i := range v {
				v[i] = float64(float32(v[i] / norm))
			}
			x.SetCol(p*each+k, v)
			labels, ids = append(labels, name), append(ids, fmt.Sprintf("%s/%d.jpg", name, k+1))
		}
	}
	images, err := dataset.NewImages(x, labels, ids, nil, f)
	if err != nil {
		tb.Fatal(err)
	}
	return images
}

// byPupils is dlib's network as versions before 0.3 had it by default.
func byPupils(tb testing.TB) *embedding.Embedder {
	alignment := dataset.ByPupils
	e, err := embedding.Open("dlib", embedding.Given{Landmarks: &alignment})
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// trainedOn is the default of vectors.
func trainedOn(tb testing.TB, images *dataset.Images) *Recogniser {
	how := openset.Default
	r, err := Train(tb.Context(), images, Options{Method: method.Mean{}, OpenSet: &how})
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func bytesOf(t rapid.TB, r *Recogniser) []byte {
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A check trains a dozen times: fewer of them do unless all are asked for.
func init() {
	if os.Getenv("NRDL_LONG") == "" {
		_ = flag.Set("rapid.checks", "25") // as -rapid.checks, which comes after it
	}
}

// Whatever is enrolled, removed, renamed and merged, person by person and in any order,
// the result is that of a training with the images that are left, byte by byte, and the
// reports are those of the functions for sets of images.
func TestChangesOfVectorsAreTraining(t *testing.T) {
	ctx := context.Background()
	pool := drawnVectors(t, 1, 9, 4)
	pool.X.SetCol(13, mat.Col(nil, 2, pool.X)) // one face of two people
	pool.IDs[21] = pool.IDs[20]                // two faces of one name
	start := pool.Select(span(0, 16))
	first := trainedOn(t, start)
	unchanged := bytesOf(t, first)
	rapid.Check(t, func(t *rapid.T) {
		r, images := first, start
		names := func() []string { return images.Classes }
		check := func(next *Recogniser, got, want gallery.MergeReport, err1, err2 error) bool {
			if (err1 == nil) != (err2 == nil) || !reflect.DeepEqual(got, want) {
				t.Fatalf("%+v, %v: want %+v, %v", got, err1, want, err2)
			}
			if err1 == nil {
				r = next
			}
			return err1 == nil
		}
		for range rapid.IntRange(1, 5).Draw(t, "changes") {
			switch rapid.SampledFrom([]string{"enrol", "enrol with quality", "remove", "rename", "remove images"}).Draw(t, "change") {
			case "enrol":
				more := pool.Select(rapid.SliceOfNDistinct(rapid.IntRange(0, pool.Len()-1), 1, 5, rapid.ID).Draw(t, "images"))
				next, got, err := r.EnrolAll(ctx, more, false)
				all, want, wantErr := mergeOutside(images, more)
				if check(next, got, want, err, wantErr) && got.Additions > 0 {
					images = all
				}
			case "enrol with quality":
				more := pool.Select([]int{rapid.IntRange(0, pool.Len()-1).Draw(t, "image")})
				more.Quality = []dataset.Quality{{Eyes: 40, Sharpness: 1}}
				next, got, err := r.EnrolAll(ctx, more, false)
				all, want, wantErr := mergeOutside(images, more)
				if check(next, got, want, err, wantErr) && got.Additions > 0 {
					images = all
				}
			case "remove images":
				gone := rapid.SliceOfNDistinct(rapid.IntRange(0, images.Len()-1), 1, 4, rapid.ID).Draw(t, "gone")
				var ids []string
				var keep []int
				for j := range images.Len() {
					if slices.Contains(gone, j) {
						ids = append(ids, images.IDs[j])
					} else {
						keep = append(keep, j)
					}
				}
				rest := images.Select(keep)
				next, err := r.Remove(ctx, ids...)
				if (err == nil) != (len(rest.Classes) >= 1) {
					t.Fatal(err)
				}
				if err == nil {
					r, images = next, rest
				}
				if _, err := r.Remove(ctx, "a/nothing.jpg"); err == nil {
					t.Fatal("an image that there is not was removed")
				}
			case "remove":
				name := rapid.SampledFrom(names()).Draw(t, "name")
				if len(names()) == 1 {
					continue
				}
				next, err := r.Remove(ctx, name)
				rest, wantErr := withoutOutside(images, name)
				if check(next, gallery.MergeReport{}, gallery.MergeReport{}, err, wantErr) {
					images = rest
				}
			case "rename":
				from := rapid.SampledFrom(names()).Draw(t, "from")
				to := rapid.SampledFrom([]string{"person 3", "person 10", "person 5", "a", "é"}).Draw(t, "to")
				if len(names()) == 1 && slices.Contains(names(), to) {
					continue
				}
				next, got, err := r.Rename(ctx, from, to)
				all, want, wantErr := renameOutside(images, from, to)
				if check(next, got, want, err, wantErr) {
					images = all
				}
			}
			how := *first.openSet()
			want, err := Train(ctx, images, Options{Method: defaultMethod(first.m.Pipeline), OpenSet: &how})
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(bytesOf(t, r), bytesOf(t, want)) {
				t.Fatal("it is not what training gives")
			}
			if !reflect.DeepEqual(r.People(), want.People()) {
				t.Fatalf("people %v, want %v", r.People(), want.People())
			}
		}
		if !bytes.Equal(bytesOf(t, first), unchanged) {
			t.Fatal("the Recogniser from before has changed")
		}
	})
}

// outside is a change of images that no index keeps: a mark of images without a face prevents it.
func outside(images *dataset.Images,
	change func(*gallery.Enrolled) (*gallery.Enrolled, gallery.MergeReport, error),
) (*dataset.Images, gallery.MergeReport, error) {
	s := *images
	s.NoFace = make([]bool, s.Len())
	e, report, err := change(gallery.Enrolling(&s))
	if err != nil {
		return nil, report, err
	}
	all := *e.Images()
	all.NoFace = nil
	return &all, report, nil
}

func mergeOutside(images, more *dataset.Images) (*dataset.Images, gallery.MergeReport, error) {
	return outside(images, func(e *gallery.Enrolled) (*gallery.Enrolled, gallery.MergeReport, error) { return e.Merge(more) })
}

func renameOutside(images *dataset.Images, from, to string) (*dataset.Images, gallery.MergeReport, error) {
	return outside(images, func(e *gallery.Enrolled) (*gallery.Enrolled, gallery.MergeReport, error) { return e.Rename(from, to) })
}

func withoutOutside(images *dataset.Images, names ...string) (*dataset.Images, error) {
	all, _, err := outside(images, func(e *gallery.Enrolled) (*gallery.Enrolled, gallery.MergeReport, error) {
		rest, err := e.Without(names...)
		return rest, gallery.MergeReport{}, err
	})
	return all, err
}

func span(lo, hi int) (all []int) {
	for j := lo; j < hi; j++ {
		all = append(all, j)
	}
	return all
}

// A Recogniser identifies while others are made of it, with the same results as before.
func TestIdentifyWhileEnrolling(t *testing.T) {
	pool := drawnVectors(t, 1, 6, 3)
	r := trainedOn(t, pool.Select(span(0, 9)))
	named := func() []Face {
		faces := []Face{{values: mat.Col(nil, 1, pool.X)}, {values: mat.Col(nil, 16, pool.X)}}
		if err := r.name(t.Context(), faces); err != nil {
			t.Error(err)
		}
		return faces
	}
	want := named()
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for range 5 {
				if got := named(); !reflect.DeepEqual(got, want) {
					t.Errorf("%+v, before %+v", got, want)
				}
				r.Model().Images()
			}
		})
		all.Go(func() {
			grown := r
			for j := 9; j < 18; j++ {
				var err error
				if grown, _, err = grown.EnrolAll(t.Context(), pool.Select([]int{j}), false); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}
