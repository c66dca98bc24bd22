package gallery

import (
	"os"
	"strings"
	"testing"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/method"
)

// A shortlist names as many faces as all people do, also where 64 people have about as many faces
// as a vector has numbers: doc/adr/0069-shortlists-of-ridge-codes.md has what this test prints.
func TestShortlistsNameAsMany(t *testing.T) {
	people, probes, methods, lengths, faces := 150, 20, []string{"crc"}, []int{128}, []int{2}
	if os.Getenv("NRDL_LONG") != "" {
		people, probes, methods, lengths, faces = 400, 100, []string{"mean", "nrc", "crc", "src", "procrc", "llc"},
			[]int{128, 192, 512}, []int{1, 2, 3, 5}
	}
	for _, d := range lengths {
		for _, each := range faces {
			images, others := enrolledAndOthers(t, d, people, each, probes)
			for _, name := range methods {
				by, err := method.Named(name)
				if err != nil {
					t.Fatal(err)
				}
				all, short := named(t, learnBy(t, images, by, images.Len()), others), named(t, shortlisting(t, images, by), others)
				t.Logf("%d numbers, %d faces a person, %s: of %d faces, all people name %d, a shortlist %d", d, each, name, probes, all, short)
				if short < all {
					t.Errorf("%d numbers, %d faces a person, %s: a shortlist names %d of %d faces, all people %d", d, each, name, short, probes, all)
				}
			}
		}
	}
}

// enrolledAndOthers are so many faces of each person, vectors of d numbers, and another one of
// some of the people.
func enrolledAndOthers(t *testing.T, d, people, each, others int) (enrolled, probes *dataset.Images) {
	t.Helper()
	f := embedding.Default().Frame()
	if f.Embedding.Length != d {
		f.Embedding.Name, f.Embedding.Digest, f.Embedding.Length = "drawn", strings.Repeat("0", len(f.Embedding.Digest)), d
	}
	images := drawnAs(t, f, d, 1, people, func(int) int { return each + 1 })
	var first, last []int
	for j := range images.Len() {
		switch {
		case j%(each+1) < each:
			first = append(first, j)
		case len(last) < others:
			last = append(last, j)
		}
	}
	return images.Select(first), images.Select(last)
}

// named is how many of images g names rightly, with or without a threshold.
func named(t *testing.T, g *Gallery, images *dataset.Images) (right int) {
	t.Helper()
	for j, f := range identifyAll(t, g, images) {
		if f.Gallery.Names()[f.Class] == images.Classes[images.ClassOf(j)] {
			right++
		}
	}
	return right
}
