package libjpeg

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var small = Size{Pixels: 75 * 53, Samples: 3 * 80 * 64, Visits: 30 * 80 * 64}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// wrong returns the rows of img in which a colour is further than 2 from that of the file name.
func wrong(t *testing.T, img image.Image, name string) (rows []int) {
	t.Helper()
	want, err := png.Decode(bytes.NewReader(read(t, name)))
	if err != nil {
		t.Fatal(err)
	}
	if img.Bounds() != want.Bounds() {
		t.Fatalf("%s: %v, want %v", name, img.Bounds(), want.Bounds())
	}
	near := func(a, b uint8) bool { return max(a, b)-min(a, b) <= 2 }
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			p, q := color.RGBAModel.Convert(img.At(x, y)).(color.RGBA), color.RGBAModel.Convert(want.At(x, y)).(color.RGBA)
			if !near(p.R, q.R) || !near(p.G, q.G) || !near(p.B, q.B) {
				rows = append(rows, y)
				break
			}
		}
	}
	return rows
}

// All forms have the pixels that djpeg gives. They were made by cjpeg of libjpeg-turbo 2.1.5 of
// faces/heic/testdata/pattern.png at 75×53 pixels, the PNG files by djpeg.
func TestForms(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.png")
	if len(files) < 10 {
		t.Fatalf("files %q", files)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".png")
		img, lost, damaged, err := Decode(t.Context(), read(t, name+".jpg"), small)
		if err != nil || lost != 0 || damaged {
			t.Errorf("%s: %d rows lost, damaged %v, error %v", name, lost, damaged, err)
			continue
		}
		if rows := wrong(t, img, name+".png"); rows != nil {
			t.Errorf("%s: rows %v differ from djpeg's", name, rows)
		}
	}
	img, _, _, err := Decode(t.Context(), read(t, "cmyk.jpg"), Size{Pixels: 75 * 53, Samples: 4 * 80 * 64, Visits: 4 * 80 * 64})
	if m, ok := img.(*image.CMYK); !ok || err != nil {
		t.Errorf("CMYK: %T, %v", img, err)
	} else if r, g, b, _ := m.At(56, 37).RGBA(); r+g+b > 3*0xf000 || r+g+b < 0x1000 {
		t.Errorf("CMYK: colour %x %x %x", r, g, b)
	}
}

// without removes the segments of a marker.
func without(data []byte, marker byte) []byte {
	var out []byte
	for at := 2; ; {
		n := 2 + int(data[at+2])<<8 + int(data[at+3])
		if data[at+1] != marker {
			out = append(out, data[at:at+n]...)
		}
		if at += n; data[at-n+1] == 0xda {
			return slices.Concat(data[:2], out, data[at:])
		}
	}
}

// Of a damaged file the rows are used that are there, if they are half of them or more; the rest
// is counted.
func TestDamage(t *testing.T) {
	plain, restart, progressive := read(t, "plain.jpg"), read(t, "restart.jpg"), read(t, "progressive-restart.jpg")
	body := bytes.Index(plain, []byte{0xff, 0xda})
	cut := func(data []byte, share float64) []byte { return data[:body+int(share*float64(len(data)-body))] }
	tail := func(data []byte, share float64, b byte) []byte {
		return append(slices.Clone(cut(data, share)), bytes.Repeat([]byte{b}, 500)...)
	}
	lostMarker := slices.Clone(restart)
	i := bytes.LastIndex(lostMarker[:bytes.LastIndex(lostMarker, []byte{0xff, 0xd1})], []byte{0xff, 0xd0})
	lostMarker = slices.Delete(lostMarker, i, i+2)
	for name, c := range map[string]struct {
		data    []byte
		like    string
		lost    int // rows at most; all are lost where it is 53
		damaged bool
	}{
		"no end":                 {plain[:len(plain)-2], "plain", 0, true},
		"cut":                    {cut(plain, 0.9), "plain", 16, true},
		"zeros at the end":       {tail(plain, 0.9, 0), "plain", 16, true},
		"ones at the end":        {tail(plain, 0.9, 0xff), "plain", 16, true},
		"zeros behind":           {append(slices.Clone(plain), make([]byte, 500)...), "plain", 0, false},
		"no tables":              {without(plain, 0xc4), "", 0, false},
		"lost marker":            {lostMarker, "restart", 24, true},
		"cut progressive":        {cut(progressive, 0.95), "", 0, true},
		"cut in a scan's header": {progressive[:bytes.LastIndex(progressive, []byte{0xff, 0xda})+5], "", 0, true},
		"a third":                {cut(plain, 0.3), "", 53, true},
		"a third, zeros":         {tail(plain, 0.3, 0), "", 53, true},
		"little progressive":     {progressive[:280], "", 53, true},
	} {
		img, lost, damaged, err := Decode(t.Context(), c.data, small)
		if c.lost == 53 {
			if err == nil || errors.Is(err, ErrUnsupported) {
				t.Errorf("%s: %d rows lost, error %v", name, lost, err)
			}
			continue
		}
		if err != nil || lost > c.lost || damaged != c.damaged {
			t.Errorf("%s: %d rows lost, damaged %v, error %v", name, lost, damaged, err)
			continue
		}
		if c.like == "" {
			continue
		}
		if rows := wrong(t, img, c.like+".png"); len(rows) > lost+2 { // smoothing of colours reaches a row beyond
			t.Errorf("%s: rows %v are wrong, %d reported", name, rows, lost)
		}
	}
}

// What may be legal is not called damaged.
func TestUnsupported(t *testing.T) {
	data := read(t, "plain.jpg")
	frame := bytes.Index(data, []byte{0xff, 0xc0})
	lossless, twelve := slices.Clone(data), slices.Clone(data)
	lossless[frame+1] = 0xc3
	twelve[frame+1], twelve[frame+4] = 0xc1, 12
	for name, data := range map[string][]byte{"lossless": lossless, "12 bits": twelve} {
		if _, _, _, err := Decode(t.Context(), data, small); !errors.Is(err, ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, _, err := Decode(t.Context(), data[:100], small); err == nil || errors.Is(err, ErrUnsupported) {
		t.Errorf("100 bytes: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, name := range []string{"plain.jpg", "arithmetic-progressive.jpg", "progressive-restart.jpg", "cmyk.jpg"} {
		f.Add(read(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		img, lost, _, err := Decode(t.Context(), data, small)
		if err == nil && (img.Bounds().Empty() || 2*lost > img.Bounds().Dy()) {
			t.Errorf("%v, %d rows lost", img.Bounds(), lost)
		}
	})
}
