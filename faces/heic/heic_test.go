package heic

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"nrdl.example/nrdl/internal/kit/metadata"
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

// The files were made of pattern.png by heif-enc of libheif 1.15.1 and avifenc of
// libavif 0.11.1; heif-convert shows them as here. turned.heic, mirrored.heic and
// turned.avif have the properties irot or imir, or both; turned10.avif has 10 bits.
func TestDecode(t *testing.T) {
	img := pattern(t)
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	for name, at := range map[string]func(x, y int) color.Color{
		"pattern.heic":   img.At,
		"thumbnail.heic": img.At,
		"turned.heic":    func(x, y int) color.Color { return img.At(y, h-1-x) },
		"mirrored.heic":  func(x, y int) color.Color { return img.At(w-1-x, y) },
		"pattern.avif":   img.At,
		"turned10.avif":  func(x, y int) color.Color { return img.At(y, h-1-x) },
		"turned.avif":    func(x, y int) color.Color { return img.At(y, x) },
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Decode(t.Context(), file(t, name))
			if err != nil {
				t.Fatal(err)
			}
			size := image.Pt(w, h)
			if strings.HasPrefix(name, "turned") {
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
		c, err := DecodeConfig(file(t, name))
		if err != nil || c.Width != 192 || c.Height != 144 {
			t.Errorf("%s: %d×%d, %v", name, c.Width, c.Height, err)
		}
	}
	for text, data := range map[string][]byte{
		"a sequence of images, without a still one": []byte("\x00\x00\x00\x18ftypmsf1\x00\x00\x00\x00msf1hevc\x00\x00\x00\x08moov"),

		"no still image": []byte("\x00\x00\x00\x18ftypmsf1\x00\x00\x00\x00msf1hevc"),
		"fit together":   []byte("\x00\x00\x00\x03ftypheic\x00\x00\x00\x00"),
	} {
		if _, err := DecodeConfig(data); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("want %q, got %v", text, err)
		}
	}
	for name, want := range map[string]bool{"pattern.heic": false, "video.heic": true} {
		if f, err := read(file(t, name)); err != nil || f.videoRange != want {
			t.Errorf("%s: the values are those of video: %v (%v)", name, !want, err)
		}
	}
}

// Pixels are those that they always were, on every system and in every program.
func TestPixels(t *testing.T) {
	for name, want := range map[string]string{
		"pattern.heic":  "35a6df46b53ae334",
		"turned.heic":   "4c1be7e419a6f736",
		"mirrored.heic": "755749fbf24c2c37",
		"small.heic":    "c48008f153e4ccb5",
		"pattern.avif":  "de3f5c8e7700f70e",
	} {
		img, err := Decode(t.Context(), file(t, name))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.New()
		switch m := img.(type) {
		case *image.YCbCr:
			sum.Write(slices.Concat(m.Y, m.Cb, m.Cr))
		case *image.RGBA:
			sum.Write(m.Pix)
		default:
			t.Fatalf("%s: %T", name, img)
		}
		if got := fmt.Sprintf("%x", sum.Sum(nil)[:8]); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// The rows of an image of fewer than 128 pixels are longer in the decoder's memory.
func TestSmall(t *testing.T) {
	got, err := Decode(t.Context(), file(t, "small.heic"))
	if err != nil {
		t.Fatal(err)
	}
	img := pattern(t)
	half := func(x, y int) color.Color { // small.heic shows the pattern at half its size
		var sum [3]uint32
		for i := range 4 {
			r, g, b, _ := img.At(2*x+i%2, 2*y+i/2).RGBA()
			sum[0], sum[1], sum[2] = sum[0]+r, sum[1]+g, sum[2]+b
		}
		return color.RGBA64{uint16(sum[0] / 4), uint16(sum[1] / 4), uint16(sum[2] / 4), math.MaxUint16}
	}
	if d := distance(got, half); got.Bounds() != image.Rect(0, 0, 96, 72) || d > 12 {
		t.Errorf("%v differs from the pattern by %.1f", got.Bounds(), d)
	}
}

// A size whose product does not fit into 64 bits is too large as others are.
func TestHugeSize(t *testing.T) {
	for _, name := range []string{"pattern.heic", "pattern.avif"} {
		data := file(t, name)
		i := bytes.Index(data, []byte("ispe"))
		for _, size := range []string{
			"\xff\xff\xff\xff\xff\xff\xff\xff", "\x80\x00\x00\x00\x80\x00\x00\x00",
			"\x00\x00\x20\x01\x00\x00\x20\x00",
		} {
			copy(data[i+8:], size)
			if _, err := Decode(t.Context(), data); err == nil || !strings.Contains(err.Error(), "too many pixels") {
				t.Errorf("%s, %x: %v", name, size, err)
			}
		}
	}
}

func TestCancelled(t *testing.T) {
	stopped, stop := context.WithCancelCause(t.Context())
	reason := errors.New("the client left")
	stop(reason)
	if _, err := Decode(stopped, file(t, "pattern.heic")); !errors.Is(err, reason) {
		t.Error(err)
	}
}

// A damaged file costs itself only.
func TestDamagedConcurrent(t *testing.T) {
	good := file(t, "small.heic")
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			data := bytes.Clone(good)
			switch i % 3 {
			case 0:
				if _, err := Decode(t.Context(), data); err != nil {
					t.Error(err)
				}
				return
			case 1:
				data = data[:len(data)*i/6]
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

func FuzzConfig(f *testing.F) {
	for _, name := range []string{"pattern.heic", "thumbnail.heic", "turned.heic"} {
		f.Add(file(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := DecodeConfig(data)
		if err == nil && (c.Width <= 0 || c.Height <= 0) {
			t.Errorf("%d×%d", c.Width, c.Height)
		}
		_, _ = metadata.Read(bytes.NewReader(data), int64(len(data)))
	})
}

func FuzzDecode(f *testing.F) {
	for _, name := range []string{"pattern.heic", "turned.heic", "small.heic", "pattern.avif", "turned10.avif"} {
		f.Add(file(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := DecodeConfig(data)
		if err != nil || c.Width > 1<<18/c.Height {
			return
		}
		if img, err := Decode(t.Context(), data); err == nil && img.Bounds().Empty() {
			t.Error("no image and no error")
		}
	})
}
