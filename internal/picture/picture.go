// Package picture draws samples as images: sheets of faces and of dictionary
// atoms, with captions, for people to look at.
package picture

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"

	"gonum.org/v1/gonum/mat"
)

// A Range says which values become black and which white.
type Range string

// The ranges. In Each 0 is mid grey where the sheet has negative values, as atoms
// have; else the smallest value is black.
const (
	Each Range = "each" // every sample has its own range
	Full Range = "full" // as each, but the smallest value is always black and the largest white
	Grey Range = "grey" // 0 is black and 255 is white
)

// A Size is the height and the width of samples in pixels.
type Size struct{ Height, Width int }

// Sample turns sample j of x, d×n with the pixels of an image column after
// column, into an image of in.Height×in.Width pixels.
func Sample(x *mat.Dense, j int, in Size, r Range) (*image.Gray, error) {
	if err := fits(x, in, r); err != nil {
		return nil, fmt.Errorf("picture: %w", err)
	}
	return grey(x, j, in, toneOf(r, x, j, false)), nil
}

// fits reports samples that are not images of the size in.
func fits(x *mat.Dense, in Size, r Range) error {
	if x == nil || x.IsEmpty() {
		return errors.New("there are no samples")
	}
	d, _ := x.Dims()
	if in.Height < 1 || in.Width < 1 || d%in.Height != 0 || in.Width != d/in.Height {
		return fmt.Errorf("samples of %d features are not images of %dx%d", d, in.Height, in.Width)
	}
	if r != Each && r != Full && r != Grey {
		return fmt.Errorf("range %q is none of %q, %q and %q", string(r), Each, Full, Grey)
	}
	return nil
}

// A tone maps values to grey: zero + gain·v.
type tone struct{ zero, gain float64 }

// toneOf is the tone of sample j of x, around mid grey if signed or if it has a
// negative value.
func toneOf(r Range, x *mat.Dense, j int, signed bool) tone {
	if r == Grey {
		return tone{0, 1}
	}
	least, most := math.Inf(1), math.Inf(-1)
	for _, v := range mat.Col(nil, j, x) {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			least, most = min(least, v), max(most, v)
		}
	}
	switch {
	case !(least <= most): // nothing finite
		return tone{}
	case least == most:
		return tone{127.5, 0}
	case r == Each && (signed || least < 0):
		return tone{127.5, 127.5 / max(-least, most)}
	}
	gain := 255 / (most - least)
	return tone{-least * gain, gain}
}

// of is the grey of v; a value that is not a number is black.
func (t tone) of(v float64) uint8 {
	g := math.Round(t.zero + t.gain*v)
	if math.IsNaN(g) {
		return 0
	}
	return uint8(min(255, max(0, g)))
}

func grey(x *mat.Dense, j int, in Size, t tone) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, in.Width, in.Height))
	for col := range in.Width {
		for row := range in.Height {
			img.SetGray(col, row, color.Gray{Y: t.of(x.At(col*in.Height+row, j))})
		}
	}
	return img
}
