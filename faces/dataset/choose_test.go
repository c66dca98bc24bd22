package dataset_test

import (
	"context"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nrdl.example/nrdl/faces/dataset"
)

// two is a Reader of two faces in each photograph; it chooses the second of photographs named 2.
type two struct{ all bool }

func (two) Read(_ context.Context, _ []byte, name string) ([]dataset.Crop, error) {
	n := float64(len(filepath.Base(name)))
	if strings.HasPrefix(filepath.Base(name), "none") {
		return nil, dataset.ErrNoFace
	}
	return []dataset.Crop{
		{Values: []float64{1, n}, Quality: dataset.Quality{Eyes: 1}},
		{Values: []float64{2, n}, Quality: dataset.Quality{Eyes: 2}},
	}, nil
}

func (t two) Choose(photos [][]dataset.Crop) (chosen []int, reasons []string) {
	if t.all {
		return nil, nil
	}
	for i := range photos {
		chosen, reasons = append(chosen, i%2), append(reasons, strings.Repeat("the second", i%2))
	}
	return chosen, reasons
}

// A Reader that chooses gets the photographs of each person, and the faces that it does not choose
// are left out; photographs without a face stay.
func TestChooser(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"ann/1.png", "ann/22.png", "ann/none.png", "ben/333.png"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := png.Encode(f, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for all, want := range map[bool]int{false: 4, true: 7} {
		var warnings []string
		set, err := dataset.Open(t.Context(), dir, dataset.Options{
			Warn: func(s string) { warnings = append(warnings, s) },
			Faces: func(context.Context, []string) (dataset.Reader, dataset.Frame, error) {
				return two{all}, dataset.Frame{Size: dataset.Size{Height: 2, Width: 1}}, nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if set.Len() != want || len(set.Quality) != want || len(set.NoFace) != want {
			t.Fatalf("all %v: %d samples, %d qualities: %v", all, set.Len(), len(set.Quality), warnings)
		}
		if all {
			continue
		}
		for j := range set.Len() {
			face, none := 1., set.ID(j) == "ann/none.png"
			if set.ID(j) == "ann/22.png" {
				face = 2
			}
			if none != set.NoFace[j] || !none && (set.X.At(0, j) != face || set.Quality[j].Eyes != face) {
				t.Errorf("%s: face %v, quality %v", set.ID(j), set.X.At(0, j), set.Quality[j])
			}
		}
		if text := strings.Join(warnings, "\n"); !strings.Contains(text, "ann/22.png: the second") {
			t.Errorf("warnings %q", text)
		}
	}
}
