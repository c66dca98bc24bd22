package face

import (
	"image"
	"math"
	"testing"

	"nrdl.example/nrdl/faces/dataset"
)

var cropInput = dataset.Frame{Size: dataset.Size{Height: 40, Width: 32}, Eyes: dataset.Eyes{Distance: 0.5, Height: 0.35}}

// cropNaively is Crop by the definition: all pixels about the photograph, none
// before the others.
func cropNaively(m *image.Gray, p [2]Point, in dataset.Frame) []float64 {
	crop := in.Crop
	if crop == 0 {
		crop = 1
	}
	h, w := float64(in.Height), float64(in.Width)
	dx, dy := p[1].X-p[0].X, p[1].Y-p[0].Y
	// One pixel of the image that is not cropped yet, along its rows and columns.
	ux, uy := dx/(in.Eyes.Distance*w), dy/(in.Eyes.Distance*w)
	stretch := max(1, crop*math.Hypot(ux, uy))
	var out []float64
	for x := range in.Width {
		for y := range in.Height {
			u := (1-crop)/2*w + crop*(float64(x)+0.5) - (1-in.Eyes.Distance)/2*w
			v := (1-crop)/2*h + crop*(float64(y)+0.5) - in.Eyes.Height*h
			cx, cy := p[0].X+u*ux-v*uy, p[0].Y+u*uy+v*ux
			var sum, weights float64
			for r := -60; r < m.Rect.Dy()+60; r++ {
				for c := -60; c < m.Rect.Dx()+60; c++ {
					ex, ey := float64(c)+0.5-cx, float64(r)+0.5-cy
					n := math.Hypot(ux, uy) * stretch
					k := kernel((ex*ux+ey*uy)/n) * kernel((ey*ux-ex*uy)/n)
					sum += k * float64(m.GrayAt(max(0, min(m.Rect.Dx()-1, c)), max(0, min(m.Rect.Dy()-1, r))).Y)
					weights += k
				}
			}
			out = append(out, max(0, min(255, math.Round(sum/weights))))
		}
	}
	return out
}

func TestCropNaively(t *testing.T) {
	m := noise(50, 40, 7)
	for _, p := range [][2]Point{{{20, 15}, {32, 15}}, {{10.3, 12.7}, {36.2, 17.1}}, {{30, 8}, {26.5, 30}}, {{3, 36}, {12, 33}}} {
		for _, crop := range []float64{0, 0.6} {
			in := cropInput
			in.Size, in.Crop = dataset.Size{Height: 9, Width: 7}, crop
			got, want := Crop(m, p, in), cropNaively(m, p, in)
			for i := range want {
				if math.Abs(got[i]-want[i]) > 1 || math.Round(got[i]) != got[i] {
					t.Fatalf("pupils %v, crop %v: value %d is %v, want %v", p, crop, i, got[i], want[i])
				}
			}
		}
	}
}

// TestCropLarge compares with the definition where blocks are averaged first.
func TestCropLarge(t *testing.T) {
	m := drawn(220, 220, func(x, y float64) float64 { return 120 + 60*math.Sin(x/9) + 60*math.Cos(y/7+x/20) })
	in := cropInput
	in.Size = dataset.Size{Height: 8, Width: 6}
	p := [2]Point{{85, 80}, {138, 86}}
	got, want := Crop(m, p, in), cropNaively(m, p, in)
	for i := range want {
		if math.Abs(got[i]-want[i]) > 2 {
			t.Errorf("value %d is %v, want %v", i, got[i], want[i])
		}
	}
}

// TestCropPutsPupils draws two dots and looks where they are in the crop.
func TestCropPutsPupils(t *testing.T) {
	for _, p := range [][2]Point{{{61.3, 50.2}, {90.9, 57.6}}, {{150.2, 160.7}, {40.3, 170.1}}, {{100, 60}, {100.5, 120}}} {
		apart := p[0].to(p[1])
		m := drawn(200, 220, func(x, y float64) float64 {
			var v float64
			for _, q := range p {
				d := q.to(Point{x, y}) / apart * 8
				v += 250 * math.Exp(-d*d/2)
			}
			return v
		})
		for _, crop := range []float64{0, 0.8} {
			in := cropInput
			in.Crop = crop
			values := Crop(m, p, in)
			share := crop
			if share == 0 {
				share = 1
			}
			for i, side := range []float64{-1, 1} {
				got := centroid(values, in.Size, i)
				h, w := float64(in.Height), float64(in.Width)
				want := Point{w/2 + side*in.Eyes.Distance/2*w/share, h/2 + (in.Eyes.Height-0.5)*h/share}
				if got.to(want) > 0.1 {
					t.Errorf("pupils %v, crop %v: pupil %d at %v, want %v", p, crop, i, got, want)
				}
			}
		}
	}
}

// centroid returns the middle of what is bright in the left or the right half.
func centroid(values []float64, size dataset.Size, half int) (c Point) {
	var sum float64
	for x := half * size.Width / 2; x < (half+1)*size.Width/2; x++ {
		for y := range size.Height {
			v := values[x*size.Height+y]
			c.X += v * (float64(x) + 0.5)
			c.Y += v * (float64(y) + 0.5)
			sum += v
		}
	}
	return Point{c.X / sum, c.Y / sum}
}

func TestCropMirrored(t *testing.T) {
	m, in := noise(120, 90, 8), cropInput
	p := [2]Point{{41.3, 30.2}, {70.9, 37.6}}
	a := Crop(m, p, in)
	b := Crop(mirrored(m), [2]Point{{120 - p[1].X, p[1].Y}, {120 - p[0].X, p[0].Y}}, in)
	for x := range in.Width {
		for y := range in.Height {
			if d := a[x*in.Height+y] - b[(in.Width-1-x)*in.Height+y]; math.Abs(d) > 1 {
				t.Fatalf("column %d, row %d: differ by %v", x, y, d)
			}
		}
	}
}

// TestCropWhole leaves an image alone whose pupils are in their places.
func TestCropWhole(t *testing.T) {
	in := cropInput
	m := noise(in.Width, in.Height, 9)
	y := in.Eyes.Height * float64(in.Height)
	got := Crop(m, [2]Point{{8, y}, {24, y}}, in)
	for x := range in.Width {
		for y := range in.Height {
			if want := float64(m.GrayAt(x, y).Y); got[x*in.Height+y] != want {
				t.Fatalf("column %d, row %d: %v, want %v", x, y, got[x*in.Height+y], want)
			}
		}
	}
}

// TestCropOutside takes crops of which little, or nothing, is in the photograph.
func TestCropOutside(t *testing.T) {
	m := drawn(64, 48, func(_, _ float64) float64 { return 77 })
	for _, p := range [][2]Point{{{-500, -500}, {-490, -500}}, {{0, 0}, {64, 48}}, {{1e5, 0}, {2e5, 10}}, {{10, 10}, {10.001, 10}}} {
		for _, v := range Crop(m, p, cropInput) {
			if v != 77 {
				t.Fatalf("pupils %v: %v", p, v)
			}
		}
	}
}

func TestCropPanics(t *testing.T) {
	p := [2]Point{{1, 1}, {5, 1}}
	for name, f := range map[string]func(){
		"size":   func() { Crop(noise(9, 9, 1), p, dataset.Frame{Eyes: dataset.DefaultEyes}) },
		"eyes":   func() { Crop(noise(9, 9, 1), p, dataset.Frame{Size: cropInput.Size}) },
		"pupils": func() { Crop(noise(9, 9, 1), [2]Point{}, cropInput) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
