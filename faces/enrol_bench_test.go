//go:build unix

package faces

import (
	"fmt"
	"path/filepath"
	"syscall"
	"testing"

	"gonum.org/v1/gonum/mat"
)

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
		identify := func(r *Recogniser) error {
			return r.name(b.Context(), []Face{{values: mat.Col(nil, 0, stranger.X), gallery: r.m}})
		}
		for _, c := range []struct {
			name string
			run  func() error
		}{
			{"enrol a new person", func() error { _, _, err := r.EnrolAll(b.Context(), stranger, false); return err }},
			{"enrol a known person", func() error { _, _, err := r.EnrolAll(b.Context(), more, false); return err }},
			{"remove", func() error { _, err := r.Remove(b.Context(), "person 500"); return err }},
			{"rename", func() error { _, _, err := r.Rename(b.Context(), "person 500", "somebody"); return err }},
			{"merge", func() error { _, _, err := r.Rename(b.Context(), "person 500", "person 600"); return err }},
			{"identify", func() error { return identify(r) }},
			{"enrol and identify", func() error {
				grown, _, err := r.EnrolAll(b.Context(), stranger, false)
				if err != nil {
					return err
				}
				return identify(grown)
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
