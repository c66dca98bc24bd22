package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"strconv"
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 3, 2))
	img.Set(2, 1, color.RGBA{200, 100, 50, 255})
	files := map[string]string{}
	for _, format := range Formats {
		var b bytes.Buffer
		if err := Write(&b, "atoms."+strings.ToUpper(format), img); err != nil {
			t.Fatal(err)
		}
		files[format] = b.String()
	}
	if back, err := png.Decode(strings.NewReader(files["png"])); err != nil || color.RGBAModel.Convert(back.At(2, 1)) != img.At(2, 1) {
		t.Errorf("PNG: %v", err)
	}
	if !strings.Contains(files["svg"], `viewBox="0 0 3 2"`) {
		t.Errorf("SVG: %s", files["svg"])
	}
	pdf := files["pdf"]
	_, end, _ := strings.Cut(pdf, "startxref\n")
	table, err := strconv.Atoi(strings.Split(end, "\n")[0])
	if err != nil || !strings.HasPrefix(pdf[table:], "xref\n0 6\n") {
		t.Fatalf("PDF: the table is not at %d: %v", table, err)
	}
	for i, line := range strings.Split(pdf[table:], "\n")[3:8] {
		at, err := strconv.Atoi(line[:10])
		if want := strconv.Itoa(i+1) + " 0 obj\n"; err != nil || !strings.HasPrefix(pdf[at:], want) {
			t.Errorf("PDF: no %q at %d: %v", want, at, err)
		}
	}
	if err := Write(&bytes.Buffer{}, "atoms.gif", img); err == nil {
		t.Error("GIF is written")
	}
}
