package nrdl

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"syscall"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl/dataset"
	"nrdl/frontend/embedding"
	"nrdl/method"
	"nrdl/openset"
)

// drawnVectors are vectors of a network, drawn: so many people with so many faces each,
// who are numbered from first.
func drawnVectors(tb testing.TB, first, people, each int) *dataset.Images {
	const d = 128
	f := embedding.Default().Frame()
	l := openset.ImpostorsOf(f.Embedding.Digest, f.Embedding.Mirror)
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

// trainedOn is the default of vectors.
func trainedOn(tb testing.TB, images *dataset.Images) *Recogniser {
	how := openset.Default
	r, err := Train(tb.Context(), images, Options{Method: method.Mean{}, OpenSet: &how})
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// userTime is what the process has used of its processors, without the system, in
// seconds.
func userTime(b *testing.B) float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return float64(r.Utime.Nano()) / 1e9
}

// BenchmarkGallery changes a gallery of vectors, identifies a vector in it, opens and
// saves it: what enrolling, and so on, costs beside the network.
func BenchmarkGallery(b *testing.B) {
	for _, size := range [][2]int{{1000, 10}, {10_000, 5}} {
		people, each := size[0], size[1]
		r := trainedOn(b, drawnVectors(b, 0, people, each))
		path := filepath.Join(b.TempDir(), "people.model")
		if err := r.Save(b.Context(), path); err != nil {
			b.Fatal(err)
		}
		r, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		stranger, more := drawnVectors(b, people, 1, 3), drawnVectors(b, 0, 1, each+3)
		more = more.Select([]int{each, each + 1, each + 2})
		for _, c := range []struct {
			name string
			run  func() error
		}{
			{"enrol a new person", func() error { _, _, err := r.EnrolAll(b.Context(), stranger, false); return err }},
			{"enrol a known person", func() error { _, _, err := r.EnrolAll(b.Context(), more, false); return err }},
			{"remove", func() error { _, err := r.Remove(b.Context(), "person 500"); return err }},
			{"rename", func() error { _, _, err := r.Rename(b.Context(), "person 500", "somebody"); return err }},
			{"merge", func() error { _, _, err := r.Rename(b.Context(), "person 500", "person 600"); return err }},
			{"identify", func() error {
				return r.name(b.Context(), []Face{{values: mat.Col(nil, 0, stranger.X), by: r.m}})
			}},
			{"open", func() error { _, err := Open(path); return err }},
			{"save", func() error { return r.Save(b.Context(), path) }},
		} {
			b.Run(fmt.Sprintf("%dx%d/%s", people, each, c.name), func(b *testing.B) {
				before := userTime(b)
				for b.Loop() {
					if err := c.run(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric((userTime(b)-before)*1e3/float64(b.N), "user-ms/op")
			})
		}
	}
}
