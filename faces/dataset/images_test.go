package dataset

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Parts of images that do not agree are refused, and the error says which.
func TestImagesAreChecked(t *testing.T) {
	good := album(t, []string{"a", "b"}, 3)
	good.Quality, good.NoFace = make([]Quality, 6), make([]bool, 6)
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(*Images){
		"images of 3x3 have 9 pixels, not 12":  func(s *Images) { s.Frame.Size = Size{3, 3} },
		"5 qualities for 6 images":             func(s *Images) { s.Quality = s.Quality[1:] },
		"7 marks of images without a face":     func(s *Images) { s.NoFace = make([]bool, 7) },
		"crop = 2":                             func(s *Images) { s.Frame.Crop = 2 },
		"eyes = 5@0.5":                         func(s *Images) { s.Frame.Eyes = Eyes{5, 0.5} },
		"white = -1 is no grey value":          func(s *Images) { s.White = -1 },
		"white = NaN is no grey value":         func(s *Images) { s.White = math.NaN() },
		"two classes are named":                func(s *Images) { s.Classes = []string{"a", "a"} },
		"do not divide 6 columns into 2 class": func(s *Images) { s.Groups = []int{0, 3, 7} },
		"feature 1 is +Inf":                    func(s *Images) { s.X = mat.DenseCopyOf(s.X); s.X.Set(1, 1, math.Inf(1)) },
		"no samples":                           func(s *Images) { s.X = nil },
	} {
		s := *good
		spoil(&s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := NewImages(good.X, slices.Repeat([]string{"a"}, 6), nil, nil, Frame{Size: Size{3, 3}}); err == nil {
		t.Error("images of another size are grouped")
	}
}
