package face

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"nrdl.example/nrdl/faces/dataset"
)

// TestWarped compares a view with one that is made pixel by pixel.
func TestWarped(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		w, h := 3+rng.IntN(40), 3+rng.IntN(40)
		v := view{image.NewGray(image.Rect(0, 0, w, h)), similarity{a: 1}}
		for i := range v.Pix {
			v.Pix[i] = byte(rng.IntN(256))
		}
		to := about(20, 20, 0.2+2*rng.Float64(), 2*math.Pi*rng.Float64(), Point{float64(w) * rng.Float64(), float64(h) * rng.Float64()})
		if rng.IntN(3) == 0 {
			to = similarity{0, 1, float64(w), -1} // by a right angle
		}
		got := v.warped(to, 40, 40)
		for y := range 40 {
			for x := range 40 {
				if want := v.bilinear(to.at(float64(x)+0.5, float64(y)+0.5)); got.GrayAt(x, y).Y != want {
					t.Fatalf("%v of %d×%d: %d at %d, %d, not %d", to, w, h, got.GrayAt(x, y).Y, x, y, want)
				}
			}
		}
	}
}

// TestHits compares with what pigo 1.4.6 found (testdata/pigo.csv), which computes the places of the pixels for every
// window, on noise that passes no or few trees, faces, and images with a stride.
func TestHits(t *testing.T) {
	blurry := blurredNoise(5)
	compareHits(t, noise(61, 50, 1), 2, 60)
	compareHits(t, noise(200, 24, 2), 24, 24)
	compareHits(t, noise(20, 24, 3), 24, 20)
	compareHits(t, blurry, 7, 300)
	part := blurry.SubImage(image.Rect(13, 7, 90, 95)).(*image.Gray)
	compareHits(t, &image.Gray{Pix: part.Pix, Stride: part.Stride, Rect: part.Rect.Sub(part.Rect.Min)}, 16, 77)
	if n := compareHits(t, drawnPortrait(t), 24, 126); n == 0 {
		t.Error("no window shows the portrait")
	}
}

// compareHits returns how many windows of m show a face.
func compareHits(t *testing.T, m *image.Gray, minSide, maxSide int) int {
	t.Helper()
	got := DefaultFinder.hits(view{m, similarity{a: 1}}, m.Rect, minSide, maxSide)
	want, ok := pigoGolden(t)[digest(m.Pix, m.Stride, m.Rect, minSide, maxSide)]
	if !ok {
		t.Fatalf("pigo has not seen this image of %v", m.Rect)
	}
	if fmt.Sprint(len(got)) != want[0] || digest(got) != want[1] {
		t.Errorf("%d hits in %v, pigo has %s", len(got), m.Rect, want[0])
	}
	return len(got)
}

// TestHitsOutside finds, in a photograph that is turned or continued, the windows of all whose
// middle is in the photograph.
func TestHitsOutside(t *testing.T) {
	img := dataset.NewPhoto(drawnScene(320, 240, 0)).Grey
	f := DefaultFinder
	largest := 0
	for _, v := range []view{overview(img, 320).turned(20), overview(img, 320).padded(0.2)} {
		var want []hit
		for _, h := range f.hits(view{v.Gray, similarity{a: 1}}, v.Rect, f.MinSide, 200) {
			p := v.back.at(float64(h.col)+0.5, float64(h.row)+0.5)
			if d := 0.1 * float64(h.side); p.X >= -d && p.Y >= -d && p.X <= float64(img.Rect.Max.X)+d && p.Y <= float64(img.Rect.Max.Y)+d {
				want = append(want, h)
			}
		}
		got := f.hits(v, img.Rect, f.MinSide, 200)
		if !slices.Equal(got, want) {
			t.Errorf("%d hits, not %d", len(got), len(want))
		}
		largest = max(largest, len(got))
	}
	if largest == 0 {
		t.Error("no hits")
	}
}

// TestCoarse finds most of the hits on a face by looking where a coarser grid of windows passes
// some trees, and no others.
func TestCoarse(t *testing.T) {
	img := dataset.NewPhoto(drawnScene(640, 480, 1)).Grey
	v := overview(img, 640)
	f := DefaultFinder
	want := f.hits(v, img.Rect, f.MinSide, 480)
	f.coarse = DefaultSearch.Coarse
	got := f.hits(v, img.Rect, f.MinSide, 480)
	for _, h := range got {
		if !slices.Contains(want, h) {
			t.Errorf("%v is no window of the finer grid", h)
		}
	}
	if len(want) == 0 || len(got) < len(want)*9/10 {
		t.Errorf("%d of %d hits", len(got), len(want))
	}
}

// TestSeen sees something like a face in a turned photograph of one, and nothing in noise, where
// the network looks at right angles only.
func TestSeen(t *testing.T) {
	for i, c := range []struct {
		img  image.Image
		seen bool
	}{{turnedBy(drawnScene(320, 240, 0), 120), true}, {noise(200, 150, 7), false}} {
		p := newPicture(dataset.NewPhoto(c.img))
		found, _, err := networkStage{DefaultSearch}.find(t.Context(), p, candidates{})
		if err != nil || found.seen != c.seen {
			t.Errorf("photograph %d: seen %v, %v", i, found.seen, err)
		}
	}
}
