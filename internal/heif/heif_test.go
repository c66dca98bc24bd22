package heif

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func file(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func pattern(t testing.TB) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(file(t, "pattern.png")))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// distance is the root mean square difference of the colours of a and of b, whose
// pixels at gives.
func distance(a image.Image, b func(x, y int) color.Color) float64 {
	var sum float64
	r := a.Bounds()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			p, q := color.RGBAModel.Convert(a.At(x, y)).(color.RGBA), color.RGBAModel.Convert(b(x, y)).(color.RGBA)
			for _, d := range [][2]uint8{{p.R, q.R}, {p.G, q.G}, {p.B, q.B}} {
				e := float64(d[0]) - float64(d[1])
				sum += e * e / 3
			}
		}
	}
	return math.Sqrt(sum / float64(r.Dx()*r.Dy()))
}

// The files were made of pattern.png by heif-enc of libheif 1.15.1; turned.heic
// and mirrored.heic have a property irot or imir besides.
func TestDecode(t *testing.T) {
	img := pattern(t)
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	for name, at := range map[string]func(x, y int) color.Color{
		"pattern.heic":   img.At,
		"thumbnail.heic": img.At,
		"turned.heic":    func(x, y int) color.Color { return img.At(y, h-1-x) },
		"mirrored.heic":  func(x, y int) color.Color { return img.At(w-1-x, y) },
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Decode(t.Context(), file(t, name))
			if err != nil {
				t.Fatal(err)
			}
			size := image.Pt(w, h)
			if name == "turned.heic" {
				size = image.Pt(h, w)
			}
			if got.Bounds().Size() != size {
				t.Fatalf("%v, want %v", got.Bounds(), size)
			}
			if d := distance(got, at); d > 12 { // heif-convert, which smooths the chroma, differs by 7.3
				t.Errorf("differs from the pattern by %.1f", d)
			}
		})
	}
}

func TestConfig(t *testing.T) {
	for _, name := range []string{"pattern.heic", "thumbnail.heic", "turned.heic"} {
		c, err := Config(file(t, name))
		if err != nil || c.Width != 192 || c.Height != 144 {
			t.Errorf("%s: %d×%d, %v", name, c.Width, c.Height, err)
		}
	}
	for text, data := range map[string][]byte{
		"below 128 pixels a side": file(t, "small.heic"),
		"no still image":          []byte("\x00\x00\x00\x18ftypmsf1\x00\x00\x00\x00msf1hevc"),
		"fit together":            []byte("\x00\x00\x00\x03ftypheic\x00\x00\x00\x00"),
	} {
		if _, err := Config(data); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("want %q, got %v", text, err)
		}
	}
	if Video(file(t, "pattern.heic")) || !Video(file(t, "video.heic")) {
		t.Error("the range of the values is not told")
	}
}

// A damaged file costs itself only.
func TestDamagedConcurrent(t *testing.T) {
	good := file(t, "pattern.heic")
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			data := bytes.Clone(good)
			switch i % 3 {
			case 0:
				if _, err := Decode(t.Context(), data); err != nil {
					t.Error(err)
				}
				return
			case 1:
				data = data[:len(data)*i/12]
			case 2:
				for j := 300 + i; j < len(data); j += 37 {
					data[j] ^= 0xff
				}
			}
			if img, err := Decode(t.Context(), data); err == nil && img.Bounds().Empty() {
				t.Error("no image and no error")
			}
		})
	}
	wg.Wait()
}

// A process that is gone is replaced.
func TestProcessEnds(t *testing.T) {
	data := file(t, "pattern.heic")
	if _, err := Decode(t.Context(), data); err != nil {
		t.Fatal(err)
	}
	pool.Lock()
	for _, p := range pool.waiting {
		p.command.Process.Kill()
	}
	pool.Unlock()
	if _, err := Decode(t.Context(), data); err != nil {
		t.Error(err)
	}
}

func TestServe(t *testing.T) {
	if r := answer([]byte("nothing")); r.Err == "" {
		t.Error("no error")
	}
	if _, err := (&reply{}).image(); err == nil {
		t.Error("an empty reply is an image")
	}
}

func FuzzConfig(f *testing.F) {
	for _, name := range []string{"pattern.heic", "thumbnail.heic", "turned.heic"} {
		f.Add(file(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Config(data)
		if err == nil && (c.Width < minSide || c.Height < minSide) {
			t.Errorf("%d×%d", c.Width, c.Height)
		}
		Video(data)
	})
}
