package face

import (
	"image/color"
	"math"
	"testing"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/synthetic"
)

// A mask or sunglasses on a drawn face are reported, and what is free is not called covered.
func TestCovered(t *testing.T) {
	if n := len(CoverParts) * 4 * (coverHOG.Len(coverSide, coverSide) + 1); len(coverWeights) != n {
		t.Fatalf("%d bytes of weights, want %d", len(coverWeights), n)
	}
	drawn := synthetic.Photographs{People: 4, PerPerson: 1, Size: dataset.Size{Height: 240, Width: 320}, Seed: 7}
	wrong := 0
	for i := range drawn.People * drawn.PerPerson {
		for _, want := range append([]string{""}, CoverParts...) {
			img, where := drawn.Draw(i)
			var f Face
			for k, at := range where.Faces[0].Pupils {
				f.Pupils[k] = Point{X: at.X, Y: at.Y}
			}
			left, right := f.Pupils[0], f.Pupils[1]
			back := about(0, 0, left.to(right), math.Atan2(right.Y-left.Y, right.X-left.X), middle(f.Pupils)).inverse()
			for y := range img.Rect.Dy() {
				for x := range img.Rect.Dx() {
					p := back.at(float64(x)+0.5, float64(y)+0.5) // in eye distances from between the eyes
					mask := want == "mouth" && p.Y > 0.5 && p.Y < 1.9 && math.Abs(p.X) < 1.1
					glasses := want == "eyes" &&
						(math.Hypot((math.Abs(p.X)-0.5)/0.38, (p.Y-0.05)/0.3) < 1 || math.Abs(p.Y+0.1) < 0.04 && math.Abs(p.X) < 1)
					if mask || glasses {
						img.Set(x, y, color.RGBA{20, 25, 30, 255})
					}
				}
			}
			cut := Cut{Network: true}
			if err := cut.cover(t.Context(), dataset.NewPhoto(img), &f); err != nil {
				t.Fatal(err)
			}
			if f.Covered != want {
				wrong++
				t.Logf("face %d: %q is covered, want %q", i, f.Covered, want)
			}
		}
	}
	if wrong > 1 {
		t.Errorf("%d of 12 answers are wrong", wrong)
	}
	var f Face
	if err := (Cut{}).cover(t.Context(), nil, &f); err != nil || f.Covered != "" {
		t.Errorf("without landmarks: %q, %v", f.Covered, err)
	}
}
