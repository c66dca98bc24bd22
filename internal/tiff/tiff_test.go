package tiff

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/internal/testing/edits"
)

// distance is the mean difference of the colours of two images.
func distance(a, b image.Image) float64 {
	sum := 0.0
	r := a.Bounds()
	for y := range r.Dy() {
		for x := range r.Dx() {
			p, q := color.RGBAModel.Convert(a.At(x, y)).(color.RGBA), color.RGBAModel.Convert(b.At(x, y)).(color.RGBA)
			sum += math.Abs(float64(p.R)-float64(q.R)) + math.Abs(float64(p.G)-float64(q.G)) + math.Abs(float64(p.B)-float64(q.B))
		}
	}
	return sum / float64(3*r.Dx()*r.Dy())
}

// The files were made of pattern.png by libtiff 4.5 (ppm2tiff, tiffcp) and ImageMagick 6.9.
func TestDecodeWhatOthersWrite(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "pattern.png"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join("testdata", "seeds", "FuzzDecode", "*.tif"))
	if len(files) < 8 {
		t.Fatalf("files %q", files)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		img, err := Decode(t.Context(), data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		most := 1.0 // of rounding
		if strings.Contains(name, "jpeg") {
			most = 6
		}
		if d := distance(want, img); d > most || img.Bounds() != want.Bounds() {
			t.Errorf("%s: %v, off by %.2f", name, img.Bounds(), d)
		}
		c, err := Config(t.Context(), data)
		if err != nil || c.Width != img.Bounds().Dx() || c.Height != img.Bounds().Dy() {
			t.Errorf("%s: claims %+v, error %v", name, c, err)
		}
	}
}

// written is an uncompressed file of m in strips of so many rows, as the specification says:
// for each group of h×v pixels their luma, row by row, and then the two colours.
func written(m *image.YCbCr, h, v, rows int, more ...[3]int) []byte {
	w, height := m.Rect.Dx(), m.Rect.Dy()
	out := []byte("II*\x00\x00\x00\x00\x00")
	var offsets, sizes []int
	for top := 0; top < height; top += rows {
		offsets = append(offsets, len(out))
		for y := top; y < min(top+rows, height); y += v {
			for x := 0; x < w; x += h {
				for i := range h * v {
					out = append(out, m.YCbCrAt(min(x+i%h, w-1), min(y+i/h, height-1)).Y)
				}
				c := m.YCbCrAt(x, y)
				out = append(out, c.Cb, c.Cr)
			}
		}
		sizes = append(sizes, len(out)-offsets[len(offsets)-1])
	}
	longs := func(values []int) int {
		if len(values) == 1 {
			return values[0]
		}
		at := len(out)
		for _, v := range values {
			out = binary.LittleEndian.AppendUint32(out, uint32(v))
		}
		return at
	}
	n := len(offsets)
	where, how := longs(offsets), longs(sizes)
	tags := append([][3]int{
		{tagWidth, 1, w},
		{tagHeight, 1, height},
		{tagPhotometric, 1, photometricYCbCr},
		{tagStrips, n, where},
		{tagSamples, 1, 3},
		{tagStripRows, 1, rows},
		{tagStripSizes, n, how},
	}, more...)
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)))
	out = binary.LittleEndian.AppendUint16(out, uint16(len(tags)+1))
	for _, e := range tags {
		out = binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(out, uint16(e[0])), 4)
		out = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(out, uint32(e[1])), uint32(e[2]))
	}
	out = binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(out, tagSubsampling), 3)
	out = binary.LittleEndian.AppendUint32(out, 2)
	return binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(out, uint16(h)), uint16(v))
}

func drawn(w, h int, ratio image.YCbCrSubsampleRatio) *image.YCbCr {
	m := image.NewYCbCr(image.Rect(0, 0, w, h), ratio)
	for i := range m.Y {
		m.Y[i] = byte(7 * i)
	}
	for i := range m.Cb {
		m.Cb[i], m.Cr[i] = byte(50+3*i), byte(200-5*i)
	}
	return m
}

