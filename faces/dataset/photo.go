package dataset

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"strconv"
	"strings"
)

// A Photo is a photograph with its grey values, for face detection, and its colours. It
// is safe for concurrent use.
type Photo struct {
	Grey *image.Gray // upright, with its top left corner at (0, 0)

	image       image.Image
	orientation orientation
}

// DecodeColour decodes an image file as DecodeGrey does, but keeps the colours, too.
func DecodeColour(ctx context.Context, data []byte, name string) (*Photo, error) {
	var p *Photo
	err := decode(named(ctx, name), data, 1, func(img image.Image, turned orientation) {
		p = &Photo{turned.upright(grey8(img)).(*image.Gray), img, turned}
	})
	if err != nil {
		return nil, fmt.Errorf("read image %s: %w", name, err)
	}
	return p, nil
}

// NewPhoto returns the upright image img as a Photo, which may share its pixels.
func NewPhoto(img image.Image) *Photo { return &Photo{Grey(img), img, 1} }

// Image returns the upright photograph in its original colours. It may share memory with
// p.
func (p *Photo) Image() image.Image { return p.orientation.upright(p.image) }

// Channels returns the red, green and blue values of the part r of the upright
// photograph; r must lie inside it. The channels of a grey photograph are one image, which
// shares its pixels. Transparent pixels are put over white.
func (p *Photo) Channels(r image.Rectangle) [3]*image.Gray {
	if !p.Coloured() {
		g := p.Grey.SubImage(r).(*image.Gray)
		return [3]*image.Gray{g, g, g}
	}
	var c [3]*image.Gray
	for i := range c {
		c[i] = image.NewGray(r)
	}
	if m, ok := p.image.(*image.YCbCr); ok && p.orientation == 1 { // draw is twice as fast as At
		row := image.NewRGBA(image.Rect(0, 0, r.Dx(), 1))
		for y := range r.Dy() {
			draw.Draw(row, row.Rect, m, m.Rect.Min.Add(r.Min).Add(image.Pt(0, y)), draw.Src)
			for x, i := 0, y*r.Dx(); x < len(row.Pix); x, i = x+4, i+1 {
				c[0].Pix[i], c[1].Pix[i], c[2].Pix[i] = row.Pix[x], row.Pix[x+1], row.Pix[x+2]
			}
		}
		return c
	}
	at := p.Colours()
	i := 0
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			c[0].Pix[i], c[1].Pix[i], c[2].Pix[i] = at(x, y)
			i++
		}
	}
	return c
}

// Coloured reports whether the file of the photograph has colours.
func (p *Photo) Coloured() bool {
	_, grey := p.image.(*image.Gray)
	return !grey
}

// Colours returns a function that returns the colour of a pixel of the upright
// photograph, as Channels does.
func (p *Photo) Colours() func(x, y int) (r, g, b uint8) {
	b := p.image.Bounds()
	at := coloursOf(p.image)
	if p.orientation == 1 && b.Min == (image.Point{}) {
		return at
	}
	return func(x, y int) (_, _, _ uint8) {
		sy, sx := p.orientation.source(y, x, b.Dy(), b.Dx())
		return at(b.Min.X+sx, b.Min.Y+sy)
	}
}

// Embed returns the vector that e makes of the photograph, resized to e.Input. If f.Crop
// is not 0, only this central share of the photograph is used.
func (p *Photo) Embed(ctx context.Context, f Frame, e Embedder) ([]float64, error) {
	size := e.Input()
	face := make([]float32, 0, 3*size.Len())
	for _, channel := range p.Channels(p.Grey.Rect) {
		column := resample(greyOf(channel), Frame{Size: size, Crop: f.Crop}, 0, math.MaxUint8)
		for y := range size.Height {
			for x := range size.Width {
				face = append(face, float32(column[x*size.Height+y]))
			}
		}
	}
	vectors, err := e.Embed(ctx, [][]float32{face})
	if err != nil {
		return nil, err
	}
	return vectors[0], nil
}

// coloursOf returns a function that returns the colour of a pixel of img over white.
func coloursOf(img image.Image) func(x, y int) (r, g, b uint8) {
	switch m := img.(type) {
	case *image.Gray:
		return func(x, y int) (_, _, _ uint8) {
			v := m.Pix[m.PixOffset(x, y)]
			return v, v, v
		}
	case *image.YCbCr:
		return func(x, y int) (_, _, _ uint8) {
			c := m.COffset(x, y)
			return color.YCbCrToRGB(m.Y[m.YOffset(x, y)], m.Cb[c], m.Cr[c])
		}
	case image.RGBA64Image:
		return func(x, y int) (_, _, _ uint8) { return overWhite(m.RGBA64At(x, y).RGBA()) }
	}
	return func(x, y int) (_, _, _ uint8) { return overWhite(img.At(x, y).RGBA()) }
}

// overWhite takes 16-bit components, premultiplied by a.
func overWhite(r, g, b, a uint32) (_, _, _ uint8) {
	over := func(v uint32) uint8 { return uint8((v + 0xffff - a + 128) / 257) }
	return over(r), over(g), over(b)
}

// A Size is the height and width of images, in pixels. The zero Size stands
// for samples that are not images.
type Size struct {
	Height int `json:"height"`
	Width  int `json:"width"`
}

// MaxSide bounds the height and the width of a Size.
const MaxSide = 1024

// Len returns the number of pixels; 0 for the zero Size.
func (s Size) Len() int { return s.Height * s.Width }

// String gives the size as HxW, the form that ParseSize reads.
func (s Size) String() string { return fmt.Sprintf("%dx%d", s.Height, s.Width) }

// ParseSize reads a size written HxW, for example 56x46.
func ParseSize(text string) (Size, error) {
	height, width, ok := strings.Cut(text, "x")
	h, errH := strconv.Atoi(height)
	w, errW := strconv.Atoi(width)
	if !ok || errH != nil || errW != nil {
		return Size{}, fmt.Errorf("size %q is not of the form HxW, for example 56x46", text)
	}
	s := Size{Height: h, Width: w}
	if s == (Size{}) {
		return s, fmt.Errorf("size %q has no pixels", text)
	}
	return s, s.Validate()
}

// Validate reports a size that is not between 1×1 and MaxSide×MaxSide.
func (s Size) Validate() error {
	if s == (Size{}) {
		return nil
	}
	if s.Height < 1 || s.Width < 1 || s.Height > MaxSide || s.Width > MaxSide {
		return fmt.Errorf("size %v is outside 1x1 … %dx%d", s, MaxSide, MaxSide)
	}
	return nil
}

// DefaultSize is the default size of images whose grey values are the features.
var DefaultSize = Size{Height: 32, Width: 32}

// Quality is the image quality of a face in its photograph. Package face measures it, and
// the limits of the search for faces are the values below which a face is refused.
type Quality struct {
	Eyes      float64 `json:"eyes"`      // distance between the pupils, pixels of the photograph
	Sharpness float64 `json:"sharpness"` // see package face; higher is sharper
	Exposure  float64 `json:"exposure"`  // share of the face that is neither black nor white
	Angle     float64 `json:"angle"`     // of the line between the eyes in the photograph, degrees, −180 … 180
	Detection float64 `json:"detection"` // score of the detector; higher is more confident
}
