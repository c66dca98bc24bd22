package dataset

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/draw"

	"nrdl.example/nrdl/advice"
)

func decoded(t testing.TB, data []byte, in Size) []float64 {
	t.Helper()
	v, err := DecodeImage(t.Context(), data, "drawn", Frame{Size: in})
	if err != nil {
		t.Fatal(err)
	}
	if len(v) != in.Len() {
		t.Fatalf("%d values, want %d", len(v), in.Len())
	}
	return v
}

// distance is the largest difference of two samples.
func distance(a, b []float64) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	var d float64
	for i := range a {
		d = max(d, math.Abs(a[i]-b[i]))
	}
	return d
}

func TestEveryFormatAtItsOwnSizePassesUnchanged(t *testing.T) {
	m := ramp(13, 9)
	in := Size{Height: 13, Width: 9}
	want := column(m)
	for name, data := range map[string][]byte{
		"raw PGM": asPGM(m), "plain PGM": asPlainPGM(m, 255), "16-bit PGM": asPGM16(m), "plain 16-bit PGM": asPlainPGM(m, 65535),
		"raw PPM": asPPM(m, false), "plain PPM": asPPM(m, true),
		"PNG": asPNG(m), "BMP": asBMP(m), "TIFF": asTIFF(m), "GIF": asGIF(m),
	} {
		if got := decoded(t, data, in); !slices.Equal(got, want) {
			t.Errorf("%s: pixels changed", name)
		}
	}
	if d := distance(decoded(t, asJPEG(smooth(24, 16)), Size{Height: 24, Width: 16}), column(smooth(24, 16))); d > 3 {
		t.Errorf("JPEG: a pixel is off by %v", d)
	}
	if got := decoded(t, webpLossless(9, 13), in); slices.Min(got) != 255 {
		t.Errorf("lossless WebP: values %v … %v, want 255", slices.Min(got), slices.Max(got))
	}
	// Luma 128 or 129 of 16 … 235 is grey (128−16)·255/219 or a little more.
	if got := decoded(t, webpLossy(9, 13), in); slices.Min(got) != 130 || slices.Max(got) > 132 {
		t.Errorf("lossy WebP: values %v … %v, want 130", slices.Min(got), slices.Max(got))
	}
}

func TestGreyLevelsAreStretchedAndKept(t *testing.T) {
	one := Size{Height: 1, Width: 2}
	for data, want := range map[string][]float64{
		"P2 2 1 15\n15 1\n":              {255, 17},
		"P2\n#c\n2 1\n#c\n1\n0 1":        {0, 255},
		"P1 2 1\n10":                     {0, 255},
		"P1 2 1\n1 #black\n0":            {0, 255},
		"P4 2 1\n\x40":                   {255, 0},
		"P5 2 1 65535\n\x80\x80\x01\x00": {128, 256. / 257},
	} {
		if got := decoded(t, []byte(data), one); distance(got, want) > 1e-9 {
			t.Errorf("%q: %v, want %v", data, got, want)
		}
	}
	m := image.NewGray16(image.Rect(0, 0, 2, 1))
	m.SetGray16(0, 0, color.Gray16{Y: 1000})
	if got, want := decoded(t, asPNG(m), one)[0], 1000/257.; got != want {
		t.Errorf("16-bit PNG: %v, want %v", got, want)
	}
}

func TestColourIsLumaOverWhite(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	m.SetNRGBA(0, 0, color.NRGBA{R: 200, G: 100, B: 50, A: 255})
	m.SetNRGBA(0, 1, color.NRGBA{R: 77, G: 77, B: 77, A: 255})
	m.SetNRGBA(1, 0, color.NRGBA{R: 10, G: 20, B: 30, A: 0})
	m.SetNRGBA(1, 1, color.NRGBA{A: 128})
	want := []float64{0.299*200 + 0.587*100 + 0.114*50, 77, 255, 127}
	if got := decoded(t, asPNG(m), Size{Height: 2, Width: 2}); distance(got, want) > 1e-9 {
		t.Errorf("luma %v, want %v", got, want)
	}
}

// turnedBy holds how the upright image, read row by row, is stored under each
// orientation: the table of the EXIF standard, as letters of the image ab/cd/ef.
var turnedBy = map[int][]string{
	1: {"ab", "cd", "ef"}, 2: {"ba", "dc", "fe"}, 3: {"fe", "dc", "ba"}, 4: {"ef", "cd", "ab"},
	5: {"ace", "bdf"}, 6: {"bdf", "ace"}, 7: {"fdb", "eca"}, 8: {"eca", "fdb"},
}

func letters(rows []string) *image.Gray {
	m := image.NewGray(image.Rect(0, 0, len(rows[0]), len(rows)))
	for y, r := range rows {
		for x := range r {
			m.SetGray(x, y, color.Gray{Y: 20 + 40*(r[x]-'a')})
		}
	}
	return m
}

