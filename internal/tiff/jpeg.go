package tiff

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"reflect"
	"slices"

	"nrdl.example/nrdl/internal/bounded"
)

// decodeJPEG decodes blocks that are JPEG files without the tables, which they share.
func (d *directory) decodeJPEG(ctx context.Context, b *blocks) (image.Image, error) {
	const longest = 1 << 16 // of tables, which are copied for each block
	tables := d.tags[tagTables].values
	if len(tables) > longest {
		return nil, fmt.Errorf("tables of JPEG of %d bytes", len(tables))
	}
	if len(tables) < 4 {
		tables = []byte{0xff, 0xd8, 0xff, 0xd9}
	}
	var whole image.Image
	visited := 0
	err := d.each(ctx, b, func(data []byte, at image.Rectangle) error {
		if len(data) < 2 {
			return errors.New("a block without JPEG")
		}
		file := slices.Concat(tables[:len(tables)-2], data[2:]) // the marker of the end, and that of the beginning
		j := bounded.ReadJPEG(file)
		visited += j.Visited
		if err := b.check(j, visited); err != nil {
			return fmt.Errorf("a block of JPEG %w", err)
		}
		img, err := jpeg.Decode(bounded.NewReader(ctx, file))
		if err != nil {
			return err
		}
		if m, ok := img.(*image.YCbCr); ok && d.one(tagPhotometric, 0) == photometricRGB {
			img = asRGB(m)
		}
		if img.Bounds() == b.image { // the only block
			whole = img
			return nil
		}
		if whole == nil {
			whole = canvas(img, b.image)
		}
		return place(whole, img, at.Min)
	})
	if err != nil {
		return nil, err
	}
	if m, ok := whole.(*image.YCbCr); ok {
		d.stretch(m)
	}
	return whole, nil
}

// check reports why the block j is not decoded; visited are the pixels of all blocks up to it.
func (b *blocks) check(j *bounded.JPEG, visited int) error {
	const little, each = 64 << 20, 8 // bytes; bytes for a pixel of the image
	most := int64(max(little, each*b.image.Dx()*b.image.Dy()))
	switch {
	case j.Width > b.width || j.Height > b.height:
		return fmt.Errorf("has %d×%d pixels, more than %d×%d", j.Width, j.Height, b.width, b.height)
	case visited > bounded.MaxVisited:
		return fmt.Errorf("has too many scans: with those of others they visit more than %d million pixels", bounded.MaxVisited/1_000_000)
	case j.Memory() > most:
		return fmt.Errorf("takes %d MB of memory; at most %d are taken", j.Memory()/1_000_000, most/1_000_000)
	}
	return j.Check()
}

// asRGB takes the planes of m for red, green and blue.
func asRGB(m *image.YCbCr) image.Image {
	b := m.Bounds()
	out := image.NewRGBA(b)
	for y := range b.Dy() {
		row := out.Pix[y*out.Stride:]
		for x := range b.Dx() {
			i, c := m.YOffset(x, y), m.COffset(x, y)
			row[4*x], row[4*x+1], row[4*x+2], row[4*x+3] = m.Y[i], m.Cb[c], m.Cr[c], 0xff
		}
	}
	return out
}

// canvas returns an image of the kind of img.
func canvas(img image.Image, r image.Rectangle) image.Image {
	switch m := img.(type) {
	case *image.YCbCr:
		return image.NewYCbCr(r, m.SubsampleRatio)
	case *image.Gray:
		return image.NewGray(r)
	}
	return image.NewRGBA(r)
}

// place copies img, which must be of the kind of whole, into whole at the given point.
func place(whole, img image.Image, at image.Point) error {
	bounds := img.Bounds()
	switch to := whole.(type) {
	case *image.YCbCr:
		from, ok := img.(*image.YCbCr)
		if !ok || from.SubsampleRatio != to.SubsampleRatio {
			break
		}
		size := bounds.Size()
		size.X, size.Y = min(size.X, to.Rect.Dx()-at.X), min(size.Y, to.Rect.Dy()-at.Y)
		for y := range size.Y {
			copy(to.Y[to.YOffset(at.X, at.Y+y):][:size.X], from.Y[from.YOffset(0, y):])
			t, f := to.COffset(at.X, at.Y+y), from.COffset(0, y)
			n := to.COffset(at.X+size.X-1, at.Y+y) - t + 1
			copy(to.Cb[t:][:n], from.Cb[f:])
			copy(to.Cr[t:][:n], from.Cr[f:])
		}
		return nil
	case draw.Image:
		if reflect.TypeOf(whole) == reflect.TypeOf(img) {
			draw.Draw(to, bounds.Sub(bounds.Min).Add(at), img, bounds.Min, draw.Src)
			return nil
		}
	}
	return fmt.Errorf("unsupported: blocks of several kinds, as %T", img)
}
