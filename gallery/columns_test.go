package gallery

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Columns that are copied from those of former people are the ones that are gathered, however
// people come, change, go and are renamed; a matrix that is not its own stays as it is.
func TestColumnsAreThoseOfThePeople(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	made := 0
	vector := func(p *person) []float64 { return p.mean }
	someone := func(name string) *person {
		made++
		return &person{name: name, mean: []float64{float64(made), -float64(made)}}
	}
	for _, own := range []bool{true, false} {
		var old []*person
		var was *mat.Dense
		for range 300 {
			people := slices.Clone(old)
			for range 1 + rng.IntN(3) {
				at, found := find(people, fmt.Sprintf("p%d", rng.IntN(100)))
				switch {
				case !found:
					name := fmt.Sprintf("p%d", rng.IntN(100))
					if at, found = find(people, name); found {
						people[at] = someone(name)
					} else {
						people = slices.Insert(people, at, someone(name))
					}
				case len(people) > 2:
					people = slices.Delete(people, at, at+1)
				}
			}
			before := &mat.Dense{}
			if was != nil {
				before = mat.DenseCopyOf(was)
			}
			got := columns(people, old, was, own, vector)
			if want := columns(people, nil, nil, false, vector); !mat.Equal(got, want) {
				t.Fatalf("of %d people after %d: %v, not %v", len(people), len(old), mat.Formatted(got), mat.Formatted(want))
			}
			for c, p := range people {
				if got.At(0, c) != p.mean[0] || got.At(1, c) != p.mean[1] {
					t.Fatalf("column %d is not that of %s", c, p.name)
				}
			}
			if !own && was != nil && !mat.Equal(was, before) {
				t.Fatal("the matrix of the former people was changed")
			}
			old, was = people, got
		}
	}
}
