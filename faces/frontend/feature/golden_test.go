package feature

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// golden is what scikit-image, SciPy and NumPy computed:
//
//	/usr/bin/python3 feature/testdata/golden.py
//
// Arrays are in column-major order.
type golden struct {
	Images []struct {
		Name          string
		Height, Width int
		Pixels        []float64
		Right, Down   []float64 // numpy.gradient
		LBP           []struct {
			Radius float64
			Codes  []int // skimage.feature.local_binary_pattern, nri_uniform
		}
		LCN, TanTriggs []float64 // of scipy.ndimage.gaussian_filter
	}
	HOG []struct {
		Bins, Height, Width int
		Pixels, Blocks      []float64 // skimage.feature.hog
	}
	Blocks []struct {
		Block, Normalised []float64 // of skimage.feature.hog, L2-Hys
	}
}

func readGolden(t *testing.T) (g golden) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &g); err != nil {
		t.Fatal(err)
	}
	if len(g.Images) == 0 || len(g.HOG) == 0 || len(g.Blocks) == 0 {
		t.Fatal("golden.json lacks cases")
	}
	return g
}

func TestGoldenGradients(t *testing.T) {
	for _, c := range readGolden(t).Images {
		right, down := make([]float64, c.Height), make([]float64, c.Height)
		v := extract(t, IGO{}, c.Pixels, c.Height, c.Width)
		var oriented float64 // pixels
		for i := range c.Right {
			if c.Right[i] != 0 || c.Down[i] != 0 {
				oriented++
			}
		}
		for j := range c.Width {
			gradient(right, down, c.Pixels, c.Height, c.Width, j)
			for i := range c.Height {
				at := j*c.Height + i
				if right[i] != c.Right[at] || down[i] != c.Down[at] {
					t.Fatalf("%s: gradient (%v, %v) at (%d, %d), want (%v, %v)", c.Name, right[i], down[i], i, j, c.Right[at], c.Down[at])
				}
				to := math.Hypot(c.Right[at], c.Down[at]) * math.Sqrt(oriented)
				if to > 0 && math.Hypot(v[at]-c.Right[at]/to, v[len(c.Pixels)+at]-c.Down[at]/to) > 1e-12 {
					t.Fatalf("%s: orientation at (%d, %d)", c.Name, i, j)
				}
			}
		}
	}
}

// The codes agree where the circle is within the image, beyond which
// scikit-image has black and this package the nearest pixel, and where no
// neighbour is within 2·neighbourSlack of the centre: those are the ties that
// the slack decides, and scikit-image rounds the places of neighbours to five
// decimals. Even so nearly all pixels are compared.
func TestGoldenLBP(t *testing.T) {
	for _, c := range readGolden(t).Images {
		for _, lbp := range c.LBP {
			p, image := overPatterns(t, LBP{8, lbp.Radius}, c.Height, c.Width), photo{c.Pixels, c.Height, c.Width}
			reach := int(math.Ceil(lbp.Radius))
			patterns := make([]uint8, c.Height)
			padded, lines := make([]float64, p.images.size), make([]float64, p.lines.size)
			p.surround(padded, c.Pixels)
			compared, within := 0, 0
			for j := reach; j < c.Width-reach; j++ {
				p.patternsOf(patterns, padded, lines, j)
				for i := reach; i < c.Height-reach; i++ {
					within++
					if image.tied(i, j, lbp.Radius) {
						continue
					}
					compared++
					if got, want := int(codeOf[patterns[i]]), lbp.Codes[j*c.Height+i]; got != want {
						t.Errorf("%s, radius %v: code %d at (%d, %d), want %d", c.Name, lbp.Radius, got, i, j, want)
					}
				}
			}
			if c.Name == "noise" && compared < within*9/10 || compared < within/2 {
				t.Errorf("%s, radius %v: only %d of %d pixels are compared", c.Name, lbp.Radius, compared, within)
			}
		}
	}
}

func overPatterns(t *testing.T, f LBP, height, width int) *patternHistograms {
	t.Helper()
	e, err := f.Over(height, width)
	if err != nil {
		t.Fatal(err)
	}
	return e.(*guarded).extractor.(*patternHistograms)
}

// tied reports whether an interpolated neighbour is nearly as bright as the
// centre without being its equal by an exact pixel.
func (p photo) tied(i, j int, radius float64) bool {
	d := radius * math.Sqrt(0.5)
	for _, o := range [8][2]float64{{0, radius}, {-d, d}, {-radius, 0}, {-d, -d}, {0, -radius}, {d, -d}, {radius, 0}, {d, d}} {
		away := p.between(float64(i)+o[0], float64(j)+o[1]) - p.at(i, j)
		exact := o[0] == math.Trunc(o[0]) && o[1] == math.Trunc(o[1])
		if !exact && math.Abs(away) <= 2*neighbourSlack {
			return true
		}
	}
	return false
}

// Lengths of gradients, sums of cells and the normalisation of blocks agree
// with scikit-image's. What does not is changed for the comparison: it counts a
// pixel in one cell, so cells pool without sharing here; it has no gradient at
// the border, nor have these images; and it counts a gradient in one bin, which
// is the same at the centre of a bin, where all gradients of these images are.
func TestGoldenHOG(t *testing.T) {
	const cell = 4
	for _, c := range readGolden(t).HOG {
		e, err := HOG{cell, c.Bins, 0.2}.Over(c.Height, c.Width)
		if err != nil {
			t.Fatal(err)
		}
		g := e.(*guarded).extractor.(*gradientHistograms)
		for i := range c.Height {
			g.rows.lo[i], g.rows.wLo[i], g.rows.wHi[i] = i/cell*g.slots, 1, 0
		}
		for j := range c.Width {
			g.cols.lo[j], g.cols.wLo[j], g.cols.wHi[j] = j/cell, 1, 0
		}
		got := make([]float64, len(c.Blocks))
		e.Extract(got, c.Pixels)
		blocks := float64((c.Height/cell - 1) * (c.Width/cell - 1))
		scale(got, math.Sqrt(blocks))
		if d := differ(t, got, c.Blocks); d > 1e-9 {
			t.Errorf("%d bins: blocks differ by %g", c.Bins, d)
		}
	}
}

func TestGoldenHysteresis(t *testing.T) {
	for _, c := range readGolden(t).Blocks {
		var square float64
		for _, x := range c.Block {
			square += x * x
		}
		hysteresis(c.Block, square, 0.2)
		if d := differ(t, c.Block, c.Normalised); d > 1e-9 {
			t.Errorf("blocks differ by %g", d)
		}
	}
}

func TestGoldenSteps(t *testing.T) {
	for _, c := range readGolden(t).Images {
		if d := differ(t, apply(t, DefaultLCN, c.Pixels, c.Height, c.Width), c.LCN); d > 1e-9 {
			t.Errorf("%s: lcn differs by %g", c.Name, d)
		}
		if d := differ(t, apply(t, DefaultTanTriggs, c.Pixels, c.Height, c.Width), c.TanTriggs); d > 1e-9 {
			t.Errorf("%s: tan-triggs differs by %g", c.Name, d)
		}
	}
}
