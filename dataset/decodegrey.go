package dataset

import (
	"context"
	"fmt"
	"image"
	"math"
)

// ReadGrey reads the image file at path as DecodeGrey does.
func ReadGrey(ctx context.Context, path string) (*image.Gray, error) {
	data, err := ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read image: %w", err)
	}
	return DecodeGrey(ctx, data, path)
}

// DecodeGrey decodes an image file as DecodeImage does, and returns it upright
// and grey, in its own size, with its top left corner at (0, 0). Its values are
// those of DecodeImage rounded to integers.
func DecodeGrey(ctx context.Context, data []byte, name string) (*image.Gray, error) {
	var m *image.Gray
	err := decode(ctx, data, 1, func(img image.Image, turned orientation) {
		m = turned.uprightGrey(grey8(img))
	})
	if err != nil {
		return nil, fmt.Errorf("read image %s: %w", name, err)
	}
	return m, nil
}

// grey8 returns the luma of img, which shares its pixels where it holds them.
func grey8(img image.Image) *image.Gray {
	b := img.Bounds()
	m := &image.Gray{Stride: b.Dx(), Rect: image.Rect(0, 0, b.Dx(), b.Dy())}
	switch from := img.(type) {
	case *image.Gray:
		m.Pix, m.Stride = from.Pix[from.PixOffset(b.Min.X, b.Min.Y):], from.Stride
		return m
	case *image.YCbCr:
		m.Pix, m.Stride = from.Y[from.YOffset(b.Min.X, b.Min.Y):], from.YStride
		return m
	}
	m.Pix = make([]byte, b.Dx()*b.Dy())
	row := rowOf8(img)
	for y := range b.Dy() {
		row(y, m.Pix[y*m.Stride:][:b.Dx()])
	}
	return m
}

// rowOf8 returns what writes the luma of a row of img. The kinds that large
// photographs come in do without a call for each pixel.
func rowOf8(img image.Image) func(y int, dst []byte) {
	b := img.Bounds()
	switch m := img.(type) {
	case *image.NRGBA:
		return func(y int, dst []byte) { rgbaRow(dst, m.Pix[m.PixOffset(b.Min.X, b.Min.Y+y):], false) }
	case *image.RGBA:
		return func(y int, dst []byte) { rgbaRow(dst, m.Pix[m.PixOffset(b.Min.X, b.Min.Y+y):], true) }
	case *image.Paletted:
		var lumas [256]byte
		for i, c := range m.Palette {
			lumas[i] = byte(math.Round(luma(c.RGBA())))
		}
		return func(y int, dst []byte) {
			from := m.PixOffset(b.Min.X, b.Min.Y+y)
			for x, i := range m.Pix[from : from+len(dst)] {
				dst[x] = lumas[i]
			}
		}
	}
	g, wide := greyOf(img), make([]float64, b.Dx())
	return func(y int, dst []byte) {
		g.row(y, wide)
		for x, v := range wide {
			dst[x] = byte(math.Round(v))
		}
	}
}

// rgbaRow writes the luma of pixels of four bytes, red, green, blue and alpha,
// by which the others may be premultiplied.
func rgbaRow(dst, src []byte, premultiplied bool) {
	for x := range dst {
		p := src[4*x : 4*x+4]
		r, g, b, a := uint32(p[0])*0x101, uint32(p[1])*0x101, uint32(p[2])*0x101, uint32(p[3])*0x101
		if a != 0xffff && !premultiplied {
			r, g, b = r*a/0xffff, g*a/0xffff, b*a/0xffff
		}
		dst[x] = byte(math.Round(luma(r, g, b, a)))
	}
}

// Grey returns the grey values of img, upright already, as DecodeGrey does. It may
// share the pixels of img.
func Grey(img image.Image) *image.Gray { return grey8(img) }

// Sample returns the grey values of img, upright already, as DecodeImage does.
func Sample(img image.Image, f Frame) []float64 { return resample(greyOf(img), f, 0, 255) }
