package heic_test

import (
	"strings"
	"testing"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/heic"
)

// HEIC photographs are read as others are, those with values of video too.
func TestHEIC(t *testing.T) {
	if _, err := dataset.ReadPhoto(t.Context(), "testdata/pattern.heic"); err == nil ||
		!strings.Contains(advice.Text(err), "heic.Register()") {
		t.Errorf("before Register: %v", err)
	}
	heic.Register()
	want, err := dataset.ReadPhoto(t.Context(), "testdata/pattern.png")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pattern.heic", "video.heic", "pattern.avif"} {
		img, err := dataset.ReadPhoto(t.Context(), "testdata/"+name)
		if err != nil {
			t.Fatal(err)
		}
		// the flat square, away from edges
		r, g, b, _ := img.At(145, 100).RGBA()
		wr, wg, wb, _ := want.At(145, 100).RGBA()
		near := func(a, b uint32) bool { return int(a>>8)-int(b>>8) < 40 && int(b>>8)-int(a>>8) < 40 }
		if same := near(r, wr) && near(g, wg) && near(b, wb); !same {
			t.Errorf("%s: colour %d %d %d, want %d %d %d", name, r>>8, g>>8, b>>8, wr>>8, wg>>8, wb>>8)
		}
	}
}
