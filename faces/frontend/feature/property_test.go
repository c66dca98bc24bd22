package feature

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// raced is whether the race detector runs, under which pools forget.
var raced bool

func length(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum += x * x
	}
	return math.Sqrt(sum)
}

var small = []Feature{Pixels{}, IGO{}, HOG{5.34, 9, 0.2}, LBP{5.34, 1}, LBP{4, 2.5}, Gabor{6, 2, 3, 4, 0.56}}

// No finite image gives anything but finite numbers, of unit length or zero.
func TestAnyFiniteImage(t *testing.T) {
	const height, width = 9, 7
	numbers := rapid.OneOf(
		rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64),
		rapid.Float64Range(-1e-300, 1e-300),
		rapid.Float64Range(0, 255),
		rapid.SampledFrom([]float64{0, 255, -1, math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 1e160, 1e-160}),
	)
	rapid.Check(t, func(t *rapid.T) {
		pix := rapid.SliceOfN(numbers, height*width, height*width).Draw(t, "pix")
		by := rapid.SampledFrom([]float64{1, 1, 1e-160, 1e-310}).Draw(t, "by")
		scale(pix, by)
		for _, s := range Steps {
			v := apply(t, s, pix, height, width)
			if slices.ContainsFunc(v, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }) {
				t.Errorf("%s gives %v", s.Name(), v)
			}
		}
		for _, f := range small {
			v := extract(t, f, pix, height, width)
			if l := length(v); !(math.Abs(l-1) < 1e-9) && !blank(v) {
				t.Errorf("%s has the length %v", f.Name(), l)
			}
		}
	})
}

// An even image has nothing but its brightness, after any step too.
func TestEvenImages(t *testing.T) {
	const height, width = 13, 11
	for _, grey := range []float64{0, 0.1, 77.7, 255, -3} {
		pix := slices.Repeat([]float64{grey}, height*width)
		for _, s := range Steps {
			v := apply(t, s, pix, height, width)
			for _, x := range v {
				if x != v[0] {
					t.Fatalf("%s of an even %v is uneven", s.Name(), grey)
				}
			}
		}
		for _, f := range small {
			v := extract(t, f, pix, height, width)
			if _, keeps := f.(Pixels); keeps && grey != 0 {
				if math.Abs(length(v)-1) > 1e-12 {
					t.Errorf("pixels of an even %v have the length %v", grey, length(v))
				}
			} else if !blank(v) {
				t.Errorf("%s of an even %v is not zero", f.Name(), grey)
			}
		}
	}
}

// Where a step leaves rounding errors only, there is no orientation: an even
// part of an image has none after local contrast normalisation, and its blocks
// of histograms are zero.
func TestRoundingHasNoOrientation(t *testing.T) {
	const height, width = 40, 50
	pix := make([]float64, height*width)
	for i := range pix {
		pix[i] = 100.1
		if i/height < 3 {
			pix[i] = float64(i * i % 256)
		}
	}
	normal := apply(t, DefaultLCN, pix, height, width)
	if blank(normal[45*height:]) {
		t.Fatal("no rounding errors: the test shows nothing")
	}
	v := extract(t, IGO{}, normal, height, width)
	if !blank(v[45*height:][:5*height]) || !blank(v[95*height:]) {
		t.Error("gradients of nothing have an orientation")
	}
	f := HOG{5, 9, 0.2}
	v = extract(t, f, normal, height, width)
	if last := v[len(v)-(height/5-1)*4*f.Bins:]; !blank(last) {
		t.Error("gradients of nothing have a histogram")
	}
}

// Contrast and brightness change no feature but pixels: a·I + b for a > 0.
func TestContrastAndBrightness(t *testing.T) {
	const height, width = 29, 23
	rng := rand.New(rand.NewPCG(7, 7))
	for range 20 {
		pix := noise(rng, height, width)
		a, b := 0.5+3*rng.Float64(), 50*rng.Float64()
		other := make([]float64, len(pix))
		for i, v := range pix {
			other[i] = a*v + b
		}
		for _, f := range small[1:] {
			d := differ(t, extract(t, f, other, height, width), extract(t, f, pix, height, width))
			if d > 1e-9 {
				t.Errorf("%+v changes by %g under %v·I + %v", f, d, a, b)
			}
		}
	}
}