func enlarged(m *image.Gray, by int) *image.Gray {
	b := image.NewGray(image.Rect(0, 0, m.Rect.Dx()*by, m.Rect.Dy()*by))
	draw.NearestNeighbor.Scale(b, b.Rect, m, m.Rect, draw.Src, nil)
	return b
}

func TestOrientationIsHonoured(t *testing.T) {
	want := column(letters(turnedBy[1]))
	for o, rows := range turnedBy {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			data := jpegWith(asJPEG(enlarged(letters(rows), 8)), exifOf(o, order))
			// Shrinking rings a little at edges: letters differ by 40.
			if got := decoded(t, data, Size{Height: 3, Width: 2}); distance(got, want) > 12 {
				t.Errorf("JPEG of orientation %d, %v: %.0f, want %.0f", o, order, got, want)
			}
			photo, err := DecodePhoto(t.Context(), data, "drawn")
			if err != nil {
				t.Fatal(err)
			}
			if got := sample(photo, Frame{Size: Size{Height: 3, Width: 2}}); distance(got, want) > 12 {
				t.Errorf("photo of orientation %d: %.0f, want %.0f", o, got, want)
			}
		}
		body := asPNG(letters(rows))
		chunk := exifOf(o, binary.BigEndian)
		head := append(binary.BigEndian.AppendUint32(nil, uint32(len(chunk))), "eXIf"...)
		data := slices.Concat(body[:33], head, chunk, pngSum("eXIf", chunk), body[33:])
		if got := decoded(t, data, Size{Height: 3, Width: 2}); !slices.Equal(got, want) {
			t.Errorf("PNG of orientation %d: %v, want %v", o, got, want)
		}
	}
	for _, exif := range [][]byte{nil, exifOf(0, binary.LittleEndian), exifOf(9, binary.BigEndian), exifOf(6, binary.BigEndian)[:20]} {
		data := jpegWith(asJPEG(enlarged(letters(turnedBy[1]), 8)), exif)
		if got := decoded(t, data, Size{Height: 3, Width: 2}); distance(got, want) > 12 {
			t.Errorf("an orientation that makes no sense turns the image: EXIF %x", exif)
		}
	}
}

func TestOrientationIsFoundInEveryFormat(t *testing.T) {
	exif := exifOf(8, binary.LittleEndian)
	webp := webpLossless(3, 2)
	webp = append(webp, binary.LittleEndian.AppendUint32([]byte("EXIF"), uint32(len(exif)))...)
	for name, data := range map[string][]byte{
		"TIFF": exif, "WebP": append(webp, exif...), "JPEG": jpegWith(asJPEG(ramp(3, 3)), exif),
	} {
		f, err := formatOf(data)
		if err != nil {
			t.Fatal(err)
		}
		if o := f.orientation(data); o != 8 {
			t.Errorf("%s: orientation %d, want 8", name, o)
		}
	}
}

// TestResampleAgainstXImage compares with the independent implementation of
// golang.org/x/image/draw, which rounds to 16 bits.
func TestResampleAgainstXImage(t *testing.T) {
	m := ramp(61, 47)
	for _, in := range []Size{
		{Height: 32, Width: 32},
		{Height: 7, Width: 5},
		{Height: 100, Width: 120},
		{Height: 61, Width: 20},
		{Height: 183, Width: 47},
		{Height: 1, Width: 1},
	} {
		ref := image.NewGray16(image.Rect(0, 0, in.Width, in.Height))
		draw.CatmullRom.Scale(ref, ref.Rect, m, m.Rect, draw.Src, nil)
		if d := distance(sample(m, Frame{Size: in}), sample(ref, Frame{Size: in})); d > 0.02 {
			t.Errorf("%v: a pixel is off by %v", in, d)
		}
	}
}

