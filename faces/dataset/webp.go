package dataset

import (
	"context"
	"encoding/binary"
	"image"
	"image/draw"
	"iter"
	"slices"

	"golang.org/x/image/webp"

	"nrdl.example/nrdl/faces/internal/videorange"
)

// webpDecode decodes a WebP image, or the first picture of an animated one. Lossy files
// have luma 16 … 235 and chroma 16 … 240. Package webp returns these values as if they
// were 0 … 255 (golang.org/issue/40173), so they are scaled here.
func webpDecode(ctx context.Context, data []byte) (image.Image, error) {
	still, on := webpFirst(data)
	img, err := using(webp.Decode)(ctx, still)
	if err != nil {
		return nil, err
	}
	switch m := img.(type) {
	case *image.YCbCr:
		videorange.Expand(m)
	case *image.NYCbCrA:
		videorange.Expand(&m.YCbCr)
	}
	if on == nil || img.Bounds() == on.canvas {
		return img, nil
	}
	canvas := image.NewRGBA(on.canvas)
	const rows = 64 // drawn at a time, as some kinds take long
	for at := img.Bounds().Add(on.offset); !at.Empty() && ctx.Err() == nil; at.Min.Y += rows {
		part := at
		part.Max.Y = min(at.Max.Y, at.Min.Y+rows)
		draw.Draw(canvas, part, img, part.Min.Sub(on.offset), draw.Src)
	}
	return canvas, nil
}

// A webpPlace is the position of a picture in an animation.
type webpPlace struct {
	canvas image.Rectangle
	offset image.Point
}

// webpFirst returns the first picture of an animated WebP file as a file of its own, and
// its position. It returns other files unchanged.
func webpFirst(data []byte) ([]byte, *webpPlace) {
	var place webpPlace
	for id, body := range webpChunks(data[min(12, len(data)):]) {
		switch {
		case id == "VP8X" && len(body) == 10:
			place.canvas = image.Rect(0, 0, 1+uint24(body[4:]), 1+uint24(body[7:]))
		case id == "ANMF" && len(body) >= 16 && !place.canvas.Empty():
			place.offset = image.Pt(2*uint24(body), 2*uint24(body[3:]))
			return webpStill(body[6:12], body[16:]), &place
		}
	}
	return data, nil
}

// webpStill makes a file of the picture in chunks. Size has width − 1 and height − 1, three
// bytes each.
func webpStill(size, chunks []byte) []byte {
	const hasAlpha = 1 << 4
	var pictures []byte
	var flags byte
	for id, body := range webpChunks(chunks) {
		if id == "ALPH" {
			flags = hasAlpha
		}
		if id == "ALPH" || id == "VP8 " || id == "VP8L" {
			pictures = append(pictures, webpChunk(id, body)...)
		}
	}
	header := webpChunk("VP8X", append([]byte{flags, 0, 0, 0}, size...))
	return webpChunk("RIFF", slices.Concat([]byte("WEBP"), header, pictures))
}

func webpChunk(id string, body []byte) []byte {
	chunk := append(binary.LittleEndian.AppendUint32([]byte(id), uint32(len(body))), body...)
	return append(chunk, make([]byte, len(body)%2)...)
}

// webpChunks yields the chunks in data. The last may be cut short.
func webpChunks(data []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for len(data) >= 8 {
			id, n := string(data[:4]), int(binary.LittleEndian.Uint32(data[4:]))
			data = data[8:]
			if !yield(id, data[:min(n, len(data))]) {
				return
			}
			data = data[min(n+n%2, len(data)):]
		}
	}
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
