package tiff

import (
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"image"
	"io"

	"golang.org/x/image/tiff/lzw"

	"nrdl.example/nrdl/internal/bounded"
)

// decodePlain decodes blocks of YCbCr whose samples are stored as numbers: for each group of
// pixels that share their colour, their luma, and then the two values of the colour.
func (d *directory) decodePlain(ctx context.Context, b *blocks) (image.Image, error) {
	if b.samples != 3 {
		return nil, fmt.Errorf("%d samples for YCbCr", b.samples)
	}
	predictor := d.one(tagPredictor, predictorNone)
	if predictor != predictorNone && (predictor != predictorHorizontal || b.h*b.v != 1) {
		return nil, fmt.Errorf("unsupported predictor %d", predictor)
	}
	m := image.NewYCbCr(b.image, b.ratio)
	var buffer []byte
	err := d.each(ctx, b, func(data []byte, at image.Rectangle) error {
		if b.offsets == tagStrips {
			at.Max.Y = min(at.Max.Y, b.image.Max.Y) // only tiles are filled up
		}
		across, down := (at.Dx()+b.h-1)/b.h, (at.Dy()+b.v-1)/b.v
		r, err := d.expand(bounded.NewReader(ctx, data))
		if err != nil {
			return err
		}
		row := across * (b.h*b.v + 2)
		if len(buffer) != row {
			buffer = make([]byte, row)
		}
		for y := range down {
			if _, err := io.ReadFull(r, buffer); err != nil {
				return err
			}
			if predictor == predictorHorizontal {
				for i := 3; i < len(buffer); i++ {
					buffer[i] += buffer[i-3]
				}
			}
			b.unpack(m, buffer, at.Min.X, at.Min.Y+y*b.v)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	d.stretch(m)
	return m, nil
}

// unpack writes a row of groups of pixels, the first of which lies at (left, top).
func (b *blocks) unpack(m *image.YCbCr, row []byte, left, top int) {
	size := b.h*b.v + 2
	for x := left; len(row) >= size && x < b.image.Max.X; x, row = x+b.h, row[size:] {
		for i, luma := range row[:b.h*b.v] {
			if p := image.Pt(x+i%b.h, top+i/b.h); p.In(b.image) {
				m.Y[m.YOffset(p.X, p.Y)] = luma
			}
		}
		if top < b.image.Max.Y {
			c := m.COffset(x, top)
			m.Cb[c], m.Cr[c] = row[size-2], row[size-1]
		}
	}
}

// expand returns what the compressed r holds.
func (d *directory) expand(r *bounded.Reader) (io.Reader, error) {
	switch c := d.one(tagCompression, compressionNone); c {
	case compressionNone:
		return r, nil
	case compressionLZW:
		return lzw.NewReader(r, lzw.MSB, 8), nil
	case compressionDeflate, compressionOldDeflate:
		return zlib.NewReader(r)
	case compressionPackBits:
		return &packBits{source: r}, nil
	default:
		return nil, fmt.Errorf("unsupported compression %d of YCbCr", c)
	}
}

// packBits reads runs: a number n in a byte and n+1 bytes, or a negative one and a byte that
// counts 1-n times.
type packBits struct {
	source io.Reader
	run    []byte
	in     [128]byte
}

func (p *packBits) Read(dst []byte) (int, error) {
	for len(p.run) == 0 {
		var head [2]byte
		if _, err := io.ReadFull(p.source, head[:1]); err != nil {
			return 0, err
		}
		switch n := int(int8(head[0])); {
		case n >= 0:
			p.run = p.in[:n+1]
			if _, err := io.ReadFull(p.source, p.run); err != nil {
				return 0, err
			}
		case n > -128:
			if _, err := io.ReadFull(p.source, head[1:]); err != nil {
				return 0, err
			}
			p.run = append(p.in[:0], bytes.Repeat(head[1:], 1-n)...)
		}
	}
	n := copy(dst, p.run)
	p.run = p.run[n:]
	return n, nil
}
