package dataset

import (
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// TestUprightNaively compares with a call for each pixel, in images whose corner is not at
// (0, 0), and the grey values and colours with those of the Photo that knows how the image
// is stored.
func TestUprightNaively(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	random := func(planes ...[]byte) {
		for _, pix := range planes {
			for i := range pix {
				pix[i] = byte(r.Uint32())
			}
		}
	}
	all, part := image.Rect(0, 0, 51, 45), image.Rect(6, 4, 47, 41) // more than one block of pixels
	grey, grey16, paletted, cmyk := image.NewGray(all), image.NewGray16(all),
		image.NewPaletted(all, make(color.Palette, 256)), image.NewCMYK(all)
	rgba, nrgba, rgba64, nrgba64 := image.NewRGBA(all), image.NewNRGBA(all), image.NewRGBA64(all), image.NewNRGBA64(all)
	alpha := image.NewNYCbCrA(all, image.YCbCrSubsampleRatio420)
	random(grey.Pix, grey16.Pix, paletted.Pix, cmyk.Pix, nrgba.Pix, nrgba64.Pix, alpha.Y, alpha.Cb, alpha.Cr, alpha.A)
	for i := range paletted.Palette {
		paletted.Palette[i] = color.NRGBA{byte(i), byte(7 * i), byte(31 * i), byte(255 - i)}
	}
	for y := range all.Dy() { // the values of the others go with their alpha
		for x := range all.Dx() {
			rgba.Set(x, y, nrgba.At(x, y))
			rgba64.Set(x, y, nrgba64.At(x, y))
		}
	}
	images := []image.Image{
		grey.SubImage(part), grey16.SubImage(part), paletted.SubImage(part), cmyk.SubImage(part), rgba.SubImage(part),
		nrgba.SubImage(part), rgba64.SubImage(part), nrgba64.SubImage(part), alpha.SubImage(part),
	}
	for _, ratio := range []image.YCbCrSubsampleRatio{
		image.YCbCrSubsampleRatio444, image.YCbCrSubsampleRatio422,
		image.YCbCrSubsampleRatio420, image.YCbCrSubsampleRatio440,
	} {
		m := image.NewYCbCr(all, ratio)
		random(m.Y, m.Cb, m.Cr)
		images = append(images, m.SubImage(part))
	}
	for _, img := range images {
		for o := orientation(1); o <= 8; o++ {
			got := o.upright(img)
			name, b := fmt.Sprintf("%T of orientation %d", img, o), got.Bounds()
			if want := o.uprightBounds(part); b.Size() != want.Size() {
				t.Fatalf("%s: %v", name, b)
			}
			for y := range b.Dy() {
				for x := range b.Dx() {
					sy, sx := o.source(y, x, part.Dy(), part.Dx())
					if c, want := got.At(b.Min.X+x, b.Min.Y+y),
						img.At(part.Min.X+sx, part.Min.Y+sy); color.RGBA64Model.Convert(c) != color.RGBA64Model.Convert(want) {
						t.Fatalf("%s: (%d, %d) is %v, want %v", name, x, y, c, want)
					}
				}
			}
			stored, upright := &Photo{o.upright(grey8(img)).(*image.Gray), img, o}, NewPhoto(got)
			if !reflect.DeepEqual(stored.Channels(stored.Grey.Rect), upright.Channels(upright.Grey.Rect)) {
				t.Errorf("%s has other colours", name)
			}
			for y := range b.Dy() {
				for x := range b.Dx() {
					if stored.Grey.GrayAt(x, y) != upright.Grey.GrayAt(x, y) {
						t.Fatalf("%s has other grey values", name)
					}
				}
			}
			f := Frame{Size: Size{Height: b.Dy(), Width: b.Dx()}}
			if want := o.sample(greyOf(img), f); !slices.Equal(Sample(got, f), want) {
				t.Errorf("%s is sampled otherwise", name)
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