// Each ratio comes back as it was, also where the groups of pixels exceed the image.
func TestSubsampling(t *testing.T) {
	for hv, ratio := range ratios {
		for _, rows := range []int{8, 16, 100} {
			m := drawn(21, 19, ratio)
			got, err := Decode(t.Context(), written(m, hv[0], hv[1], rows))
			if err != nil {
				t.Errorf("%v, %d rows: %v", ratio, rows, err)
				continue
			}
			for y := range 19 {
				for x := range 21 {
					if got.At(x, y) != m.At(x, y) {
						t.Fatalf("%v, %d rows: (%d, %d) is %v, want %v", ratio, rows, x, y, got.At(x, y), m.At(x, y))
					}
				}
			}
		}
	}
}

func TestBadFiles(t *testing.T) {
	good := written(drawn(32, 32, image.YCbCrSubsampleRatio420), 2, 2, 8)
	over := slices.Clone(good)
	size := binary.LittleEndian.AppendUint32(nil, 8*32*3/2)
	at := bytes.Index(over, bytes.Repeat(size, 4)) // of the four strips
	for i := range 4 {
		binary.LittleEndian.PutUint32(over[at+4*i:], 600)
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"planes":    {written(drawn(9, 9, image.YCbCrSubsampleRatio444), 1, 1, 9, [3]int{tagPlanar, 1, 2}), "unsupported: samples in planes"},
		"predictor": {written(drawn(9, 9, image.YCbCrSubsampleRatio420), 2, 2, 9, [3]int{tagPredictor, 1, 2}), "unsupported predictor"},
		"fax":       {written(drawn(9, 9, image.YCbCrSubsampleRatio420), 2, 2, 9, [3]int{tagCompression, 1, 3}), "unsupported compression 3"},
		"JPEG":      {written(drawn(9, 9, image.YCbCrSubsampleRatio420), 2, 2, 9, [3]int{tagCompression, 1, 7}), "JPEG"},
		"ratio":     {written(drawn(9, 9, image.YCbCrSubsampleRatio420), 3, 2, 9), "unsupported: a colour for 3×2 pixels"},
	} {
		if _, err := Decode(t.Context(), c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
	grey := [3]int{tagPhotometric, 1, 1}
	for name, more := range map[string][][3]int{
		"reverse order": {grey, {tagSamples, 1, 1}, {tagFillOrder, 1, 2}}, "more than one sample": {grey, {tagSamples, 1, 2}}, "in planes": {{tagPhotometric, 1, 2}, {tagPlanar, 1, 2}},
		"print": {{tagPhotometric, 1, 5}, {tagSamples, 1, 4}}, "without a meaning": {{tagPhotometric, 1, 2}, {tagSamples, 1, 4}},
	} {
		data := written(drawn(9, 9, image.YCbCrSubsampleRatio444), 1, 1, 9, more...)
		if _, err := Config(t.Context(), data); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := Decode(t.Context(), over); err == nil || !strings.Contains(err.Error(), "overlap") {
		t.Errorf("strips that lie over each other: error %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	cancel(gone)
	if _, err := Decode(ctx, good); !errors.Is(err, gone) {
		t.Errorf("after the end: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	edits.Fuzz(f, "FuzzDecode", func(t *testing.T, data []byte) {
		c, err := Config(t.Context(), data)
		if err != nil || c.Width*c.Height > 1<<16 {
			return
		}
		img, err := Decode(t.Context(), data)
		if err == nil && (img == nil || img.Bounds() != image.Rect(0, 0, c.Width, c.Height)) {
			t.Errorf("decoded as %v, it claims %d×%d", img, c.Width, c.Height)
		}
	}, written(drawn(21, 19, image.YCbCrSubsampleRatio420), 2, 2, 8))
}
