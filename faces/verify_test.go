package faces_test

import (
	"errors"
	"image"
	"io/fs"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/openset"
)

// Photographs of one person are more similar than those of two, who need not be
// enrolled; the more similar, the lower the false match rate.
func TestVerify(t *testing.T) {
	r, found := photographs(t)
	columns := []int{0, 3, 24, 27} // two of person001, and two of person007, who is not enrolled
	var shots []*image.Gray
	for _, j := range columns {
		shots = append(shots, photograph(found, j))
	}
	compare := func(a, b int) faces.Comparison {
		c, err := r.Verify(t.Context(), shots[a], shots[b])
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	all := []faces.Comparison{compare(0, 0)}
	if math.Abs(all[0].Similarity-1) > 1e-9 || !all[0].Same(openset.DefaultFMR) {
		t.Errorf("a photograph and itself: %+v", all[0])
	}
	smallest, largest := 1.0, -1.0 // similarity of genuine and of impostor pairs
	for a := range shots {
		for b := range a {
			c := compare(a, b)
			if found.ClassOf(columns[a]) == found.ClassOf(columns[b]) {
				smallest = min(smallest, c.Similarity)
			} else {
				largest = max(largest, c.Similarity)
			}
			all = append(all, c)
		}
	}
	if got, back := compare(0, 1), compare(1, 0); math.Abs(got.Similarity-back.Similarity) > 1e-12 {
		t.Errorf("%v and back %v", got, back)
	}
	if !(smallest > largest) {
		t.Errorf("two people have the similarity %v, and one %v", largest, smallest)
	}
	monotone(t, all)

	if _, err := r.Verify(t.Context(), shots[0], image.NewGray(image.Rect(0, 0, 60, 60))); !errors.Is(err, face.ErrNoFace) {
		t.Errorf("no face: %v", err)
	}
	o := options()
	o.OpenSet = nil
	if _, err := trained(t, crops(t, 3, 3), o).Verify(t.Context(), shots[0], shots[1]); err == nil {
		t.Error("it has seen no pairs")
	}
}

// monotone checks that a higher similarity has a lower false match rate.
func monotone(t *testing.T, all []faces.Comparison) {
	t.Helper()
	for _, a := range all {
		if !(a.FMR >= 0 && a.FMR <= 1) || !a.Same(a.FMR) || a.FMR > 0 && a.Same(a.FMR/2) {
			t.Errorf("%+v", a)
		}
		for _, b := range all {
			if a.Similarity > b.Similarity+1e-9 && !(a.FMR < b.FMR) {
				t.Errorf("%+v and %+v", a, b)
			}
		}
	}
}

// Without a Recogniser, too, one person is more similar than two.
func TestVerifyWithoutRecogniser(t *testing.T) {
	_, found := photographs(t)
	shots := []*image.Gray{photograph(found, 0), photograph(found, 3), photograph(found, 7)}
	file := func(name string, m image.Image) faces.Photo {
		return faces.Photo{Name: name, Load: func() ([]byte, error) { return encoded(m), nil }}
	}
	var all []faces.Comparison
	for _, pair := range [][2]int{{0, 0}, {0, 1}, {0, 2}} {
		c, err := faces.Verify(t.Context(), nil, nil, file("a", shots[pair[0]]), file("b", shots[pair[1]]))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	if same, one, two := all[0].Similarity, all[1].Similarity, all[2].Similarity; math.Abs(same-1) > 1e-9 || !(one > two) {
		t.Errorf("similarity %v of a photograph and itself, %v of one person, %v of two", same, one, two)
	}
	_, err := faces.Verify(t.Context(), nil, nil, file("a", shots[0]), file("blank.png", image.NewGray(image.Rect(0, 0, 60, 60))))
	if !errors.Is(err, face.ErrNoFace) || !strings.Contains(err.Error(), "blank.png") {
		t.Errorf("no face: %v", err)
	}
	lost := faces.Photo{Name: filepath.Join(t.TempDir(), "lost.jpg")}
	if _, err := faces.Verify(t.Context(), nil, nil, lost, lost); !errors.Is(err, fs.ErrNotExist) ||
		!strings.Contains(err.Error(), "lost.jpg") {
		t.Errorf("no file: %v", err)
	}
	monotone(t, all)
	if !all[0].Same(openset.DefaultFMR) {
		t.Errorf("a photograph and itself are of two people: %+v", all[0])
	}
}
