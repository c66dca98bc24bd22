package dataset

import (
	"bytes"
	"image"
	"image/color"

	"nrdl.example/nrdl/internal/kit/metadata"
)

// An orientation is that of EXIF, 1 … 8: how the camera was held.
type orientation int

// source returns the position, in the stored image of size h×w, of the pixel (y, x) of
// the upright image.
func (o orientation) source(y, x, h, w int) (int, int) {
	switch o {
	case 2: // mirrored
		return y, w - 1 - x
	case 3: // turned by 180°
		return h - 1 - y, w - 1 - x
	case 4: // upside down in a mirror
		return h - 1 - y, x
	case 5: // transposed
		return x, y
	case 6: // to be turned clockwise
		return h - 1 - x, y
	case 7: // transposed about the other diagonal
		return h - 1 - x, w - 1 - y
	case 8: // to be turned anticlockwise
		return x, w - 1 - y
	}
	return y, x
}

// swapsSides reports whether the height of the upright image is the width of the stored
// one.
func (o orientation) swapsSides() bool { return o >= 5 }

// sample resizes the stored image and then turns the result.
func (o orientation) sample(g grey, in Frame) []float64 {
	small := in
	if o.swapsSides() {
		small.Size = Size{Height: in.Width, Width: in.Height}
	}
	v := resample(g, small, 0, 255)
	if o == 1 {
		return v
	}
	upright := make([]float64, len(v))
	for x := range in.Width {
		for y := range in.Height {
			sy, sx := o.source(y, x, small.Height, small.Width)
			upright[x*in.Height+y] = v[sx*small.Height+sy]
		}
	}
	return upright
}

// upright returns the upright image. It has the same pixel values as img.
func (o orientation) upright(img image.Image) image.Image {
	if o == 1 {
		return img
	}
	b, seen := img.Bounds(), o.uprightBounds(img.Bounds())
	w := seen.Dx()
	turned := func(pix []byte, at, stride, bytes int) []byte {
		out := make([]byte, w*seen.Dy()*bytes)
		o.turn(out, w*bytes, pix[at:], stride, bytes, b)
		return out
	}
	switch m := img.(type) {
	case *image.Gray:
		return &image.Gray{Pix: turned(m.Pix, m.PixOffset(b.Min.X, b.Min.Y), m.Stride, 1), Stride: w, Rect: seen}
	case *image.Gray16:
		return &image.Gray16{Pix: turned(m.Pix, m.PixOffset(b.Min.X, b.Min.Y), m.Stride, 2), Stride: 2 * w, Rect: seen}
	case *image.Paletted:
		return &image.Paletted{Pix: turned(m.Pix, m.PixOffset(b.Min.X, b.Min.Y), m.Stride, 1), Stride: w, Rect: seen, Palette: m.Palette}
	case *image.CMYK:
		return &image.CMYK{Pix: turned(m.Pix, m.PixOffset(b.Min.X, b.Min.Y), m.Stride, 4), Stride: 4 * w, Rect: seen}
	case *image.RGBA:
		return &image.RGBA{Pix: turned(m.Pix, m.PixOffset(b.Min.X, b.Min.Y), m.Stride, 4), Stride: 4 * w, Rect: seen}
	case *image.NRGBA:
		return &image.NRGBA{Pix: turned(m.Pix, m.PixOffset(b.Min.X, b.Min.Y), m.Stride, 4), Stride: 4 * w, Rect: seen}
	case *image.RGBA64:
		return &image.RGBA64{Pix: turned(m.Pix, m.PixOffset(b.Min.X, b.Min.Y), m.Stride, 8), Stride: 8 * w, Rect: seen}
	case *image.NRGBA64:
		return &image.NRGBA64{Pix: turned(m.Pix, m.PixOffset(b.Min.X, b.Min.Y), m.Stride, 8), Stride: 8 * w, Rect: seen}
	case *image.YCbCr:
		// Two pixels that share their colour may not lie so any more.
		chroma := func(plane []byte) []byte {
			each, columns := make([]byte, b.Dx()*b.Dy()), make([]int, b.Dx())
			for x := range columns {
				columns[x] = m.COffset(b.Min.X+x, b.Min.Y) - m.COffset(b.Min.X, b.Min.Y)
			}
			for y := range b.Dy() {
				row, from := each[y*b.Dx():][:b.Dx()], plane[m.COffset(b.Min.X, b.Min.Y+y):]
				for x, c := range columns {
					row[x] = from[c]
				}
			}
			return turned(each, 0, b.Dx(), 1)
		}
		return &image.YCbCr{
			Y: turned(m.Y, m.YOffset(b.Min.X, b.Min.Y), m.YStride, 1), Cb: chroma(m.Cb), Cr: chroma(m.Cr),
			YStride: w, CStride: w, SubsampleRatio: image.YCbCrSubsampleRatio444, Rect: seen,
		}
	}
	out := image.NewRGBA64(seen)
	for y := range seen.Dy() {
		for x := range w {
			sy, sx := o.source(y, x, b.Dy(), b.Dx())
			r, g, bl, a := img.At(b.Min.X+sx, b.Min.Y+sy).RGBA()
			out.SetRGBA64(x, y, color.RGBA64{R: uint16(r), G: uint16(g), B: uint16(bl), A: uint16(a)})
		}
	}
	return out
}

// uprightBounds returns the bounds of the upright image.
func (o orientation) uprightBounds(stored image.Rectangle) image.Rectangle {
	if o.swapsSides() {
		return image.Rect(0, 0, stored.Dy(), stored.Dx())
	}
	return image.Rect(0, 0, stored.Dx(), stored.Dy())
}

// turnBlock is the side of a block of pixels that fits in the cache.
const turnBlock = 32

// turn writes the pixels src, each of the given number of bytes, upright to dst.
func (o orientation) turn(dst []byte, dstStride int, src []byte, srcStride, bytes int, stored image.Rectangle) {
	offset := func(y, x int) int {
		sy, sx := o.source(y, x, stored.Dy(), stored.Dx())
		return sy*srcStride + sx*bytes
	}
	start := offset(0, 0)
	right, down := offset(0, 1)-start, offset(1, 0)-start
	seen := o.uprightBounds(stored)
	for y0 := 0; y0 < seen.Dy(); y0 += turnBlock {
		for x0 := 0; x0 < seen.Dx(); x0 += turnBlock {
			for y := y0; y < min(y0+turnBlock, seen.Dy()); y++ {
				for x := x0; x < min(x0+turnBlock, seen.Dx()); x++ {
					to, from := y*dstStride+x*bytes, start+x*right+y*down
					for i := range bytes {
						dst[to+i] = src[from+i]
					}
				}
			}
		}
	}
}

// orientation returns the EXIF orientation in data; 1 if there is none or it is invalid, and for
// HEIC and AVIF, whose decoder turns the image.
func (f format) orientation(data []byte) orientation {
	if f.brands != nil {
		return 1
	}
	h, _ := metadata.Read(bytes.NewReader(data), int64(len(data))) // a damaged header has what was read of it
	return orientation(h.Orientation)
}
