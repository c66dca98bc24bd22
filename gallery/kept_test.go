package gallery

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/frontend"
)

// A model finds the images that it was trained on by their values, as Merge does, also
// in other units; others it does not find.
func TestKept(t *testing.T) {
	set, err := Keep(patterns(t, 4, 3, dataset.Size{Height: 6, Width: 5}, 0.3))
	if err != nil {
		t.Fatal(err)
	}
	m := &Model{Model: &frontend.Model{}, Enrolled: Enrolling(set.Select([]int{0, 1, 4, 8}))}
	inUnits := *set
	inUnits.White = 1
	inUnits.X = mat.DenseCopyOf(set.X)
	inUnits.X.Scale(1./255, set.X)
	for name, images := range map[string]*dataset.Images{"grey values": set, "other units": &inUnits} {
		got, err := m.Kept(images)
		if err != nil {
			t.Fatal(err)
		}
		if want := []int{0, 1, -1, -1, 2, -1, -1, -1, 3, -1, -1, -1}; !slices.Equal(got, want) {
			t.Errorf("%s: columns %v, want %v", name, got, want)
		}
	}
	m.Enrolled = nil
	if got, err := m.Kept(set); got != nil || err != nil {
		t.Errorf("a model without images finds %v, %v", got, err)
	}
}
