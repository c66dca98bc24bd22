package dataset

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/advice"
)

// The first picture of an animation, and BMP of later versions, with masks or runs, are what
// they were made of: faces/internal/tiff/testdata/pattern.png, by img2webp 1.2.4 and ImageMagick 6.9.
func TestFilesOfOthers(t *testing.T) {
	want, err := ReadPhoto(t.Context(), filepath.Join("..", "internal", "tiff", "testdata", "pattern.png"))
	if err != nil {
		t.Fatal(err)
	}
	expected := NewPhoto(want).Channels(want.Bounds())
	for name, off := range map[string]float64{
		"webp_animated": 6, "webp_animated_lossless": 0, "bmp_v5": 0, "bmp_v4_alpha": 0, "bmp_v5_565": 5, "bmp_rle": 12, "tiff_ycbcr_jpeg": 6,
	} {
		data, err := os.ReadFile(filepath.Join("testdata", "seeds", "FuzzDecodeImage", name))
		if err != nil {
			t.Fatal(err)
		}
		img, err := DecodePhoto(t.Context(), data, name)
		if err != nil || img.Bounds() != want.Bounds() {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var sum float64
		for i, channel := range NewPhoto(img).Channels(want.Bounds()) {
			for k, v := range channel.Pix {
				sum += math.Abs(float64(v) - float64(expected[i].Pix[k]))
			}
		}
		if d := sum / float64(3*len(expected[0].Pix)); d > off {
			t.Errorf("%s: off by %.2f", name, d)
		}
	}
}

// A picture that is smaller than its animation lies at its place.
func TestFirstPictureAtItsPlace(t *testing.T) {
	still := webpLossless(9, 7)
	frame := slices.Concat([]byte{2, 0, 0, 1, 0, 0, 8, 0, 0, 6, 0, 0, 0, 0, 0, 0}, still[12:]) // at (4, 2)
	data := webpChunk("RIFF", slices.Concat([]byte("WEBP"),
		webpChunk("VP8X", []byte{2, 0, 0, 0, 19, 0, 0, 14, 0, 0}), webpChunk("ANIM", make([]byte, 6)), webpChunk("ANMF", frame)))
	whole, err := DecodePhoto(t.Context(), data, "x")
	if err != nil || whole.Bounds() != image.Rect(0, 0, 20, 15) {
		t.Fatalf("%v, error %v", whole, err)
	}
	picture, err := DecodePhoto(t.Context(), still, "x")
	if err != nil {
		t.Fatal(err)
	}
	want := image.NewRGBA(whole.Bounds())
	draw.Draw(want, image.Rect(4, 2, 13, 9), picture, image.Point{}, draw.Src)
	if got := whole.(*image.RGBA); !bytes.Equal(got.Pix, want.Pix) {
		t.Error("it is elsewhere")
	}
}

// sized is the beginning of a JPEG of 4:2:0 that claims such a size.
func sized(marker byte, w, h int) []byte {
	return slices.Concat([]byte{0xff, 0xd8, 0xff, marker, 0, 17, 8}, binary.BigEndian.AppendUint16(nil, uint16(h)),
		binary.BigEndian.AppendUint16(nil, uint16(w)),
		[]byte{3, 1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0, 0xff, 0xda, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 63, 0})
}

// long makes data as long as a large photograph.
func long(data []byte) []byte { return append(data, make([]byte, 1<<20)...) }

// A JPEG is bounded by the memory that decoding takes, which is more if it is progressive.
func TestLargeJPEG(t *testing.T) {
	const baseline, progressive = 0xc0, 0xc2
	for name, c := range map[string]struct {
		data   []byte
		memory int64 // in MB
		want   string
	}{
		"108":              {sized(baseline, 12000, 9000), 162, ""},
		"200":              {sized(baseline, 16320, 12240), 299, ""},
		"200, turned":      {jpegWith(sized(baseline, 16320, 12240), exifOf(6, binary.BigEndian)), 499, ""},
		"250":              {sized(baseline, 18256, 13690), 374, ""},
		"251":              {sized(baseline, 18300, 13740), 0, "250 million"},
		"108, progressive": {sized(progressive, 12000, 9000), 810, ""},
		"200, progressive": {sized(progressive, 16320, 12240), 0, "takes 1498 MB of memory; at most 1200 MB"},
	} {
		memory, err := DecodingMemory(long(c.data), "x")
		if c.want == "" && (err != nil || math.Abs(float64(memory)/1e6-float64(c.memory)) > 1.5) {
			t.Errorf("%s: %d bytes, error %v", name, memory, err)
		}
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || advice.Text(err) == "") {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// The memory for images is one for all: who wants more than is left waits for it, or for the end
// of its context. What is decoded with memory that is held does not wait.
func TestReserve(t *testing.T) {
	data := long(sized(0xc2, 12000, 9000)) // 810 MB, of 1200
	ctx, done := Reserve(t.Context(), data)
	_, small := Reserve(t.Context(), asPNG(ramp(4, 4))) // does not wait
	small()
	other, cancel := context.WithCancel(t.Context())
	waited := make(chan bool)
	go func() {
		_, done := Reserve(other, data)
		done()
		close(waited)
	}()
	if budget().TryAcquire(MaxDecoding / 2) {
		t.Error("the memory is not held")
	}
	_, again := Reserve(ctx, data) // does not wait
	again()
	cancel()
	<-waited
	done()
	if !budget().TryAcquire(Budget()) {
		t.Fatal("the memory is not free again")
	}
	budget().Release(Budget())
}

// The memory for images follows the limit of the process, and a file of few bytes has no more
// than a photograph of its size takes.
func TestBudget(t *testing.T) {
	for limit, want := range map[int64]int64{
		math.MaxInt64: MaxDecoding, 8 << 30: MaxDecoding,
		300_000_000: 228_000_000, 50_000_000: minBudget,
	} {
		if got := budgetFor(limit); got != want {
			t.Errorf("of %d bytes %d are for images, want %d", limit, got, want)
		}
	}
	flat := sized(0xc2, 9000, 9000) // 607 MB
	if _, err := DecodingMemory(append(flat, make([]byte, 90_000)...), "x"); err == nil || !strings.Contains(err.Error(), "for a file of 90") {
		t.Errorf("a photograph of 81 megapixels in 90 kB: %v", err)
	}
	if _, err := DecodingMemory(append(flat, make([]byte, 180_000)...), "x"); err != nil {
		t.Errorf("in 180 kB: %v", err)
	}
}

// Every format ends with its context, and says why.
func TestDecodingEnds(t *testing.T) {
	gone := errors.New("the client has left")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	files, err := filepath.Glob(filepath.Join("testdata", "seeds", "FuzzDecodeImage", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := DecodeColour(t.Context(), data, name); err != nil {
			continue
		}
		if _, err := DecodeColour(ctx, data, name); !errors.Is(err, gone) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// Who reads a large image has the answer when the context ends, though the decoder does not
// look at it; the next large image waits until that decoder has ended.
func TestLargeImagesAreLeftBehind(t *testing.T) {
	was := heicDecoder.Load()
	defer heicDecoder.Store(was)
	gone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	release := make(chan struct{})
	UseHEIC(Decoder{
		Config: func(context.Context, []byte) (image.Config, error) {
			return image.Config{ColorModel: color.GrayModel, Width: 5000, Height: 5000}, nil
		},
		Decode: func(context.Context, []byte) (image.Image, error) {
			cancel(gone)
			<-release
			panic("too late to be of use")
		},
	})
	_, err := DecodePhoto(ctx, long([]byte("\x00\x00\x00\x18ftypheic")), "drawn")
	if !errors.Is(err, gone) {
		t.Errorf("error %v", err)
	}
	if len(large) != 1 {
		t.Error("the next large image does not wait for the decoder")
	}
	close(release)
	done, err := large.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	done()
}

// Of a TIFF with several pages the first is read, and a warning says so.
func TestPagesOfTIFF(t *testing.T) {
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join("..", "internal", "tiff", "testdata", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	want, err := DecodePhoto(t.Context(), read("pattern.png"), "x")
	if err != nil {
		t.Fatal(err)
	}
	for name, warnings := range map[string]int{"seeds/FuzzDecode/thumbnail_first.tif": 0, "pages.tif": 1} {
		var warned []error
		img, err := DecodePhoto(WithWarnings(t.Context(), func(err error) { warned = append(warned, err) }), read(name), name)
		if err != nil || img.Bounds() != want.Bounds() || len(warned) != warnings {
			t.Errorf("%s: %v, error %v, warnings %v", name, img, err, warned)
		}
	}
	if _, err := DecodePhoto(t.Context(), read("refused/float.tif"), "x"); err == nil ||
		!strings.Contains(err.Error(), "not supported: samples that are floating-point numbers") {
		t.Errorf("error %v", err)
	}
}

// Legal kinds of JPEG that are not read are not called damaged.
func TestKindsOfJPEG(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"lossless": {sized(0xc3, 96, 80), "not supported: Unsupported JPEG process"},
		"no lines": {sized(0xc0, 96, 0), "not supported: its height stands behind the pixels (DNL)"},
		"12 bits":  {bytes.Replace(sized(0xc1, 96, 80), []byte{17, 8}, []byte{17, 12}, 1), "not supported: Unsupported JPEG data precision 12"},
	} {
		if _, err := DecodePhoto(t.Context(), append(c.data, make([]byte, 1000)...), name); err == nil ||
			!strings.Contains(err.Error(), "this kind of JPEG is "+c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
