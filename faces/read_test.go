package faces_test

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/face"
)

// Pictures as large as photographs in which no face is found are no face crops unless
// somebody says so.
func TestPicturesWithoutFacesAreRefused(t *testing.T) {
	root := t.TempDir()
	for i, name := range []string{"sea/1.png", "sea/2.png", "hill/1.png", "hill/2.png"} {
		img := image.NewGray(image.Rect(0, 0, 240, 220))
		for y := range 220 {
			for x := range 240 {
				img.SetGray(x, y, color.Gray{Y: uint8((x*(i+2) + y*y/7) / 3)})
			}
		}
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := png.Encode(f, img); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := faces.Read(t.Context(), root, faces.ReadOptions{}); err == nil ||
		!strings.Contains(err.Error(), "no face that can be found") {
		t.Errorf("reading ends with %v", err)
	}
	set, err := faces.Read(t.Context(), root, faces.ReadOptions{Detect: face.Options{Detect: face.Never}})
	if err != nil || set.Len() != 4 {
		t.Errorf("with Never: %v", err)
	}
}
