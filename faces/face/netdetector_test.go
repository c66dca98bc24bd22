package face

import (
	"encoding/json"
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"testing"

	"nrdl.example/nrdl/faces/dataset"
)

// cartoon is a drawn face of side×side pixels: ellipses in the colours of skin, hair,
// eyes and mouth.
func cartoon(side int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, side, side))
	in := func(x, y, cx, cy, rx, ry int) bool {
		x, y = 1000*x/side-cx, 1000*y/side-cy
		return x*x*ry*ry+y*y*rx*rx <= rx*rx*ry*ry
	}
	for y := range side {
		for x := range side {
			c := [3]int{90 + 100*y/side, 120 + 60*x/side, 150}
			switch {
			case in(x, y, 400, 470, 28, 20), in(x, y, 600, 470, 28, 20):
				c = [3]int{30, 25, 20}
			case in(x, y, 400, 470, 65, 32), in(x, y, 600, 470, 65, 32):
				c = [3]int{240, 238, 235}
			case in(x, y, 400, 395, 85, 18), in(x, y, 600, 395, 85, 18):
				c = [3]int{60, 40, 30}
			case in(x, y, 500, 720, 110, 30):
				c = [3]int{170, 60, 65}
			case in(x, y, 500, 610, 50, 30):
				c = [3]int{185, 130, 110}
			case in(x, y, 500, 545, 240, 320):
				shade := 40 * (1000*x/side - 500) / 240
				c = [3]int{215 - shade, 165 - shade, 140 - shade}
			case in(x, y, 500, 430, 290, 330):
				c = [3]int{50, 35, 28}
			}
			i := m.PixOffset(x, y)
			m.Pix[i], m.Pix[i+1], m.Pix[i+2], m.Pix[i+3] = byte(c[0]), byte(c[1]), byte(c[2]), 255
		}
	}
	return m
}

// The networks compute what face-api computes by the same weights. Its numbers are in
// testdata/faceapi.json, made by testdata/faceapi.js.
func TestNetworksAsFaceAPI(t *testing.T) {
	if folder := os.Getenv("NRDL_PICTURES"); folder != "" {
		for _, side := range []int{512, 416, 112} {
			var pix []byte
			for i, v := range cartoon(side).Pix {
				if i%4 < 3 {
					pix = append(pix, v)
				}
			}
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("picture%d.rgb", side)), pix, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	var want struct{ SSDScores, SSDBoxes, Tiny, Landmarks []float64 }
	text, err := os.ReadFile("testdata/faceapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	raw := func(d NetDetector) [][]float32 {
		net, err := d.net.at(t.Context(), d.Side)
		if err != nil {
			t.Fatal(err)
		}
		photo := dataset.NewPhoto(cartoon(d.Side))
		out, err := net.Run(t.Context(), nil, coloursOf(photo, photo.Grey.Rect, 1, photo.Grey.Rect).input(similarity{a: 1}, d.Side, d.Side, 0))
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	compare := func(name string, got, want, off float64) {
		if math.Abs(got-want) > off {
			t.Errorf("%s: %v, not %v", name, got, want)
		}
	}
	ssd := NewSSD(512)
	boxes := decodeSSD(raw(ssd), 512, 512, 0)
	if len(boxes) != 5118 {
		t.Fatalf("%d priors", len(boxes))
	}
	for k, score := range want.SSDScores {
		d := boxes[29*k]
		compare(fmt.Sprint("score of box ", 29*k), d.Score, score, 1e-4)
		for i, v := range []float64{d.Box.Top, d.Box.Left, d.Box.Bottom, d.Box.Right} {
			compare(fmt.Sprint("box ", 29*k), v/512, want.SSDBoxes[4*k+i], 1e-3)
		}
	}
	cells := raw(NewTiny(416))[0]
	for k, v := range want.Tiny {
		compare(fmt.Sprint("cell of number ", k), float64(cells[75*(k/25)+k%25]), v, 1e-2)
	}
	photo := dataset.NewPhoto(cartoon(landmarkSide))
	points, err := landmarks68(t.Context(), photo, Point{landmarkSide / 2, landmarkSide / 2}, landmarkSide, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range points {
		compare(fmt.Sprint("x of landmark ", i), p.X/landmarkSide, want.Landmarks[2*i], 1e-4)
		compare(fmt.Sprint("y of landmark ", i), p.Y/landmarkSide, want.Landmarks[2*i+1], 1e-4)
	}
}
