// Package libjpeg decodes the JPEG files that package image/jpeg of Go refuses: those that are cut
// short or damaged, and legal forms that it does not know, such as arithmetic coding. The decoder
// is libjpeg-turbo, in WebAssembly, within bounds.
package libjpeg

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"image"
	"strings"
	"time"

	"nrdl.example/nrdl/faces/internal/sandbox"
)

//go:embed wasm/jpeg.wasm.zst
var code []byte

var program = sandbox.New(code)

// ErrUnsupported is wrapped by the error of a file that may be legal and is not read.
var ErrUnsupported = errors.New("not supported")

// ErrLost is the error of a file of which less than half of the rows can be decoded.
var ErrLost = errors.New("more than half of its rows are missing or damaged")

// A Size is what the markers of a file say.
type Size struct {
	Pixels  int
	Samples int // of all components
	Visits  int // samples, over all scans
}

// Memory returns the bytes that Decode takes.
func (s Size) Memory() int64 { return int64(s.limits(0).Memory + 4*s.Pixels) }

func (s Size) limits(bytes int) sandbox.Limits {
	return sandbox.Limits{
		Turns:  1<<26 + 16*s.Visits + 48*s.Samples + 64*bytes,
		Memory: 8<<20 + 4*s.Pixels + 3*s.Samples + 2*bytes,
		Time:   20*time.Second + time.Duration(s.Pixels)*time.Microsecond,
	}
}

// Fields of the result of the program, as jpeg.c has them.
const (
	status = iota
	width
	height
	channels
	colours
	pixels
	lostRows
	adobe
	message
	fields
)

// Decode returns the image in data, and the number of rows that are missing or damaged: at most
// half. The kinds of image are *image.Gray, *image.YCbCr, *image.RGBA and *image.CMYK. Damaged
// is whether the file has any fault.
func Decode(ctx context.Context, data []byte, size Size) (img image.Image, lost int, damaged bool, err error) {
	data = withoutTail(data)
	const tries = 4
	for k := range tries {
		img, lost, damaged, err = decode(ctx, data, size)
		var bad segmentError
		if err == nil || !errors.As(err, &bad) {
			break
		}
		// A segment that is cut stops libjpeg: what stands before it may be an image.
		at := max(bytes.LastIndex(data, []byte{0xff, 0xda}), bytes.LastIndex(data, []byte{0xff, 0xc4}))
		if at < 0 || k == tries-1 {
			break
		}
		data = data[:at]
	}
	switch {
	case err != nil:
		return nil, 0, false, err
	case 2*lost > img.Bounds().Dy():
		return nil, lost, true, fmt.Errorf("%w (%d of %d)", ErrLost, lost, img.Bounds().Dy())
	}
	return img, lost, damaged, nil
}

func decode(ctx context.Context, data []byte, size Size) (img image.Image, lost int, damaged bool, err error) {
	var words string
	err = program.Do(ctx, size.limits(len(data)), func(r *sandbox.Run) {
		in, out := r.Store(data), r.Malloc(4*fields)
		r.Call("jpeg", in, uint64(len(data)), out)
		words = r.Words(out + 4*message)
		field := func(i int) int { return r.Int(out + uint64(4*i)) }
		w, h, n := field(width), field(height), field(channels)
		if r.Err() != nil || w <= 0 || h <= 0 || n < 1 || n > 4 || w > size.Pixels/h {
			r.Fail(sandbox.ErrEnds)
			return
		}
		lost, damaged = field(lostRows), field(status) != 0
		samples := r.Read(uint64(uint32(field(pixels))), w*h*n)
		if r.Err() == nil {
			img = picture(samples, image.Rect(0, 0, w, h), field(colours), field(adobe) != 0)
		}
	})
	if errors.Is(err, sandbox.ErrEnds) && words != "" {
		err = explained(words)
	}
	return img, lost, damaged, err
}

// A segmentError is what libjpeg says of a file that it gives up.
type segmentError string

func (e segmentError) Error() string { return string(e) }

// explained says of a message of libjpeg whether the file is damaged or not supported.
func explained(text string) error {
	lower := strings.ToLower(text)
	if strings.Contains(lower, "unsupported") || strings.Contains(lower, "not supported") || strings.Contains(lower, "not implemented") {
		return fmt.Errorf("%w: %s", ErrUnsupported, text)
	}
	return segmentError(text)
}

// withoutTail cuts the zeros or ones that a full disk or a card leaves at the end of a file.
func withoutTail(data []byte) []byte {
	const minimum = 64
	cut := bytes.TrimRight(data, "\x00")
	if short := bytes.TrimRight(data, "\xff"); len(short) < len(cut) {
		cut = short
	}
	if len(data)-len(cut) < minimum {
		return data
	}
	return cut
}

// Values of J_COLOR_SPACE.
const (
	spaceGrey  = 1
	spaceRGB   = 2
	spaceYCbCr = 3
)

// picture makes an image of samples, pixel by pixel. Adobe stores how little ink there is.
func picture(samples []byte, r image.Rectangle, space int, inverted bool) image.Image {
	switch space {
	case spaceGrey:
		m := image.NewGray(r)
		copy(m.Pix, samples)
		return m
	case spaceRGB:
		m := image.NewRGBA(r)
		for i := 0; i < len(samples)/3; i++ {
			m.Pix[4*i], m.Pix[4*i+1], m.Pix[4*i+2], m.Pix[4*i+3] = samples[3*i], samples[3*i+1], samples[3*i+2], 0xff
		}
		return m
	case spaceYCbCr:
		m := image.NewYCbCr(r, image.YCbCrSubsampleRatio444)
		for i := range m.Y {
			m.Y[i], m.Cb[i], m.Cr[i] = samples[3*i], samples[3*i+1], samples[3*i+2]
		}
		return m
	}
	m := image.NewCMYK(r)
	copy(m.Pix, samples)
	for i := 0; inverted && i < len(m.Pix); i++ {
		m.Pix[i] = 255 - m.Pix[i]
	}
	return m
}
