// Package heic decodes HEIC photographs, as iPhones take them, and AVIF images.
//
// The decoders are libheif with libde265, and libavif with libaom, in WebAssembly;
// wazero runs them in this process. A hostile file cannot reach memory outside of
// its run, nor use more than 2 GiB, nor run for ever: its work is counted. Pixels
// do not depend on what is installed. No process is started.
package heic

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"

	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/internal/videorange"
)

// maxPixels is the most that a file may claim: 32-bit addresses reach no further.
const maxPixels = 1 << 26

// Decode returns the photograph in the HEIC or AVIF file data, turned as the file
// says, with values 0 … 255. The kinds of image are *image.YCbCr, *image.Gray, *image.RGBA and
// *image.NRGBA; samples of more than 8 bits are reduced to 8. Decode ends within a second of ctx.
// A few files are decoded at once, others wait.
func Decode(ctx context.Context, data []byte) (image.Image, error) {
	c, err := DecodeConfig(data)
	if err != nil {
		return nil, err
	}
	if c.Width > maxPixels || c.Height > maxPixels/c.Width { // the product may overflow
		return nil, fmt.Errorf("%d×%d are too many pixels for the decoder", c.Width, c.Height)
	}
	var img image.Image
	if isAVIF(data) {
		err = avif.do(ctx, c.Width*c.Height, func(r *run) { img = decodeAVIF(r, data) })
		if err == nil {
			img, err = upright(img.(*image.RGBA), data)
		}
	} else {
		err = heif.do(ctx, c.Width*c.Height, func(r *run) { img = decodeHEIF(r, data) })
	}
	if err != nil {
		return nil, err
	}
	if m, ok := img.(*image.YCbCr); ok && hasVideoRange(data) {
		videorange.Expand(m)
	}
	return img, nil
}

// Register makes package dataset read HEIC and AVIF files, and so all packages above
// it. A program calls it once; it may be called again.
func Register() {
	dataset.UseHEIC(dataset.Decoder{
		Config: func(_ context.Context, data []byte) (image.Config, error) { return DecodeConfig(data) },
		Decode: Decode,
	})
}

var errDecode = errors.New("it cannot be decoded")

// Values of heif_colorspace and heif_chroma.
const (
	colourYCbCr = 0
	colourRGB   = 1
	colourGrey  = 2
)

var subsampling = map[uint32]image.YCbCrSubsampleRatio{
	1: image.YCbCrSubsampleRatio420,
	2: image.YCbCrSubsampleRatio422,
	3: image.YCbCrSubsampleRatio444,
}

func decodeHEIF(r *run, data []byte) image.Image {
	file, out := r.store(data), r.malloc(5*4)
	field := func(i int) uint64 { return out + uint64(4*i) }
	decode := func(only, pixels uint64) {
		if r.call("decode", file, uint64(len(data)), only, field(0), field(1), field(2), field(3), field(4), pixels) == 0 && r.err == nil {
			r.err = errDecode
		}
	}
	decode(1, 0)
	w, h, colours, chroma := int(r.uint32(field(0))), int(r.uint32(field(1))), r.uint32(field(2)), r.uint32(field(3))
	if !r.admits(w, h) {
		return nil
	}
	rect := image.Rect(0, 0, w, h)
	var planes []plane
	var img image.Image
	switch colours {
	case colourYCbCr:
		ratio, ok := subsampling[chroma]
		if !ok {
			r.err = errDecode
			return nil
		}
		m := image.NewYCbCr(rect, ratio)
		ch := len(m.Cb) / max(m.CStride, 1)
		planes, img = []plane{{m.Y, w, h}, {m.Cb, m.CStride, ch}, {m.Cr, m.CStride, ch}}, m
	case colourGrey:
		m := image.NewGray(rect)
		planes, img = []plane{{m.Pix, w, h}}, m
	case colourRGB:
		if r.uint32(field(4)) == 1 {
			m := image.NewRGBA(rect)
			planes, img = []plane{{m.Pix, 4 * w, h}}, m
		} else {
			m := image.NewNRGBA(rect)
			planes, img = []plane{{m.Pix, 4 * w, h}}, m
		}
	default:
		r.err = errDecode
		return nil
	}
	size := 0
	for _, p := range planes {
		size += p.stride(colours == colourRGB) * p.rows
	}
	pixels := r.malloc(size)
	decode(0, pixels)
	from := r.read(pixels, size)
	for _, p := range planes {
		stride := p.stride(colours == colourRGB)
		for y := 0; y < p.rows && r.err == nil; y++ {
			copy(p.samples[y*p.width:][:p.width], from[y*stride:])
		}
		if r.err == nil {
			from = from[stride*p.rows:]
		}
	}
	return img
}

// A plane is a part of an image, with the bytes of a row and the number of rows.
type plane struct {
	samples     []byte
	width, rows int
}

// stride is the length of a row in libheif: an even number of pixels and 64 at
// least, filled up to a multiple of 16 bytes.
func (p plane) stride(interleaved bool) int {
	bytes := 1
	if interleaved {
		bytes = 4
	}
	pixels := max(64, (p.width/bytes+1)&^1)
	return (pixels*bytes + 15) &^ 15
}

// admits reports whether r may decode an image of w×h pixels; else it has an error.
func (r *run) admits(w, h int) bool {
	if r.err == nil && (w <= 0 || h <= 0 || w > maxPixels || h > maxPixels || w*h > maxPixels) {
		r.err = errDecode
	}
	return r.err == nil
}

func (r *run) uint32(address uint64) uint32 {
	b := r.read(address, 4)
	if r.err != nil {
		return 0
	}
	return binary.LittleEndian.Uint32(b)
}

func decodeAVIF(r *run, data []byte) image.Image {
	file, out := r.store(data), r.malloc(4*4)
	delay := r.malloc(8)
	decode := func(only, pixels uint64) {
		if r.call("decode", file, uint64(len(data)), only, 0, out, out+4, out+8, out+12, delay, pixels) == 0 && r.err == nil {
			r.err = errDecode
		}
	}
	decode(1, 0)
	w, h, depth := int(r.uint32(out)), int(r.uint32(out+4)), r.uint32(out+8)
	if !r.admits(w, h) {
		return nil
	}
	size := 4 * w * h
	if depth > 8 {
		size *= 2
	}
	pixels := r.malloc(size)
	decode(0, pixels)
	from := r.read(pixels, size)
	if r.err != nil {
		return nil
	}
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	if depth <= 8 {
		copy(m.Pix, from)
	} else {
		for i := range m.Pix {
			m.Pix[i] = from[2*i+1] // the high byte
		}
	}
	return m
}
