package face

import (
	"encoding/json"
	"fmt"
	"image"
	"math"
	"os"
	"testing"

	"nrdl.example/nrdl/dataset"
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

// The network of landmarks computes what face-api computes by the same weights. Its numbers are in
// testdata/faceapi.json, made by testdata/faceapi.js.
func TestLandmarksAsFaceAPI(t *testing.T) {
	var want struct{ Landmarks []float64 }
	text, err := os.ReadFile("testdata/faceapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	compare := func(name string, got, want, off float64) {
		if math.Abs(got-want) > off {
			t.Errorf("%s: %v, not %v", name, got, want)
		}
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

// Tiles cover a side, are no longer than they may be, and each pair that lies side by side shares
// enough pixels.
func TestTiles(t *testing.T) {
	o := DefaultSearch.Scales
	for n := 1; n < 5000; n += 7 {
		tiles := o.tiles(n)
		if tiles[0][0] != 0 || tiles[len(tiles)-1][1] != n {
			t.Fatalf("%d pixels: %v", n, tiles)
		}
		for i, tile := range tiles {
			if tile[1]-tile[0] > o.Tile || tile[1] <= tile[0] || i > 0 && tiles[i-1][1]-tile[0] < o.Share {
				t.Fatalf("%d pixels: %v", n, tiles)
			}
		}
	}
}

// Small faces in a large photograph, and in a long one, are found in tiles, all but one of the drawn
// ones.
func TestFindFar(t *testing.T) {
	portrait := drawnPortrait(t)
	for _, size := range []image.Point{{2400, 1600}, {4000, 800}} {
		places := map[image.Rectangle]image.Image{}
		for i := range 3 {
			places[image.Rect(0, 0, 130, 130).Add(image.Pt(size.X*(2*i+1)/6-40, size.Y*(i+1)/4-40))] = portrait
		}
		if faces := findIn(t, onGrey(size.X, size.Y, places)); len(faces) < len(places)-1 || len(faces) > len(places) {
			t.Errorf("%v: %d faces of %d", size, len(faces), len(places))
		}
	}
}
