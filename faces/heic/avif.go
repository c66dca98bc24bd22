package heic

import (
	"context"
	"image"

	"nrdl.example/nrdl/faces/internal/sandbox"
)

// decodeAVIF decodes a file whose image is coded by AV1.
func (f *container) decodeAVIF(ctx context.Context) (image.Image, error) {
	var img image.Image
	err := avif.Do(ctx, f.limits(), func(r *sandbox.Run) { img = decodeAVIF(r, f.data) })
	if err != nil {
		return nil, err
	}
	return f.primary.transform(img)
}

func decodeAVIF(r *sandbox.Run, data []byte) image.Image {
	file, out := r.Store(data), r.Malloc(3*4)
	decode := func(pixels uint64) {
		if r.Call("decode", file, uint64(len(data)), out, out+4, out+8, pixels) == 0 {
			r.Fail(errDecode)
		}
	}
	decode(0)
	w, h, depth := r.Int(out), r.Int(out+4), r.Int(out+8)
	if r.Err() != nil || w <= 0 || h <= 0 || w > maxPixels || h > maxPixels/w {
		r.Fail(errDecode)
		return nil
	}
	size := 4 * w * h
	if depth > 8 {
		size *= 2
	}
	pixels := r.Malloc(size)
	decode(pixels)
	from := r.Read(pixels, size)
	if r.Err() != nil {
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
