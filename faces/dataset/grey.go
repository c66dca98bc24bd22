package dataset

import (
	"context"
	"fmt"
	"image"
	"math"

	"golang.org/x/image/draw"
)

// A grey is a grey image. Row writes the values of row y, 0 … 255 for images, to dst,
// which has the length width.
type grey struct {
	height, width int
	row           func(y int, dst []float64)
}

// greyOf returns the luma of img: 0.299 R + 0.587 G + 0.114 B of ITU-R BT.601,
// which is the Y that JPEG stores, over white where img is transparent.
func greyOf(img image.Image) grey {
	b := img.Bounds()
	g := grey{height: b.Dy(), width: b.Dx()}
	switch m := img.(type) {
	case *image.Gray:
		g.row = func(y int, dst []float64) {
			from := m.PixOffset(b.Min.X, b.Min.Y+y)
			widen(dst, m.Pix[from:])
		}
	case *image.YCbCr:
		g.row = func(y int, dst []float64) {
			from := m.YOffset(b.Min.X, b.Min.Y+y)
			widen(dst, m.Y[from:])
		}
	case *image.Gray16:
		g.row = func(y int, dst []float64) {
			from := m.PixOffset(b.Min.X, b.Min.Y+y)
			for x := range dst {
				v := m.Pix[from+2*x:]
				dst[x] = float64(int(v[0])<<8|int(v[1])) / 257
			}
		}
	case *image.NRGBA: // this and the next two: large photographs, without a call for each pixel
		g.row = func(y int, dst []float64) { rgbaRow(dst, m.Pix[m.PixOffset(b.Min.X, b.Min.Y+y):], false) }
	case *image.RGBA:
		g.row = func(y int, dst []float64) { rgbaRow(dst, m.Pix[m.PixOffset(b.Min.X, b.Min.Y+y):], true) }
	case *image.Paletted:
		var lumas [256]float64
		for i, c := range m.Palette {
			lumas[i] = luma(c.RGBA())
		}
		g.row = func(y int, dst []float64) {
			from := m.PixOffset(b.Min.X, b.Min.Y+y)
			for x, i := range m.Pix[from : from+len(dst)] {
				dst[x] = lumas[i]
			}
		}
	case image.RGBA64Image:
		g.row = func(y int, dst []float64) {
			for x := range dst {
				c := m.RGBA64At(b.Min.X+x, b.Min.Y+y)
				dst[x] = luma(uint32(c.R), uint32(c.G), uint32(c.B), uint32(c.A))
			}
		}
	default:
		g.row = func(y int, dst []float64) {
			for x := range dst {
				dst[x] = luma(img.At(b.Min.X+x, b.Min.Y+y).RGBA())
			}
		}
	}
	return g
}

func widen(dst []float64, src []byte) {
	for x, v := range src[:len(dst)] {
		dst[x] = float64(v)
	}
}

// rgbaRow writes the luma of pixels of four bytes: red, green, blue and alpha.
func rgbaRow(dst []float64, src []byte, premultiplied bool) {
	for x := range dst {
		p := src[4*x : 4*x+4]
		r, g, b, a := uint32(p[0])*0x101, uint32(p[1])*0x101, uint32(p[2])*0x101, uint32(p[3])*0x101
		if a != 0xffff && !premultiplied {
			r, g, b = r*a/0xffff, g*a/0xffff, b*a/0xffff
		}
		dst[x] = luma(r, g, b, a)
	}
}

// luma takes 16-bit components, premultiplied by a. Integers keep a grey pixel
// of 8 bits exactly.
func luma(r, g, b, a uint32) float64 {
	sum := 299*uint64(r) + 587*uint64(g) + 114*uint64(b)
	return float64(sum+1000*uint64(0xffff-a)) / 257_000
}

// resample returns the part of src that in.Crop keeps resized to in.Size,
// column-major, by the Catmull-Rom kernel, widened by the factor of reduction
// where the image shrinks (antialiasing). Values are clamped to lo … hi, which
// the kernel may exceed at edges. Where the size is that of in, and all is kept,
// the values are not changed.
func resample(src grey, in Frame, lo, hi float64) []float64 {
	across, down := kernelTaps(src.width, in.Width, in.Crop), kernelTaps(src.height, in.Height, in.Crop)
	return resampled(src, in.Size, across, down, lo, hi)
}

// resampled is resample with the given taps.
func resampled(src grey, in Size, across, down []taps, lo, hi float64) []float64 {
	out := make([]float64, in.Len())
	row, narrow := make([]float64, src.width), make([]float64, in.Width)
	first := 0 // the first row of the result that depends on source row y
	for y := range src.height {
		for first < in.Height && y >= down[first].first+len(down[first].weights) {
			first++
		}
		src.row(y, row)
		for x, t := range across {
			narrow[x] = t.dot(row)
		}
		for i := first; i < in.Height && y >= down[i].first; i++ {
			w := down[i].weights[y-down[i].first]
			for x, v := range narrow {
				out[x*in.Height+i] += w * v
			}
		}
	}
	for i, v := range out {
		out[i] = max(lo, min(hi, v))
	}
	return out
}

// taps are the weights of the source pixels first, first+1, … in one pixel of the
// result. They sum to 1.
type taps struct {
	first   int
	weights []float64
}

func (t taps) dot(row []float64) float64 {
	var sum float64
	for i, v := range row[t.first : t.first+len(t.weights)] {
		sum += t.weights[i] * v
	}
	return sum
}

// kernelTaps returns the taps that resize the central share crop of n pixels to m
// pixels. A crop of 0 means all of them.
func kernelTaps(n, m int, crop float64) []taps {
	if crop == 0 {
		crop = 1
	}
	if n == m && crop == 1 {
		all := make([]taps, m)
		for i := range all {
			all[i] = taps{i, []float64{1}}
		}
		return all
	}
	return tapsFrom(n, m, (1-crop)/2*float64(n), crop*float64(n)/float64(m))
}

// tapsFrom returns the taps that resize n pixels to m. One pixel of the result covers
// scale source pixels, and the first one begins at start. Outside the n pixels the
// nearest one is repeated.
func tapsFrom(n, m int, start, scale float64) []taps {
	all := make([]taps, m)
	stretch := max(scale, 1)
	pool := make([]float64, 0, m*(int(4*stretch)+2))
	for i := range all {
		centre := max(-0.5, min(float64(n)-0.5, start+(float64(i)+0.5)*scale-0.5))
		from := max(0, int(math.Floor(centre-2*stretch)))
		to := min(n-1, int(math.Ceil(centre+2*stretch)))
		first, sum := len(pool), 0.0
		for k := from; k <= to; k++ {
			w := draw.CatmullRom.At(min(math.Abs(float64(k)-centre)/stretch, draw.CatmullRom.Support))
			pool = append(pool, w)
			sum += w
		}
		w := pool[first:len(pool):len(pool)]
		for k := range w {
			w[k] /= sum
		}
		all[i] = taps{from, w}
	}
	return all
}

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
	err := decode(named(ctx, name), data, 1, func(img image.Image, turned orientation) {
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
