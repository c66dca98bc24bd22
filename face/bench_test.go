package face

import (
	"bytes"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"os"
	"testing"

	xdraw "golang.org/x/image/draw"

	"nrdl/dataset"
	"nrdl/internal/realdata"
)

// BenchmarkRead goes from the bytes of a photograph to its crop.
func BenchmarkRead(b *testing.B) {
	gt := realdata.Path(b, "photos", "gt_db", "s02", "04.jpg")
	lfw := realdata.Path(b, "photos", "lfw_colour15", "train", "Kofi_Annan", "Kofi_Annan_0001.jpg")
	for name, data := range map[string][]byte{
		"640x480": read(b, gt), "250x250": read(b, lfw), "4000x3000": enlarged(b, read(b, gt), 4000, 3000),
		"640x480 upside down": upsideDown(b, read(b, gt)),
	} {
		b.Run(name, func(b *testing.B) {
			r := &Reader{Limits: DefaultLimits, Which: Largest, Cut: Cut{Frame: dataset.Frame{Size: dataset.Size{Height: 64, Width: 64}, Eyes: dataset.DefaultEyes}}}
			r.Limits.Angle = 180
			b.ReportAllocs()
			for b.Loop() {
				if _, err := r.Read(data, name); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// upsideDown returns the photograph in data turned, for which all turns are
// tried.
func upsideDown(t testing.TB, data []byte) []byte {
	t.Helper()
	img, err := dataset.DecodeGrey(data, "")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, view{img, similarity{a: 1}}.turned(180).Gray, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// enlarged returns the photograph in data as a JPEG of w×h pixels, with the
// noise of a camera, which takes its time to decode.
func enlarged(t testing.TB, data []byte, w, h int) []byte {
	t.Helper()
	img, err := dataset.DecodePhoto(data, "")
	if err != nil {
		t.Fatal(err)
	}
	large := image.NewRGBA(image.Rect(0, 0, w, h))
	xdraw.ApproxBiLinear.Scale(large, large.Rect, img, img.Bounds(), xdraw.Src, nil)
	r := rand.New(rand.NewPCG(1, 1))
	for i, v := range large.Pix {
		large.Pix[i] = byte(max(0, min(255, int(v)+r.IntN(15)-7)))
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, large, &jpeg.Options{Quality: 93}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