// The histograms of the mirror image are those of the image, with the cells
// and the bins in opposite order.
func TestHOGOfMirrorImage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		height, width := sides(t, 6)
		pix := images(t, height, width)
		mirrored := make([]float64, len(pix))
		for j := range width {
			copy(mirrored[j*height:][:height], pix[(width-1-j)*height:])
		}
		f := HOG{rapid.Float64Range(2, 6).Draw(t, "cell"), 9, 0.2}
		v, w := extract(t, f, pix, height, width), extract(t, f, mirrored, height, width)
		_, down, tall := f.blocks(height)
		_, right, wide := f.blocks(width)
		at := func(l, k, q, r, b int) int { return ((((l*down+k)*wide+q)*tall)+r)*f.Bins + b }
		for l := range right {
			for k := range down {
				for q := range wide {
					for r := range tall {
						for b := range f.Bins {
							x, y := v[at(l, k, q, r, b)], w[at(right-1-l, k, wide-1-q, r, f.Bins-1-b)]
							if math.Abs(x-y) > 1e-9 {
								t.Fatalf("block (%d, %d), cell (%d, %d), bin %d: %v and mirrored %v", k, l, r, q, b, x, y)
							}
						}
					}
				}
			}
		}
	})
}

// Histogram equalisation does not depend on contrast where it keeps levels
// apart, and its result goes from black to white.
func TestEqualise(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	pix, brighter := make([]float64, 12*9), make([]float64, 12*9)
	for i := range pix {
		pix[i] = float64(rng.IntN(80))
		brighter[i] = 2*pix[i] + 31
	}
	v, w := apply(t, Equalise{}, pix, 12, 9), apply(t, Equalise{}, brighter, 12, 9)
	if !slices.Equal(v, w) || slices.Min(v) != 0 || slices.Max(v) != 255 {
		t.Errorf("%v\nand brighter\n%v", v, w)
	}
}

// What salt and pepper hit in an even image is as before.
func TestDespeckleHeals(t *testing.T) {
	pix := slices.Repeat([]float64{90}, 15*15)
	for at := 0; at < len(pix); at += 17 {
		pix[at] = 255 * float64(at%2)
	}
	for _, v := range apply(t, Despeckle{}, pix, 15, 15) {
		if v != 90 {
			t.Fatalf("a pixel of %v is left", v)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	const height, width, faces = 31, 26, 24
	list := append(slices.Clone(Features(small)), small[2])
	list = list[:7]
	e, err := list.Over(height, width)
	if err != nil {
		t.Fatal(err)
	}
	f, err := StepList{Despeckle{}, Equalise{}, DefaultLCN}.Over(height, width)
	if err != nil {
		t.Fatal(err)
	}
	work := func(seed uint64) (v []float64) {
		pix := drawn(rand.New(rand.NewPCG(seed, 3)), height, width)
		filtered := make([]float64, len(pix))
		f.Apply(filtered, pix)
		v = make([]float64, list.Len(height, width))
		e.Extract(v, filtered)
		return v
	}
	var want, got [faces][]float64
	for i := range want {
		want[i] = work(uint64(i))
	}
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = work(uint64(i)) })
	}
	wg.Wait()
	for i := range got {
		if !slices.Equal(got[i], want[i]) {
			t.Fatalf("face %d depends on what else is going on", i)
		}
	}
}

func TestNothingIsAllocated(t *testing.T) {
	if raced {
		t.Skip("pools forget under the race detector")
	}
	const height, width = 32, 30
	pix := drawn(rand.New(rand.NewPCG(4, 3)), height, width)
	for _, f := range small {
		e, err := f.Over(height, width)
		if err != nil {
			t.Fatal(err)
		}
		dst := make([]float64, f.Len(height, width))
		if n := testing.AllocsPerRun(50, func() { e.Extract(dst, pix) }); n > 0 {
			t.Errorf("%s allocates %v times an image", f.Name(), n)
		}
	}
	for _, s := range Steps {
		f, err := s.Over(height, width)
		if err != nil {
			t.Fatal(err)
		}
		dst := make([]float64, len(pix))
		if n := testing.AllocsPerRun(50, func() { f.Apply(dst, pix) }); n > 0 {
			t.Errorf("%s allocates %v times an image", s.Name(), n)
		}
	}
}
