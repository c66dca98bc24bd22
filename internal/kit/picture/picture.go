// Package picture draws samples as images: sheets of faces and of dictionary
// atoms, with captions, for people to look at.
package picture

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"path/filepath"
	"strings"

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
	minimum, maximum := math.Inf(1), math.Inf(-1)
	for _, v := range mat.Col(nil, j, x) {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			minimum, maximum = min(minimum, v), max(maximum, v)
		}
	}
	switch {
	case !(minimum <= maximum): // nothing finite
		return tone{}
	case minimum == maximum:
		return tone{127.5, 0}
	case r == Each && (signed || minimum < 0):
		return tone{127.5, 127.5 / max(-minimum, maximum)}
	}
	gain := 255 / (maximum - minimum)
	return tone{-minimum * gain, gain}
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

// Formats are the extensions of the files that Write writes.
var Formats = []string{"png", "svg", "pdf"}

// Write writes img in the format that the extension of path names: PNG, or the same pixels as
// an SVG figure or as a PDF of one page, for a paper.
func Write(w io.Writer, path string, img image.Image) error {
	switch ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), ".")); ext {
	case "png":
		return png.Encode(w, img)
	case "svg":
		return writeSVG(w, img)
	case "pdf":
		return writePDF(w, img)
	default:
		return fmt.Errorf("a picture is not written as %q, but as %s", ext, strings.Join(Formats, ", "))
	}
}

func writeSVG(w io.Writer, img image.Image) error {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return err
	}
	size := img.Bounds().Size()
	_, err := fmt.Fprintf(w,
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d"><image width="%d" height="%d" style="image-rendering:pixelated" href="data:image/png;base64,%s"/></svg>`+"\n",
		size.X, size.Y, size.X, size.Y, size.X, size.Y, base64.StdEncoding.EncodeToString(b.Bytes()))
	return err
}

// writePDF writes a page as large as img at 96 pixels an inch (ISO 32000-1, 7.5 and 8.9.5).
func writePDF(w io.Writer, img image.Image) error {
	box := img.Bounds()
	var pixels bytes.Buffer
	z := zlib.NewWriter(&pixels)
	row := make([]byte, 0, 3*box.Dx())
	for y := box.Min.Y; y < box.Max.Y; y++ {
		row = row[:0]
		for x := box.Min.X; x < box.Max.X; x++ {
			r, g, b, _ := img.At(x, y).RGBA()
			row = append(row, byte(r>>8), byte(g>>8), byte(b>>8))
		}
		_, _ = z.Write(row) // a buffer takes it
	}
	_ = z.Close()
	const points = 72.0 / 96
	width, height := points*float64(box.Dx()), points*float64(box.Dy())
	draw := fmt.Sprintf("%.2f 0 0 %.2f 0 0 cm /I Do", width, height)
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	var places []int
	object := func(text string, stream []byte) {
		places = append(places, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n", len(places))
		if stream == nil {
			b.WriteString("<<" + text + ">>")
		} else {
			fmt.Fprintf(&b, "<<%s/Length %d>>\nstream\n", text, len(stream))
			b.Write(stream)
			b.WriteString("\nendstream")
		}
		b.WriteString("\nendobj\n")
	}
	object("/Type/Catalog/Pages 2 0 R", nil)
	object("/Type/Pages/Kids[3 0 R]/Count 1", nil)
	object(fmt.Sprintf("/Type/Page/Parent 2 0 R/MediaBox[0 0 %.2f %.2f]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>", width, height), nil)
	object("", []byte(draw))
	object(fmt.Sprintf("/Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/FlateDecode",
		box.Dx(), box.Dy()), pixels.Bytes())
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(places)+1)
	for _, at := range places {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(places)+1, table)
	_, err := b.WriteTo(w)
	return err
}
