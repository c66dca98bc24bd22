package main

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	_ "image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/internal/testing/realdata"
	"nrdl.example/nrdl/method"
)

// photographed writes a model of people who were photographed, of drawn crops
// that pass for theirs, and returns its path.
func photographed(t *testing.T) string {
	t.Helper()
	d := synthetic.Default
	d.People, d.PerPerson, d.Input = 4, 3, dataset.Size{Height: 32, Width: 32}
	set, err := d.Draw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	set.Frame.Eyes = dataset.DefaultEyes
	return saved(t, set, method.DefaultNRC)
}

// A photograph with two faces has a part for each, the largest first.
func TestExplainPhotograph(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	model, photo := photographed(t), filepath.Join(dir, "photo.png")
	canvas := image.NewRGBA(image.Rect(0, 0, 520, 250))
	draw.Draw(canvas, canvas.Bounds(), image.NewUniform(color.Gray{Y: 128}), image.Point{}, draw.Src)
	for i, name := range []string{"AJ_Cook_0001.jpg", "Abel_Aguilar_0001.jpg"} {
		data, err := os.ReadFile(realdata.Path(t, "photos", "lfw_strangers", name))
		if err != nil {
			t.Fatal(err)
		}
		img, _, err := image.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		draw.Draw(canvas, img.Bounds().Add(image.Pt(i*260, 0)), img, image.Point{}, draw.Src)
	}
	save(t, photo, canvas)
	a := newTestApp(t)
	run := func(output string, number int) (string, error) {
		e := &explaining{app: a, output: filepath.Join(dir, output), number: number}
		e.find = face.Options{Detect: face.Auto, Which: face.All}
		if err := e.run(t.Context(), model, photo); err != nil {
			return "", err
		}
		data, err := os.ReadFile(e.output)
		return string(data), err
	}
	page, err := run("why.html", 0)
	if err != nil || strings.Count(page, "<article>") != 2 || !strings.Contains(page, "Face 1 of 2 (box ") || len(page) > 1e6 {
		t.Errorf("a page of %d bytes with %d faces, %v", len(page), strings.Count(page, "<article>"), err)
	}
	page, err = run("two.html", 2)
	if err != nil || strings.Count(page, "<article>") != 1 || !strings.Contains(page, "Face 2 of 2 (box ") {
		t.Errorf("the second face is not that: %v", err)
	}
	if _, err = run("why.png", 0); err != nil {
		t.Error(err)
	}
	if _, err = run("why.html", 3); err == nil || !strings.Contains(err.Error(), "no face 3: it shows 2 faces") {
		t.Errorf("error %v of the third of two faces", err)
	}
	save(t, photo, image.NewGray(image.Rect(0, 0, 200, 200)))
	if _, err = run("why.html", 0); err == nil || !strings.Contains(err.Error(), "no face found") ||
		!strings.Contains(advice.Text(err), "--detect never") {
		t.Errorf("error %v of a photograph without a face, hint %q", err, advice.Text(err))
	}
}

func save(t *testing.T, path string, img image.Image) {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}
