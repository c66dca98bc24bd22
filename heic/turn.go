package heic

import (
	"image"

	"nrdl.example/nrdl/internal/metadata"
)

// upright applies the transforms of a file.
func upright(m *image.RGBA, data []byte) (image.Image, error) {
	all, err := metadata.Transforms(data)
	for _, t := range all {
		switch w, h := m.Rect.Dx(), m.Rect.Dy(); {
		case t.Kind == "imir" && t.Code == 0:
			m = moved(m, w, h, func(x, y int) (int, int) { return x, h - 1 - y })
		case t.Kind == "imir":
			m = moved(m, w, h, func(x, y int) (int, int) { return w - 1 - x, y })
		default:
			for range t.Code {
				w, h := m.Rect.Dx(), m.Rect.Dy()
				m = moved(m, h, w, func(x, y int) (int, int) { return w - 1 - y, x })
			}
		}
	}
	return m, err
}

// moved returns an image of w×h whose pixel (x, y) is that of m at from(x, y).
func moved(m *image.RGBA, w, h int, from func(x, y int) (int, int)) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			fx, fy := from(x, y)
			copy(out.Pix[y*out.Stride+4*x:][:4], m.Pix[fy*m.Stride+4*fx:])
		}
	}
	return out
}
