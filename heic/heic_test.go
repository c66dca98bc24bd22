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

	"github.com/tetratelabs/wazero"

	"nrdl.example/nrdl/internal/metadata"
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
		"no still image": []byte("\x00\x00\x00\x18ftypmsf1\x00\x00\x00\x00msf1hevc"),
		"fit together":   []byte("\x00\x00\x00\x03ftypheic\x00\x00\x00\x00"),
	} {
		if _, err := DecodeConfig(data); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("want %q, got %v", text, err)
		}
	}
	if hasVideoRange(file(t, "pattern.heic")) || !hasVideoRange(file(t, "video.heic")) {
		t.Error("the range of the values is not told")
	}
}

// Pixels are those that they always were, on every system and in every program.
func TestPixels(t *testing.T) {
	for name, want := range map[string]string{
		"pattern.heic":  "c80b651682c4552d",
		"turned.heic":   "57e81df2229a866b",
		"mirrored.heic": "f06718142d30b818",
		"small.heic":    "43d45efde55eb0f2",
		"pattern.avif":  "f8b357a85393b26e",
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
		for _, size := range []string{"\xff\xff\xff\xff\xff\xff\xff\xff", "\x80\x00\x00\x00\x80\x00\x00\x00", "\x00\x00\x20\x01\x00\x00\x20\x00"} {
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

// A run ends at the next check when its work is used up or its context is done.
func TestRunEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, c := range []struct {
		name string
		stop func(*run)
		want error
	}{
		{"work", func(r *run) { r.turns = 0 }, errTurns},
		{"context", func(*run) { cancel() }, context.Canceled},
	} {
		err := heif.do(ctx, 1<<20, func(r *run) {
			c.stop(r)
			for i := 0; i < 1000 && r.err == nil; i++ {
				decodeHEIF(r, file(t, "pattern.heic"))
			}
		})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// In looping, run(n) turns a loop until n, which it counts down, is 0.
const looping = "\x00asm\x01\x00\x00\x00" +
	"\x01\x05\x01\x60\x01\x7f\x00" + // type (i32) → ()
	"\x02\x0f\x01\x01w\x09proc_exit\x00\x00" +
	"\x03\x02\x01\x00" + // one function of that type
	"\x06\x06\x01\x7f\x01\x41\x00\x0b" + // a global
	"\x07\x07\x01\x03run\x00\x01" +
	"\x0a\x10\x01\x0e\x00\x03\x40\x20\x00\x41\x01\x6b\x22\x00\x0d\x00\x0b\x0b"

// A loop of n turns calls the host once in stepsPerCheck of them.
func TestMeter(t *testing.T) {
	program := []byte(looping)
	metered, err := meter(program, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code  []byte
		turns int
		want  int
	}{{program, 3*stepsPerCheck + 5, 0}, {metered, stepsPerCheck - 1, 0}, {metered, stepsPerCheck, 1}, {metered, 3*stepsPerCheck + 5, 3}} {
		checks := 0
		runtime := wazero.NewRuntime(t.Context())
		_, err := runtime.NewHostModuleBuilder("w").NewFunctionBuilder().WithFunc(func(code uint32) {
			if code == checkCode {
				checks++
			}
		}).Export("proc_exit").Instantiate(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		m, err := runtime.Instantiate(t.Context(), c.code)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.ExportedFunction("run").Call(t.Context(), uint64(c.turns)); err != nil || checks != c.want {
			t.Errorf("%d turns: %d checks, want %d (%v)", c.turns, checks, c.want, err)
		}
		runtime.Close(t.Context())
	}
	without := bytes.Replace(program, []byte("proc_exit"), []byte("proc_exot"), 1)
	for _, bad := range [][]byte{nil, {0}, program[:len(program)-3], without, heifProgram} {
		if _, err := meter(bad, nil); err == nil {
			t.Errorf("%d bytes that are no program with proc_exit are metered", len(bad))
		}
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
		hasVideoRange(data)
		_, _ = metadata.Transforms(data)
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
