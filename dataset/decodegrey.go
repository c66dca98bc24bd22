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
		m = turned.upright(grey8(img)).(*image.Gray)
	})
	if err != nil {
		return nil, fmt.Errorf("read image %s: %w", name, err)
	}
	return m, nil
}

// grey8 returns the luma of img, rounded, with its top left corner at (0, 0). If img
// stores the luma, the result shares its pixels.
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
	g, wide := greyOf(img), make([]float64, b.Dx())
	for y := range b.Dy() {
		g.row(y, wide)
		for x, v := range wide {
			m.Pix[y*m.Stride+x] = byte(math.Round(v))
		}
	}
	return m
}

// Grey returns the grey values of img, upright already, as DecodeGrey does. It may
// share the pixels of img.
func Grey(img image.Image) *image.Gray { return grey8(img) }

// Sample returns the grey values of img, upright already, as DecodeImage does.
func Sample(img image.Image, f Frame) []float64 { return resample(greyOf(img), f, 0, 255) }
