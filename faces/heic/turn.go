package heic

import (
	"encoding/binary"
	"image"
	"image/draw"
	"math"
)

// transform cuts, turns and mirrors img as the properties of i say, in their order. Each is there once
// at most: turns again and again would take the time of many photographs.
func (i *item) transform(img image.Image) (image.Image, error) {
	done := map[string]bool{}
	for _, p := range i.properties {
		b := img.Bounds()
		if p.Kind == "clap" || p.Kind == "irot" || p.Kind == "imir" {
			if done[p.Kind] {
				return nil, unsupported("an image with more than one property %s", p.Kind)
			}
			done[p.Kind] = true
		}
		switch {
		case p.Kind == "clap":
			r, ok := aperture(p.Content, b.Dx(), b.Dy())
			if !ok {
				return nil, errStructure
			}
			img = cropped(img, r)
		case p.Kind == "irot" && len(p.Content) > 0 && p.Content[0]&3 != 0:
			img = moved(img, move(p.Content[0]&3))
		case p.Kind == "imir" && len(p.Content) > 0:
			img = moved(img, mirrorRows+move(p.Content[0]&1))
		}
	}
	return img, nil
}

// aperture returns the part of an image of w×h pixels that a box clap keeps: width, height, and
// how far its centre lies from that of the image, as fractions.
func aperture(clap []byte, w, h int) (image.Rectangle, bool) {
	if len(clap) < 32 {
		return image.Rectangle{}, false
	}
	var v [4]float64
	for k := range v {
		over, under := int32(binary.BigEndian.Uint32(clap[8*k:])), binary.BigEndian.Uint32(clap[8*k+4:])
		if under == 0 {
			return image.Rectangle{}, false
		}
		v[k] = float64(over) / float64(under)
	}
	cw, ch := int(math.Round(v[0])), int(math.Round(v[1]))
	x, y := int(math.Floor(v[2]+float64(w-cw)/2)), int(math.Floor(v[3]+float64(h-ch)/2))
	r := image.Rect(x, y, x+cw, y+ch).Intersect(image.Rect(0, 0, w, h))
	return r, cw > 0 && ch > 0 && !r.Empty()
}

// cropped returns the part r of img with its corner at (0, 0).
func cropped(img image.Image, r image.Rectangle) image.Image {
	at := image.Rect(0, 0, r.Dx(), r.Dy())
	switch m := img.(type) {
	case *image.Gray:
		return &image.Gray{Pix: m.Pix[m.PixOffset(r.Min.X, r.Min.Y):], Stride: m.Stride, Rect: at}
	case *image.YCbCr:
		if h, v := scale(m.SubsampleRatio); r.Min.X%h != 0 || r.Min.Y%v != 0 {
			m = full(m)
		}
		y, c := m.YOffset(r.Min.X, r.Min.Y), m.COffset(r.Min.X, r.Min.Y)
		return &image.YCbCr{
			Y: m.Y[y:], Cb: m.Cb[c:], Cr: m.Cr[c:], YStride: m.YStride, CStride: m.CStride,
			SubsampleRatio: m.SubsampleRatio, Rect: at,
		}
	}
	out := image.NewRGBA(at)
	draw.Draw(out, at, img, r.Min, draw.Src)
	return out
}

// full returns m with a colour for each pixel.
func full(m *image.YCbCr) *image.YCbCr {
	out := image.NewYCbCr(m.Rect, image.YCbCrSubsampleRatio444)
	for y := range m.Rect.Dy() {
		copy(out.Y[y*out.YStride:][:m.Rect.Dx()], m.Y[y*m.YStride:])
		for x := range m.Rect.Dx() {
			from, to := m.COffset(x, y), out.COffset(x, y)
			out.Cb[to], out.Cr[to] = m.Cb[from], m.Cr[from]
		}
	}
	return out
}

// A move turns an image by as many quarters to the left, or mirrors it.
type move int

const (
	quarter       move = 1
	half          move = 2
	threeQuarter  move = 3
	mirrorRows    move = 4 // the first row becomes the last
	mirrorColumns move = 5 // the first column becomes the last
)

func (m move) swapsSides() bool { return m == quarter || m == threeQuarter }

// steps returns where the first pixel of the result is in a plane of w×h pixels, and how far from
// each pixel the next to the right and below are.
func (m move) steps(w, h, stride, bytes int) (start, right, down int) {
	lastColumn, lastRow := (w-1)*bytes, (h-1)*stride
	switch m {
	case quarter:
		return lastColumn, stride, -bytes
	case half:
		return lastRow + lastColumn, -bytes, -stride
	case threeQuarter:
		return lastRow, -stride, bytes
	case mirrorRows:
		return lastRow, bytes, -stride
	}
	return lastColumn, -bytes, stride
}

// plane returns a plane of w×h pixels, moved.
func (m move) plane(pix []byte, stride, w, h, bytes int) []byte {
	start, right, down := m.steps(w, h, stride, bytes)
	if m.swapsSides() {
		w, h = h, w
	}
	out := make([]byte, w*h*bytes)
	for y := range h {
		row, at := out[y*w*bytes:][:w*bytes], start+y*down
		for x := 0; x < len(row); x, at = x+bytes, at+right {
			for k := range bytes {
				row[x+k] = pix[at+k]
			}
		}
	}
	return out
}

var across = map[image.YCbCrSubsampleRatio]image.YCbCrSubsampleRatio{
	image.YCbCrSubsampleRatio422: image.YCbCrSubsampleRatio440, image.YCbCrSubsampleRatio440: image.YCbCrSubsampleRatio422,
}

// moved returns img, which begins at (0, 0), moved.
func moved(img image.Image, by move) image.Image {
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	rect := img.Bounds()
	if by.swapsSides() {
		rect = image.Rect(0, 0, h, w)
	}
	switch m := img.(type) {
	case *image.Gray:
		return &image.Gray{Pix: by.plane(m.Pix, m.Stride, w, h, 1), Stride: rect.Dx(), Rect: rect}
	case *image.YCbCr:
		sh, sv := scale(m.SubsampleRatio)
		if w%sh != 0 || h%sv != 0 { // the last pixels have a colour of their own
			m, sh, sv = full(m), 1, 1
		}
		out := &image.YCbCr{Y: by.plane(m.Y, m.YStride, w, h, 1), YStride: rect.Dx(), SubsampleRatio: m.SubsampleRatio, Rect: rect}
		out.Cb, out.Cr = by.plane(m.Cb, m.CStride, w/sh, h/sv, 1), by.plane(m.Cr, m.CStride, w/sh, h/sv, 1)
		out.CStride = w / sh
		if by.swapsSides() {
			out.CStride = h / sv
			if ratio, ok := across[m.SubsampleRatio]; ok {
				out.SubsampleRatio = ratio
			}
		}
		return out
	case *image.RGBA:
		return &image.RGBA{Pix: by.plane(m.Pix, m.Stride, w, h, 4), Stride: 4 * rect.Dx(), Rect: rect}
	}
	return img
}
