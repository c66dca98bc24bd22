package dataset

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nrdl.example/nrdl/advice"
)

// drawn makes a folder of grey images of 4×4: the value of each pixel is that of pixel.
func drawn(t *testing.T, people map[string][]int, pixel func(image, at int) int) string {
	t.Helper()
	dir := t.TempDir()
	for person, images := range people {
		if err := os.MkdirAll(filepath.Join(dir, person), 0o755); err != nil {
			t.Fatal(err)
		}
		for i, image := range images {
			data := []byte("P5\n4 4\n255\n")
			for at := range 16 {
				data = append(data, byte(pixel(image, at)))
			}
			if err := os.WriteFile(filepath.Join(dir, person, fmt.Sprintf("%d.pgm", i)), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// People with the same images cannot be distinguished: a set of them is refused, with the
// reason.
func TestEqualImages(t *testing.T) {
	pattern := func(image, at int) int { return (image*37 + at*at*11) % 256 }
	for name, c := range map[string]struct {
		people map[string][]int
		pixel  func(image, at int) int
		want   string // "" for no error
	}{
		"all equal": {
			map[string][]int{"a": {1, 1}, "b": {1}, "c": {1, 1}},
			pattern,
			"all images are equal, 5 of 3 people: nothing tells people apart",
		},
		"two of them": {
			map[string][]int{"a": {1, 2}, "b": {2, 1, 2}, "c": {3}},
			pattern,
			`"a" and "b" have the same images (2 images): nothing tells them apart`,
		},
		"five of six": {
			map[string][]int{"a": {1}, "b": {1}, "c": {1}, "d": {1}, "e": {1}, "f": {2}},
			pattern, `"a", "b", "c" and 2 more have the same images (1 image)`,
		},
		"all grey": {
			map[string][]int{"a": {1, 2}, "b": {3}},
			func(image, _ int) int { return 10 * image },
			"all 3 images are blank, black or of one grey",
		},
		"one shared": {map[string][]int{"a": {1, 2}, "b": {1, 3}}, pattern, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Open(context.Background(), drawn(t, c.people, c.pixel), Options{Frame: Frame{Size: Size{Height: 4, Width: 4}}})
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || advice.Text(err) == ""):
				t.Errorf("the error is %v (hint %q), not %q", err, advice.Text(err), c.want)
			}
		})
	}
}
