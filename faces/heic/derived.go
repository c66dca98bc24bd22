package heic

import (
	"image"
	"image/color"
	"image/draw"
)

// numbersOf reads n integers of size bytes each.
func numbersOf(b []byte, size, n int) ([]int, bool) {
	if len(b) < size*n {
		return nil, false
	}
	all := make([]int, n)
	for i := range all {
		for _, v := range b[:size] {
			all[i] = all[i]<<8 | int(v)
		}
		b = b[size:]
	}
	return all, true
}

// fieldSize is that of integers in derived images, by their flags.
func fieldSize(flags byte) int { return 2 + 2*int(flags&1) }

// grid makes an image of tiles of one size, row by row.
func (d *decoding) grid(i *item, depth int) (image.Image, error) {
	b, err := d.content(i)
	if err != nil {
		return nil, err
	}
	if len(b) < 4 {
		return nil, errStructure
	}
	rows, columns := int(b[2])+1, int(b[3])+1
	size, ok := numbersOf(b[4:], fieldSize(b[1]), 2)
	if !ok || len(i.parts) < rows*columns {
		return nil, errStructure
	}
	w, h := size[0], size[1]
	if err := d.spend(w, h); err != nil {
		return nil, err
	}
	var canvas image.Image
	var tile image.Point
	for k := range rows * columns {
		part := d.items[i.parts[k]]
		if part == nil {
			return nil, errStructure
		}
		img, err := d.image(part, depth-1)
		if err != nil {
			return nil, err
		}
		if canvas == nil {
			tile = img.Bounds().Size()
			if tile.X*columns < w || tile.Y*rows < h || tile.X*(columns-1) >= w || tile.Y*(rows-1) >= h {
				return nil, errStructure
			}
			if _, ok := img.(*image.RGBA); ok {
				if err := d.fill(w, h); err != nil {
					return nil, err
				}
			}
			canvas = blank(img, image.Rect(0, 0, w, h))
		}
		if img.Bounds().Size() != tile {
			return nil, errStructure
		}
		if err := place(canvas, img, image.Pt(k%columns*tile.X, k/columns*tile.Y)); err != nil {
			return nil, err
		}
	}
	return canvas, nil
}

// blank returns an image of the kind of m.
func blank(m image.Image, r image.Rectangle) image.Image {
	switch m := m.(type) {
	case *image.Gray:
		return image.NewGray(r)
	case *image.YCbCr:
		return image.NewYCbCr(r, m.SubsampleRatio)
	}
	return image.NewRGBA(r)
}

// place copies a tile to the point at of a canvas of its kind.
func place(canvas, tile image.Image, at image.Point) error {
	size := canvas.Bounds().Size().Sub(at)
	size.X, size.Y = min(size.X, tile.Bounds().Dx()), min(size.Y, tile.Bounds().Dy())
	switch to := canvas.(type) {
	case *image.Gray:
		if from, ok := tile.(*image.Gray); ok {
			copyPlane(to.Pix[to.PixOffset(at.X, at.Y):], to.Stride, from.Pix, from.Stride, size.X, size.Y)
			return nil
		}
	case *image.YCbCr:
		from, ok := tile.(*image.YCbCr)
		h, v := scale(to.SubsampleRatio)
		if !ok || from.SubsampleRatio != to.SubsampleRatio || at.X%h != 0 || at.Y%v != 0 {
			break
		}
		copyPlane(to.Y[to.YOffset(at.X, at.Y):], to.YStride, from.Y, from.YStride, size.X, size.Y)
		c, cw, ch := to.COffset(at.X, at.Y), (size.X+h-1)/h, (size.Y+v-1)/v
		copyPlane(to.Cb[c:], to.CStride, from.Cb, from.CStride, cw, ch)
		copyPlane(to.Cr[c:], to.CStride, from.Cr, from.CStride, cw, ch)
		return nil
	case *image.RGBA:
		draw.Draw(to, image.Rectangle{at, at.Add(size)}, tile, tile.Bounds().Min, draw.Src)
		return nil
	}
	return unsupported("tiles of several kinds")
}

func copyPlane(to []byte, toStride int, from []byte, fromStride, w, h int) {
	for y := range h {
		copy(to[y*toStride:][:w], from[y*fromStride:])
	}
}

// scale returns how many columns and rows share a colour.
func scale(r image.YCbCrSubsampleRatio) (h, v int) {
	switch r {
	case image.YCbCrSubsampleRatio420:
		return 2, 2
	case image.YCbCrSubsampleRatio422:
		return 2, 1
	case image.YCbCrSubsampleRatio440:
		return 1, 2
	}
	return 1, 1
}

// overlay puts images over each other on a canvas.
func (d *decoding) overlay(i *item, depth int) (image.Image, error) {
	b, err := d.content(i)
	if err != nil {
		return nil, err
	}
	if len(b) < 10 {
		return nil, errStructure
	}
	bytes := fieldSize(b[1])
	fill, _ := numbersOf(b[2:], 2, 4)
	field, ok := numbersOf(b[10:], bytes, 2+2*len(i.parts))
	if !ok {
		return nil, errStructure
	}
	if err := d.spend(field[0], field[1]); err != nil {
		return nil, err
	}
	if err := d.fill(field[0], field[1]); err != nil {
		return nil, err
	}
	canvas := image.NewRGBA(image.Rect(0, 0, field[0], field[1]))
	draw.Draw(canvas, canvas.Rect, image.NewUniform(color.NRGBA64{uint16(fill[0]), uint16(fill[1]), uint16(fill[2]), uint16(fill[3])}),
		image.Point{}, draw.Src)
	for k, id := range i.parts {
		part := d.items[id]
		if part == nil {
			return nil, errStructure
		}
		img, err := d.visible(part, depth-1)
		if err != nil {
			return nil, err
		}
		signed := func(v int) int { return v << (64 - 8*bytes) >> (64 - 8*bytes) }
		at := image.Pt(signed(field[2+2*k]), signed(field[3+2*k]))
		draw.Draw(canvas, img.Bounds().Sub(img.Bounds().Min).Add(at), img, img.Bounds().Min, draw.Over)
	}
	return canvas, nil
}

// transparent returns img with the values of mask as its transparency, where both have one
// size and kinds that go together; else img.
func transparent(img, mask image.Image) image.Image {
	if img.Bounds().Size() != mask.Bounds().Size() {
		return img
	}
	var alpha []byte
	stride := 0
	switch m := mask.(type) {
	case *image.Gray:
		alpha, stride = m.Pix, m.Stride
	case *image.YCbCr:
		alpha, stride = m.Y, m.YStride
	default:
		return img
	}
	if m, ok := img.(*image.YCbCr); ok {
		return &image.NYCbCrA{YCbCr: *m, A: alpha, AStride: stride}
	}
	b := img.Bounds()
	out := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(out, out.Rect, img, b.Min, draw.Src)
	for y := range b.Dy() {
		for x := range b.Dx() {
			out.Pix[out.PixOffset(x, y)+3] = alpha[y*stride+x]
		}
	}
	return out
}
