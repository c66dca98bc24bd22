package dataset

import (
	"encoding/binary"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// coloured draws an image that is transparent here and there, of the kind of m.
func coloured(m interface {
	image.Image
	Set(x, y int, c color.Color)
},
) image.Image {
	b := m.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			m.Set(x, y, color.NRGBA{byte(37 * x), byte(59 * y), byte(x * y), byte(255 - 40*(x%4))})
		}
	}
	return m
}

// TestDecodeGreyIsDecodeImage compares the two, of which the other one keeps
// fractions, in all kinds of images and all orientations.
func TestDecodeGreyIsDecodeImage(t *testing.T) {
	const h, w = 45, 71 // more than a block, and no multiple of one
	r := image.Rect(0, 0, w, h)
	palette := color.Palette{color.NRGBA{10, 200, 30, 255}, color.NRGBA{250, 0, 90, 255}, color.NRGBA{0, 0, 255, 100}, color.Black}
	files := map[string][]byte{
		"grey": asPNG(ramp(h, w)), "PGM": asPGM(ramp(h, w)), "PGM of 16 bits": asPGM16(ramp(h, w)), "grey JPEG": asJPEG(smooth(h, w)),
		"NRGBA": asPNG(coloured(image.NewNRGBA(r))), "RGBA": asTIFF(coloured(image.NewRGBA(r))), "NRGBA64": asPNG(coloured(image.NewNRGBA64(r))),
		"palette": asPNG(coloured(image.NewPaletted(r, palette))), "colour JPEG": asJPEG(coloured(image.NewNRGBA(r))),
		"WebP": webpLossless(w, h), "GIF": asGIF(ramp(h, w)),
	}
	for o := 1; o <= 8; o++ {
		files["turned "+string(rune('0'+o))] = jpegWith(asJPEG(coloured(image.NewRGBA(r))), exifOf(o, binary.BigEndian))
	}
	for name, data := range files {
		m, err := DecodeGrey(t.Context(), data, name)
		if err != nil {
			t.Fatal(err)
		}
		size := Size{Height: m.Rect.Dy(), Width: m.Rect.Dx()}
		if size.Len() != h*w || m.Rect.Min != (image.Point{}) {
			t.Fatalf("%s: %v", name, m.Rect)
		}
		want, err := DecodeImage(t.Context(), data, name, Frame{Size: size})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range column(m) {
			if v != math.Round(want[i]) {
				t.Fatalf("%s: pixel %d is %v, want %v", name, i, v, want[i])
			}
		}
	}
}

// TestGrey8OfAPart takes images whose corner is not at (0, 0).
func TestGrey8OfAPart(t *testing.T) {
	r, part := image.Rect(0, 0, 20, 10), image.Rect(3, 2, 17, 9)
	ycbcr := image.NewYCbCr(r, image.YCbCrSubsampleRatio420)
	for i := range ycbcr.Y {
		ycbcr.Y[i] = byte(7 * i)
	}
	for _, m := range []interface {
		image.Image
		SubImage(image.Rectangle) image.Image
	}{
		ramp(10, 20), ycbcr, coloured(image.NewNRGBA(r)).(*image.NRGBA), coloured(image.NewRGBA(r)).(*image.RGBA),
		coloured(image.NewPaletted(r, color.Palette{color.White, color.Black})).(*image.Paletted), image.NewGray16(r),
	} {
		whole, cut := grey8(m), grey8(m.SubImage(part))
		for y := range part.Dy() {
			for x := range part.Dx() {
				if a, b := cut.GrayAt(x, y), whole.GrayAt(x+3, y+2); a != b {
					t.Fatalf("%T: pixel (%d, %d) is %v, want %v", m, x, y, a, b)
				}
			}
		}
	}
}

func TestReadGrey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.png")
	if err := os.WriteFile(path, asPNG(ramp(4, 5)), 0o644); err != nil {
		t.Fatal(err)
	}
	if m, err := ReadGrey(t.Context(), path); err != nil || m.Rect != image.Rect(0, 0, 5, 4) {
		t.Errorf("%v, error %v", m, err)
	}
	if _, err := ReadGrey(t.Context(), path+"x"); err == nil || !strings.HasPrefix(err.Error(), "read image: ") {
		t.Errorf("error %v", err)
	}
	if _, err := DecodeGrey(t.Context(), []byte("P5 20000 20000 255\n"), "x"); err == nil || !strings.Contains(err.Error(), "64 million") {
		t.Errorf("error %v", err)
	}
}
