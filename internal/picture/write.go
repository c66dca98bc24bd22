package picture

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"io"
	"path/filepath"
	"strings"
)

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
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d"><image width="%d" height="%d" style="image-rendering:pixelated" href="data:image/png;base64,%s"/></svg>`+"\n",
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
	object(fmt.Sprintf("/Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/FlateDecode", box.Dx(), box.Dy()), pixels.Bytes())
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(places)+1)
	for _, at := range places {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(places)+1, table)
	_, err := b.WriteTo(w)
	return err
}
