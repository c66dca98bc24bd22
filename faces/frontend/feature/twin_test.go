package feature

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// A tester is a testing.T or a rapid.T.
type tester interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// differ returns the largest difference of two vectors.
func differ(t tester, got, want []float64) (largest float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d numbers, want %d", len(got), len(want))
	}
	for i := range got {
		if d := math.Abs(got[i] - want[i]); !(d <= largest) {
			largest = d
		}
	}
	return largest
}

// extract computes a feature that is possible for the size.
func extract(t tester, f Feature, pix []float64, height, width int) []float64 {
	t.Helper()
	e, err := f.Over(height, width)
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]float64, f.Len(height, width))
	for i := range dst {
		dst[i] = math.NaN() // which must be overwritten
	}
	e.Extract(dst, pix)
	return dst
}

func apply(t tester, s Step, pix []float64, height, width int) []float64 {
	t.Helper()
	f, err := s.Over(height, width)
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]float64, len(pix))
	for i := range dst {
		dst[i] = math.NaN()
	}
	f.Apply(dst, pix)
	return dst
}

// images draws one of height×width.
func images(t *rapid.T, height, width int) []float64 {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	if rapid.Bool().Draw(t, "drawn") {
		return drawn(rng, height, width)
	}
	return noise(rng, height, width)
}

func sides(t *rapid.T, minSide int) (height, width int) {
	return rapid.IntRange(minSide, 23).Draw(t, "height"), rapid.IntRange(minSide, 19).Draw(t, "width")
}

func TestFeaturesEqualTheirTwins(t *testing.T) {
	for _, name := range []string{"pixels", "igo", "hog", "lbp", "gabor"} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				minSide := 2
				if name == "gabor" {
					minSide = 5
				}
				height, width := sides(t, minSide)
				cell := rapid.Float64Range(1, float64(min(height, width))).Draw(t, "cell")
				f := map[string]Feature{
					"pixels": Pixels{},
					"igo":    IGO{},
					"hog":    HOG{max(2, cell), rapid.IntRange(2, 12).Draw(t, "bins"), rapid.Float64Range(0.1, 1).Draw(t, "clip")},
					"lbp":    LBP{max(2, cell), rapid.OneOf(rapid.Float64Range(0.5, float64(min(height, width))/2), rapid.Just(1.0)).Draw(t, "radius")},
					"gabor":  Gabor{max(4, cell), rapid.IntRange(1, 2).Draw(t, "scales"), rapid.IntRange(1, 3).Draw(t, "orientations"), 3.5, 0.4},
				}[name]
				pix := images(t, height, width)
				got, want := extract(t, f, pix, height, width), photo{pix, height, width}.feature(f)
				if name == "lbp" { // square roots of counts: those of weights that should be 0 are not
					square(got)
					square(want)
				}
				if d := differ(t, got, want); d > 1e-9 {
					t.Errorf("%+v of %dx%d differs by %g", f, height, width, d)
				}
			})
		})
	}
}

func square(v []float64) {
	for i, x := range v {
		v[i] = x * x
	}
}

func TestStepsEqualTheirTwins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		height, width := sides(t, 1)
		sigma := rapid.Float64Range(0.3, 2.5).Draw(t, "sigma")
		s := rapid.SampledFrom([]Step{
			Equalise{},
			Despeckle{},
			LCN{sigma, rapid.Float64Range(1, 100).Draw(t, "floor")},
			TanTriggs{rapid.Float64Range(0.1, 1.5).Draw(t, "gamma"), sigma, sigma + 0.7, rapid.Float64Range(0.1, 1).Draw(t, "alpha"), 10},
		}).Draw(t, "step")
		if _, ok := s.(TanTriggs); ok && (height < 3 || width < 3) {
			t.Skip("its contrast may be that of rounding")
		}
		pix := images(t, height, width)
		got, want := apply(t, s, pix, height, width), photo{pix, height, width}.step(s)
		if d := differ(t, got, want); d > 1e-8 {
			t.Errorf("%+v of %dx%d differs by %g", s, height, width, d)
		}
	})
}

func TestArctan(t *testing.T) {
	const n = 20000
	right, down, length, angle := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / n)
		right[i], down[i] = 3*cos, 3*sin
	}
	polar(length, angle, right, down, 9, 0.5)
	for i := range n {
		want := math.Mod(2*float64(i)/n, 1) // in half turns
		got := (angle[i] - 0.5) / 9
		away := math.Abs(got - want)
		if away = math.Pi * min(away, 1-away); away > 1e-12 || math.Abs(length[i]-3) > 1e-14 || got < -1e-12 || got > 1+1e-12 {
			t.Fatalf("(%v, %v): length %v, angle %v π, want %v π", right[i], down[i], length[i], got, want)
		}
	}
	polar(length[:1], angle[:1], []float64{0}, []float64{0}, 9, 0.5)
	if length[0] != 0 || !(angle[0] >= 0 && angle[0] <= 9.5) {
		t.Errorf("no gradient: length %v, angle %v", length[0], angle[0])
	}
}

// A pixel counts for cells with weights that sum to 1 away from the border, and
// mirror images have mirrored cells.
func TestPooling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "n")
		cell := rapid.Float64Range(1, float64(n)).Draw(t, "cell")
		p := pixelPooling(n, cell)
		if m := float64(n) / cell; math.Abs(float64(p.cells)-m) > 0.5 {
			t.Fatalf("%d cells of %v in %d pixels", p.cells, cell, n)
		}
		pitch := float64(n) / float64(p.cells)
		weights := func(i int) []float64 {
			w := make([]float64, p.cells)
			w[p.lo[i]] += p.wLo[i]
			w[p.hi[i]] += p.wHi[i]
			return w
		}
		for i := range n {
			w, reflected := weights(i), weights(n-1-i)
			var sum float64
			for k, v := range w {
				sum += v
				if math.Abs(v-reflected[p.cells-1-k]) > 1e-12 || v < 0 {
					t.Fatalf("pixel %d counts %v for cell %d, its mirror image %v", i, v, k, reflected[p.cells-1-k])
				}
			}
			inside := min(float64(i)+0.5, float64(n-i)-0.5) >= pitch/2
			if inside && math.Abs(sum-1) > 1e-12 || sum > 1+1e-12 || sum < 0.5-1e-12 {
				t.Fatalf("the weights of pixel %d sum to %v", i, sum)
			}
		}
		for k, w := range p.cellWeight {
			if !(w > 0) {
				t.Fatalf("cell %d of %d has the weight %v", k, p.cells, w)
			}
		}
	})
}

func TestPatternCodes(t *testing.T) {
	for pattern, got := range codeOf {
		var bits [8]bool
		for p := range bits {
			bits[p] = pattern>>p&1 == 1
		}
		if want := code(bits); int(got) != want {
			t.Errorf("pattern %08b has the code %d, want %d", pattern, got, want)
		}
	}
}