func TestBadImagesAreErrors(t *testing.T) {
	panorama := asPNG(ramp(4, 4))
	binary.BigEndian.PutUint32(panorama[16:], 20000)
	binary.BigEndian.PutUint32(panorama[20:], 5000)
	copy(panorama[29:], pngSum("IHDR", panorama[16:29]))
	huge := asPNG(ramp(4, 4))
	binary.BigEndian.PutUint32(huge[16:], 50000)
	binary.BigEndian.PutUint32(huge[20:], 50000)
	copy(huge[29:], pngSum("IHDR", huge[16:29]))
	var deep bytes.Buffer
	if err := png.Encode(&deep, image.NewNRGBA64(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	wide := deep.Bytes()
	binary.BigEndian.PutUint32(wide[16:], 8000)
	binary.BigEndian.PutUint32(wide[20:], 8000)
	copy(wide[29:], pngSum("IHDR", wide[16:29]))
	jpg := asJPEG(smooth(64, 64))
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":          {nil, "the file is empty"},
		"text":           {[]byte("hello, world"), "not an image"},
		"panorama":       {panorama, "PNG claims 20000×5000 pixels; at most 30000 a side and 64 million are read"},
		"huge PNG":       {huge, "PNG claims 50000×50000 pixels; at most 30000 a side"},
		"16 bits":        {wide, "PNG claims 8000×8000 pixels of 16 bits a channel; at most 32 million of these are read"},
		"huge PGM":       {[]byte("P5 99999999999999999999 1 255\n"), "at most 30000 a side"},
		"large area":     {[]byte("P5 20000 20000 255\n"), "64 million"},
		"zero size":      {[]byte("P5 0 5 255\n"), "nothing to see"},
		"cut JPEG":       {jpg[:len(jpg)/2], "the JPEG is cut short"},
		"cut PGM":        {asPGM(ramp(9, 9))[:40], "the PNM is cut short"},
		"cut comment":    {[]byte("P2 3 3 # no end"), "the PNM is cut short"},
		"cut PNG":        {asPNG(ramp(9, 9))[:60], "the PNG is cut short"},
		"cut GIF":        {asGIF(ramp(9, 9))[:810], "the GIF is cut short"},
		"cut BMP":        {asBMP(ramp(9, 9))[:1090], "the BMP is cut short"},
		"cut WebP":       {webpLossless(9, 9)[:22], "WebP"},
		"above maxval":   {[]byte("P2 1 1 7\n8\n"), "value 8 exceeds the maximum 7"},
		"maxval":         {[]byte("P2 1 1 70000\n8\n"), "maximum value 70000"},
		"letters":        {[]byte("P2 1 1 7\nx y\n"), `'x' is not a digit`},
		"bit":            {[]byte("P1 1 1\n2"), `'2' is not a bit`},
		"JPEG XL":        {[]byte("\x00\x00\x00\x0cJXL "), "JPEG XL files cannot be read"},
		"AVIF":           {[]byte("\x00\x00\x00\x18ftypavif"), "HEIC and AVIF files are not read by this program"},
		"cut HEIC":       {[]byte("\x00\x00\x00\x18ftypheic"), "HEIC and AVIF files are not read by this program"},
		"damaged colour": {append(slices.Clone(jpg[:200]), make([]byte, 500)...), "JPEG"},
	} {
		_, err := DecodeImage(t.Context(), c.data, "x.jpg", Frame{Size: DefaultSize})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "read image x.jpg: ") {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
	if _, err := DecodeImage(t.Context(), []byte("\x00\x00\x00\x0cJXL "), "x",
		Frame{Size: DefaultSize}); !strings.Contains(advice.Text(err), "JPEG") {
		t.Errorf("JPEG XL: hint %q", advice.Text(err))
	}
	for _, in := range []Size{{}, {Height: -1, Width: 1}, {Height: 1, Width: 5000}} {
		if _, err := DecodeImage(t.Context(), asPGM(ramp(2, 2)), "x", Frame{Size: in}); err == nil {
			t.Errorf("size %v is accepted", in)
		}
	}
}

func TestADecoderThatPanicsIsAnError(t *testing.T) {
	old := formats
	defer func() { formats = old }()
	formats = []format{{
		name: "BAD", magic: []string{"bad"},
		config: func(context.Context, []byte) (image.Config, error) { return image.Config{Width: 1, Height: 1}, nil },
		decode: func(context.Context, []byte) (image.Image, error) { panic("out of range") },
	}}
	if _, err := DecodeImage(t.Context(), []byte("bad"), "x", Frame{Size: DefaultSize}); err == nil ||
		!strings.Contains(err.Error(), "out of range") {
		t.Errorf("error %v", err)
	}
}

func TestReadImage(t *testing.T) {
	root := drawFiles(t, map[string][]byte{"a.pgm": asPGM(ramp(4, 4))})
	in := Size{Height: 4, Width: 4}
	v, err := ReadImage(t.Context(), filepath.Join(root, "a.pgm"), Frame{Size: in})
	if err != nil || !slices.Equal(v, column(ramp(4, 4))) {
		t.Errorf("values %v, error %v", v, err)
	}
	if _, err := ReadImage(t.Context(), root, Frame{Size: in}); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("error %v", err)
	}
	if _, err := ReadImage(t.Context(), filepath.Join(root, "none.pgm"), Frame{Size: in}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func BenchmarkDecodeImage(b *testing.B) {
	for name, data := range map[string][]byte{
		"PGM 92x112": asPGM(ramp(112, 92)), "JPEG 250x250": asJPEG(smooth(250, 250)), "JPEG 4000x3000": asJPEG(smooth(3000, 4000)),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := DecodeImage(b.Context(), data, name, Frame{Size: DefaultSize}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// An image that the decoder does not know is not called damaged.
func TestUnsupportedIsNotDamaged(t *testing.T) {
	err := format{name: "TIFF"}.explain(t.Context(), errors.New("tiff: unsupported feature: compression value 7"))
	if got := err.Error(); got != "this kind of TIFF is not supported: tiff: unsupported feature: compression value 7" ||
		advice.Text(err) == "" {
		t.Errorf("error %q, hint %q", got, advice.Text(err))
	}
}
