package dataset

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"testing"
)

// A colour becomes red, green and blue whatever an image is made of; what is
// transparent lies over white.
func TestChannels(t *testing.T) {
	r := image.Rect(3, 5, 7, 8) // corners need not be at 0
	opaque := color.NRGBA{200, 100, 40, 255}
	for name, c := range map[string]struct {
		img  draw.Image
		in   color.Color
		want [3]uint8
		off  float64
	}{
		"RGBA":        {image.NewRGBA(r), opaque, [3]uint8{200, 100, 40}, 0},
		"NRGBA":       {image.NewNRGBA(r), opaque, [3]uint8{200, 100, 40}, 0},
		"16 bits":     {image.NewRGBA64(r), opaque, [3]uint8{200, 100, 40}, 0},
		"grey":        {image.NewGray(r), color.Gray{77}, [3]uint8{77, 77, 77}, 0},
		"grey 16":     {image.NewGray16(r), color.Gray16{77 * 257}, [3]uint8{77, 77, 77}, 0},
		"CMYK":        {image.NewCMYK(r), opaque, [3]uint8{200, 100, 40}, 1},
		"palette":     {image.NewPaletted(r, color.Palette{color.Black, opaque}), opaque, [3]uint8{200, 100, 40}, 0},
		"transparent": {image.NewNRGBA(r), color.NRGBA{200, 100, 40, 0}, [3]uint8{255, 255, 255}, 0},
		"half":        {image.NewNRGBA(r), color.NRGBA{200, 100, 40, 128}, [3]uint8{227, 177, 147}, 1},
	} {
		draw.Draw(c.img, r, image.NewUniform(c.in), image.Point{}, draw.Src)
		p := NewPhoto(c.img)
		got := p.Channels(image.Rect(1, 1, 3, 2))
		for i, channel := range got {
			for _, v := range channel.Pix {
				if math.Abs(float64(v)-float64(c.want[i])) > c.off {
					t.Errorf("%s: channel %d is %d, want %d", name, i, v, c.want[i])
				}
			}
		}
		if want := image.Rect(0, 0, 4, 3); p.Grey.Rect != want {
			t.Errorf("%s: grey values of %v", name, p.Grey.Rect)
		}
	}
}

// The channels of a turned photograph are those of the upright one.
func TestChannelsAreUpright(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 5, 3))
	for i := range m.Pix {
		m.Pix[i] = byte(17 * i)
		if i%4 == 3 {
			m.Pix[i] = 255
		}
	}
	for o := orientation(1); o <= 8; o++ {
		p := &Photo{o.upright(grey8(m)).(*image.Gray), m, o}
		upright := o.upright(m)
		c := p.Channels(p.Grey.Rect)
		for y := range p.Grey.Rect.Dy() {
			for x := range p.Grey.Rect.Dx() {
				r, g, b, _ := upright.At(x, y).RGBA()
				if want := [3]uint8{
					uint8(r >> 8), uint8(g >> 8),
					uint8(b >> 8),
				}; [3]uint8{c[0].GrayAt(x, y).Y, c[1].GrayAt(x, y).Y, c[2].GrayAt(x, y).Y} != want {
					t.Fatalf("orientation %d: (%d, %d) is not %v", o, x, y, want)
				}
			}
		}
	}
}

// A JPEG keeps its colours, and its grey values are those of DecodeGrey.
func TestDecodeColour(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 40, 30))
	draw.Draw(m, m.Rect, image.NewUniform(color.RGBA{180, 90, 60, 255}), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	p, err := DecodeColour(t.Context(), b.Bytes(), "")
	if err != nil {
		t.Fatal(err)
	}
	grey, err := DecodeGrey(t.Context(), b.Bytes(), "")
	if err != nil || !bytes.Equal(p.Grey.Pix, grey.Pix) {
		t.Errorf("other grey values: %v", err)
	}
	for i, want := range []float64{180, 90, 60} {
		if got := p.Channels(p.Grey.Rect)[i].GrayAt(20, 15).Y; math.Abs(float64(got)-want) > 3 {
			t.Errorf("channel %d is %d, want %v", i, got, want)
		}
	}
	if _, err := DecodeColour(t.Context(), b.Bytes()[:200], ""); err == nil {
		t.Error("half a file is a photograph")
	}
}

// Rows of a JPEG have the colours of its pixels, however these are shared.
func TestChannelsOfRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for ratio := image.YCbCrSubsampleRatio444; ratio <= image.YCbCrSubsampleRatio410; ratio++ {
		m := image.NewYCbCr(image.Rect(0, 0, 23, 17), ratio)
		for _, plane := range [][]byte{m.Y, m.Cb, m.Cr} {
			for i := range plane {
				plane[i] = byte(rng.IntN(256))
			}
		}
		for _, within := range []image.Rectangle{m.Rect, image.Rect(3, 5, 20, 16)} {
			p := NewPhoto(m.SubImage(within))
			part := image.Rect(1, 3, within.Dx()-1, within.Dy())
			at, channels := p.Colours(), p.Channels(part)
			for y := part.Min.Y; y < part.Max.Y; y++ {
				for x := part.Min.X; x < part.Max.X; x++ {
					r, g, b := at(x, y)
					if got := [3]byte{channels[0].GrayAt(x, y).Y, channels[1].GrayAt(x, y).Y, channels[2].GrayAt(x, y).Y}; got != [3]byte{r, g, b} {
						t.Fatalf("%v in %v at %d, %d: %v, want %d %d %d", ratio, within, x, y, got, r, g, b)
					}
				}
			}
		}
	}
}
