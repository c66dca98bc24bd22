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
	"strings"
	"testing"

	"nrdl.example/nrdl/internal/kit/testing/edits"
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

// reference is the image that a file of TestDecodeWhatOthersWrite shows, by its name.
func reference(t *testing.T, name string) (image.Image, float64) {
	t.Helper()
	limit, of := 1.0, "pattern.png" // of rounding
	for begin, file := range map[string]string{
		"bw": "bw.png", "grey_": "grey.png", "grey2": "grey2.png",
		"grey4": "grey4.png", "pal4": "pal4.png", "ga": "ga.png",
	} {
		if strings.HasPrefix(name, begin) {
			of = file
		}
	}
	if strings.Contains(name, "jpeg") {
		limit = 6
	}
	data, err := os.ReadFile(filepath.Join("testdata", of))
	if err != nil {
		t.Fatal(err)
	}
	want, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return want, limit
}

// The files were made of pattern.png by libtiff 4.5 (ppm2tiff, tiffcp), ImageMagick 6.9 and
// GraphicsMagick 1.3, rgbx, unsorted, nocounts and old_jpeg by hand; the images by ImageMagick.
func TestDecodeWhatOthersWrite(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join("testdata", "seeds", "FuzzDecode", "*.tif"))
	if len(files) < 30 {
		t.Fatalf("files %q", files)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		img, pages, err := Decode(t.Context(), data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want, limit := reference(t, filepath.Base(name))
		if d := distance(want, img); d > limit || img.Bounds() != want.Bounds() || pages != 1 {
			t.Errorf("%s: %v, off by %.2f, %d pages", name, img.Bounds(), d, pages)
		}
		c, err := Config(t.Context(), data)
		if err != nil || c.Width != img.Bounds().Dx() || c.Height != img.Bounds().Dy() {
			t.Errorf("%s: claims %+v, error %v", name, c, err)
		}
	}
}

// What is not read says why.
func TestRefused(t *testing.T) {
	for name, want := range map[string]string{
		"zstd": "compression by Zstandard", "lab": "colours by CIE L*a*b*",
		"float": "samples that are floating-point numbers",
	} {
		data, err := os.ReadFile(filepath.Join("testdata", "refused", name+".tif"))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := Decode(t.Context(), data); err == nil || err.Error() != "unsupported: "+want {
			t.Errorf("%s: error %v", name, err)
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
		{tagBits, 1, 8},
		{tagPhotometric, 1, 6},
		{273, n, where},
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
	out = binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(out, 530), 3)
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
	for hv, ratio := range map[[2]int]image.YCbCrSubsampleRatio{
		{1, 1}: image.YCbCrSubsampleRatio444, {2, 1}: image.YCbCrSubsampleRatio422, {2, 2}: image.YCbCrSubsampleRatio420,
		{1, 2}: image.YCbCrSubsampleRatio440, {4, 1}: image.YCbCrSubsampleRatio411, {4, 2}: image.YCbCrSubsampleRatio410,
	} {
		for _, rows := range []int{8, 16, 100} {
			m := drawn(21, 19, ratio)
			got, _, err := Decode(t.Context(), written(m, hv[0], hv[1], rows))
			if err != nil {
				t.Errorf("%v, %d rows: %v", ratio, rows, err)
				continue
			}
			if d := distance(m, got); d > 1 { // of rounding
				t.Errorf("%v, %d rows: off by %.2f", ratio, rows, d)
			}
		}
	}
}

func TestBadFiles(t *testing.T) {
	good := written(drawn(32, 32, image.YCbCrSubsampleRatio420), 2, 2, 8)
	tile := [][3]int{{tagTileWidth, 1, 5000}, {tagTileHeight, 1, 5000}}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"planes": {written(drawn(9, 9, image.YCbCrSubsampleRatio444), 1, 1, 9, [3]int{tagPlanar, 1, 2}), ""},
		"fax":    {written(drawn(9, 9, image.YCbCrSubsampleRatio420), 2, 2, 9, [3]int{tagCompression, 1, 3}), ""},
		"JPEG":   {written(drawn(9, 9, image.YCbCrSubsampleRatio420), 2, 2, 9, [3]int{tagCompression, 1, 7}), "JPEG"},
		"ratio":  {written(drawn(9, 9, image.YCbCrSubsampleRatio420), 3, 2, 9), ""},
		"tile":   {written(drawn(9, 9, image.YCbCrSubsampleRatio420), 2, 2, 9, tile...), "tiles of 5000×5000"},
		"cut":    {good[:4], "EOF"},
	} {
		if _, _, err := Decode(t.Context(), c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
	over := written(drawn(2, 2000, image.YCbCrSubsampleRatio444), 1, 1, 1)
	at := bytes.Index(over, bytes.Repeat([]byte{6, 0, 0, 0}, 2000)) // the sizes of its strips
	for i := range 2000 {
		binary.LittleEndian.PutUint32(over[at+4*i:], 1<<20)
	}
	if _, _, err := Decode(t.Context(), append(over, make([]byte, 1<<20)...)); err == nil || !strings.Contains(err.Error(), "overlap") {
		t.Errorf("strips that lie over each other: error %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	cancel(gone)
	if _, _, err := Decode(ctx, good); !errors.Is(err, gone) {
		t.Errorf("after the end: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	edits.Fuzz(f, "FuzzDecode", func(t *testing.T, data []byte) {
		c, err := Config(t.Context(), data)
		if err != nil || c.Width*c.Height > 1<<16 {
			return
		}
		img, _, err := Decode(t.Context(), data)
		if err == nil && (img == nil || img.Bounds() != image.Rect(0, 0, c.Width, c.Height)) {
			t.Errorf("decoded as %v, it claims %d×%d", img, c.Width, c.Height)
		}
	}, written(drawn(21, 19, image.YCbCrSubsampleRatio420), 2, 2, 8))
}
