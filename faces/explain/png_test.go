package explain

import (
	"image/png"
	"io"
	"testing"

	"nrdl.example/nrdl/faces/face"
)

func writePNG(p *Page, w io.Writer, text, bold face.Letters) error {
	img, err := p.Picture(text, bold)
	if err != nil {
		return err
	}
	return png.Encode(w, img)
}

// A number after a name that goes from right to left stays after it.
func TestIsolated(t *testing.T) {
	const text = "Ann 12, محمد علي: 3"
	if got, want := isolated([]string{"Ann", "محمد علي"}).Replace(text), "Ann 12, \u2068محمد علي\u2069: 3"; got != want {
		t.Errorf("%q is %q, not %q", text, got, want)
	}
}
