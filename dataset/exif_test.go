package dataset

import (
	"image"
	"image/color"
	"math/rand/v2"
	"testing"
)

// TestUprightNaively compares with a call for each pixel, in images whose corner
// is not at (0, 0).
func TestUprightNaively(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	all := image.Rect(0, 0, 83, 61)
	nrgba, ycbcr, grey := image.NewNRGBA(all), image.NewYCbCr(all, image.YCbCrSubsampleRatio420), image.NewGray(all)
	for _, pix := range [][]byte{nrgba.Pix, ycbcr.Y, ycbcr.Cb, ycbcr.Cr, grey.Pix} {
		for i := range pix {
			pix[i] = byte(r.Uint32())
		}
	}
	part := image.Rect(6, 4, 79, 55)
	for name, img := range map[string]image.Image{"NRGBA": nrgba.SubImage(part), "YCbCr": ycbcr.SubImage(part), "grey": grey.SubImage(part)} {
		for o := orientation(2); o <= 8; o++ {
			got := o.upright(img)
			want := image.Rect(0, 0, part.Dx(), part.Dy())
			if o.turned() {
				want = image.Rect(0, 0, part.Dy(), part.Dx())
			}
			if got.Bounds() != want {
				t.Fatalf("%s of orientation %d: %v", name, o, got.Bounds())
			}
			for y := range want.Dy() {
				for x := range want.Dx() {
					sy, sx := o.stored(y, x, part.Dy(), part.Dx())
					c := color.NRGBAModel.Convert(img.At(part.Min.X+sx, part.Min.Y+sy))
					if got.At(x, y) != c {
						t.Fatalf("%s of orientation %d: (%d, %d) is %v, want %v", name, o, x, y, got.At(x, y), c)
					}
				}
			}
		}
	}
}

func BenchmarkUpright(b *testing.B) {
	img := image.NewYCbCr(image.Rect(0, 0, 4000, 3000), image.YCbCrSubsampleRatio420)
	for b.Loop() {
		orientation(6).upright(img)
	}
}
