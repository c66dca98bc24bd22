package dataset

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
)

// This file reads PBM, PGM and PPM, plain and raw, up to 16 bits. github.com/spakin/netpbm
// v1.3.2 is not used: it loops for ever if a file ends within a comment, and allocates as
// much memory as a header claims.

var pnmMagic = pnmMagics()

func pnmMagics() (all []string) {
	for kind := '1'; kind <= '6'; kind++ {
		for _, after := range " \t\r\n#" {
			all = append(all, "P"+string(kind)+string(after))
		}
	}
	return all
}

// A pnm reads a PNM file: the header, then the samples.
type pnm struct {
	data          []byte
	offset        int // the next byte
	bits, plain   bool
	channels      int // 1 or 3
	width, height int
	maxval        int
}

func pnmConfig(data []byte) (image.Config, error) {
	p, err := pnmHeader(data)
	if err != nil {
		return image.Config{}, err
	}
	return image.Config{ColorModel: color.Gray16Model, Width: p.width, Height: p.height}, nil
}

// pnmHeader reads the header; then at is the position of the first sample.
func pnmHeader(data []byte) (*pnm, error) {
	if len(data) < 3 || data[0] != 'P' || data[1] < '1' || data[1] > '6' {
		return nil, errors.New("no PNM header")
	}
	kind := int(data[1] - '1')
	p := &pnm{data: data, offset: 2, bits: kind%3 == 0, plain: kind < 3, channels: 1, maxval: 1}
	if kind%3 == 2 {
		p.channels = 3
	}
	fields := []*int{&p.width, &p.height, &p.maxval}
	if p.bits {
		fields = fields[:2]
	}
	for _, f := range fields {
		var err error
		if *f, err = p.number(); err != nil {
			return nil, fmt.Errorf("header: %w", err)
		}
	}
	if p.maxval < 1 || p.maxval > 0xffff {
		return nil, fmt.Errorf("header: maximum value %d is outside 1 … 65535", p.maxval)
	}
	if p.offset >= len(data) {
		return nil, io.ErrUnexpectedEOF
	}
	if !space(data[p.offset]) {
		return nil, fmt.Errorf("header: unexpected %q", data[p.offset])
	}
	p.offset++
	return p, nil
}

func space(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' }

// skip skips white space and comments.
func (p *pnm) skip() {
	for ; p.offset < len(p.data); p.offset++ {
		if p.data[p.offset] == '#' {
			for p.offset < len(p.data) && p.data[p.offset] != '\n' && p.data[p.offset] != '\r' {
				p.offset++
			}
		} else if !space(p.data[p.offset]) {
			return
		}
	}
}

// number reads a decimal number of bounded size.
func (p *pnm) number() (int, error) {
	p.skip()
	start, n := p.offset, 0
	for p.offset < len(p.data) && '0' <= p.data[p.offset] && p.data[p.offset] <= '9' {
		n = min(10*n+int(p.data[p.offset]-'0'), 1<<30)
		p.offset++
	}
	if p.offset > start {
		return n, nil
	}
	if p.offset >= len(p.data) {
		return 0, io.ErrUnexpectedEOF
	}
	return 0, fmt.Errorf("%q is not a digit", p.data[p.offset])
}

// bytesNeeded is the smallest number of bytes of the samples.
func (p *pnm) bytesNeeded() int {
	switch {
	case p.plain && p.bits:
		return p.width * p.height
	case p.plain: // digits with white space between
		return 2*p.width*p.height*p.channels - 1
	case p.bits:
		return (p.width + 7) / 8 * p.height
	case p.maxval > 0xff:
		return 2 * p.width * p.height * p.channels
	}
	return p.width * p.height * p.channels
}

// pnmDecode returns an image.Gray if each byte is a grey value of 0 … 255, an
// image.RGBA64 if there are colours, or else an image.Gray16.
func pnmDecode(ctx context.Context, data []byte) (image.Image, error) {
	p, err := pnmHeader(data)
	if err != nil {
		return nil, err
	}
	if len(data)-p.offset < p.bytesNeeded() {
		return nil, io.ErrUnexpectedEOF
	}
	bounds := image.Rect(0, 0, p.width, p.height)
	if p.channels == 3 {
		m := image.NewRGBA64(bounds)
		for i := 0; i < len(m.Pix); i += 8 {
			if i%(8<<16) == 0 && ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			for c := 0; c < 6; c += 2 {
				if err := p.sample(m.Pix[i+c:]); err != nil {
					return nil, err
				}
			}
			m.Pix[i+6], m.Pix[i+7] = 0xff, 0xff
		}
		return m, nil
	}
	if !p.plain && p.maxval == 0xff {
		return &image.Gray{Pix: p.data[p.offset : p.offset+p.width*p.height], Stride: p.width, Rect: bounds}, nil
	}
	m := image.NewGray16(bounds)
	if p.bits && !p.plain {
		p.unpack(m.Pix)
		return m, nil
	}
	for i := 0; i < len(m.Pix); i += 2 {
		if i%(2<<16) == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err := p.sample(m.Pix[i:]); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// sample reads the next sample of a file other than a raw PBM, and writes it scaled to 16
// bits, big endian.
func (p *pnm) sample(dst []byte) error {
	var v int
	switch {
	case p.plain && p.bits: // 0 white, 1 black, no white space needed
		p.skip()
		if p.offset >= len(p.data) {
			return io.ErrUnexpectedEOF
		}
		bit := p.data[p.offset]
		if p.offset++; bit != '0' && bit != '1' {
			return fmt.Errorf("%q is not a bit", bit)
		}
		v = int('1' - bit)
	case p.plain:
		var err error
		if v, err = p.number(); err != nil {
			return err
		}
	case p.maxval > 0xff:
		v = int(p.data[p.offset])<<8 | int(p.data[p.offset+1])
		p.offset += 2
	default:
		v = int(p.data[p.offset])
		p.offset++
	}
	if v > p.maxval {
		return fmt.Errorf("value %d exceeds the maximum %d of the header", v, p.maxval)
	}
	v = (v*0xffff + p.maxval/2) / p.maxval
	dst[0], dst[1] = byte(v>>8), byte(v)
	return nil
}

// unpack writes the pixels of a raw PBM, eight a byte, rows padded to bytes.
func (p *pnm) unpack(dst []byte) {
	stride := (p.width + 7) / 8
	for i := 0; i < len(dst); i += 2 {
		y, x := i/2/p.width, i/2%p.width
		if p.data[p.offset+y*stride+x/8]>>(7-x%8)&1 == 0 {
			dst[i], dst[i+1] = 0xff, 0xff
		}
	}
}
