package face

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/synthetic"
)

func noise(w, h int, seed uint64) *image.Gray {
	r := rand.New(rand.NewPCG(seed, 1))
	m := image.NewGray(image.Rect(0, 0, w, h))
	for i := range m.Pix {
		m.Pix[i] = byte(r.IntN(256))
	}
	return m
}

func drawn(w, h int, value func(x, y float64) float64) *image.Gray {
	m := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.Pix[y*m.Stride+x] = byte(max(0, min(255, math.Round(value(float64(x)+0.5, float64(y)+0.5)))))
		}
	}
	return m
}

// TestFindNothing gives photographs without faces, and some that are hardly
// photographs.
func TestFindNothing(t *testing.T) {
	for name, m := range map[string]*image.Gray{
		"empty": image.NewGray(image.Rectangle{}), "pixel": noise(1, 1, 1), "line": noise(2000, 3, 1), "least": noise(24, 24, 1),
		"black": image.NewGray(image.Rect(0, 0, 320, 240)),
		"white": drawn(320, 240, func(_, _ float64) float64 { return 255 }),
		"noise": noise(160, 120, 2), "tall": noise(30, 700, 3),
		"ramp":    drawn(300, 200, func(x, y float64) float64 { return (x + y) / 2 }),
		"stripes": drawn(300, 200, func(x, _ float64) float64 { return 255 * math.Mod(math.Floor(x/7), 2) }),
	} {
		if faces := DefaultFinder.Find(m); len(faces) > 0 {
			t.Errorf("%s: %+v", name, faces)
		}
	}
}

// TestFindGrainy finds faces that fill a photograph whose single pixels say
// little: only the closer look, at a small copy, sees them.
func TestFindGrainy(t *testing.T) {
	in := dataset.Size{Height: 96, Width: 80}
	set, err := synthetic.Faces{People: 6, PerPerson: 1, Input: in, Seed: 1, Light: 1, Pose: 1}.Draw(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	f := DefaultFinder
	f.Turns = nil
	found := 0
	for j := range set.Classes {
		column := mat.Col(nil, j, set.X)
		low, high := slices.Min(column), slices.Max(column)
		r := rand.New(rand.NewPCG(1, uint64(j)))
		small := view{drawn(in.Width, in.Height, func(x, y float64) float64 {
			return 64 + 128*(column[int(x)*in.Height+int(y)]-low)/(high-low)
		}), similarity{a: 1}}
		m := small.warped(similarity{a: 1. / 6, x: -10, y: -10}, 600, 696).Gray
		const grain = 100
		for i, v := range m.Pix {
			m.Pix[i] = byte(max(0, min(255, float64(v)+grain*(2*r.Float64()-1))))
		}
		switch faces := f.Find(m); len(faces) {
		case 0:
		case 1:
			found++
			if eyes := faces[0].Quality.Eyes / float64(m.Rect.Dx()); eyes < 0.2 || eyes > 0.4 {
				t.Errorf("face %d: the eyes are %.2f of the width apart", j, eyes)
			}
		default:
			t.Errorf("face %d: %d faces", j, len(faces))
		}
	}
	if found < 5 {
		t.Errorf("%d of 6 faces found", found)
	}
}

// TestFindConcurrently finds the same in the same image, whoever looks. The
// thresholds are low, so that there is something to find in noise.
func TestFindConcurrently(t *testing.T) {
	f := DefaultFinder
	f.Score, f.Other, f.Rival, f.Background, f.Spread = 0, 0, 0, 0, 1
	var want []Face
	var m *image.Gray
	for seed := uint64(1); len(want) == 0 && seed < 20; seed++ {
		m = view{noise(12, 9, seed), similarity{a: 1}}.warped(similarity{a: 0.1}, 120, 90).Gray
		want = f.Find(m)
	}
	if len(want) == 0 {
		t.Fatal("nothing to compare")
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if got := f.Find(m); !reflect.DeepEqual(got, want) {
				t.Errorf("%+v, first %+v", got, want)
			}
		})
	}
	wg.Wait()
}

func blurredNoise(seed uint64) *image.Gray {
	small := noise(20, 15, seed)
	return view{small, similarity{a: 1}}.warped(similarity{a: 0.1}, 200, 150).Gray
}

func TestSimilarity(t *testing.T) {
	s := about(3, 4, 2.5, 0.7, Point{10, -2})
	if p := s.at(3, 4); p.to(Point{10, -2}) > 1e-12 {
		t.Errorf("(3, 4) goes to %v", p)
	}
	if p := s.inverse().after(s).at(5, 6); p.to(Point{5, 6}) > 1e-12 {
		t.Errorf("there and back: %v", p)
	}
	if got := s.scale(); math.Abs(got-2.5) > 1e-12 {
		t.Errorf("scale %v", got)
	}
}

// TestReduced compares with the mean of points, in steps that the borders of
// the pixels fall on.
func TestReduced(t *testing.T) {
	m := noise(37, 23, 4)
	r := image.Rect(3, 2, 36, 21)
	for factor, n := range map[float64]int{0.7: 1, 1: 1, 1.7: 17, 2: 2, 6.25: 25, 11: 11, 50: 50} {
		v := reduced(m, r, factor)
		if got := v.Rect.Dx(); got != max(1, int(math.Ceil(33/max(factor, 1)))) {
			t.Fatalf("factor %v: %d columns", factor, got)
		}
		for y := range v.Rect.Dy() {
			for x := range v.Rect.Dx() {
				var sum, count float64
				for i := range n * n {
					p := v.back.at(float64(x)+(float64(i%n)+0.5)/float64(n), float64(y)+(float64(i/n)+0.5)/float64(n))
					if inside(p, r) {
						sum += float64(m.GrayAt(int(p.X), int(p.Y)).Y)
						count++
					}
				}
				if got := float64(v.GrayAt(x, y).Y); math.Abs(got-sum/count) > 0.51 {
					t.Fatalf("factor %v: pixel (%d, %d) is %v, the mean %v", factor, x, y, got, sum/count)
				}
			}
		}
	}
}

// TestTurned turns by right angles and back.
func TestTurned(t *testing.T) {
	m := view{noise(31, 20, 5), similarity{a: 1}}
	for _, degrees := range []float64{90, -90, 180} {
		turned := m.turned(degrees)
		if back := turned.turned(-degrees); !reflect.DeepEqual(back.Pix, m.Pix) {
			t.Errorf("%v° and back is another image", degrees)
		}
		p := turned.back.at(2.5, 7.5)
		if turned.GrayAt(2, 7) != m.GrayAt(int(p.X), int(p.Y)) {
			t.Errorf("%v°: pixel (2, 7) is not that at %v", degrees, p)
		}
	}
}

func TestPadded(t *testing.T) {
	m := view{noise(30, 20, 6), similarity{a: 1}}
	v := m.padded(0.2)
	if v.Rect != image.Rect(0, 0, 42, 28) {
		t.Fatalf("%v", v.Rect)
	}
	if v.GrayAt(6, 4) != m.GrayAt(0, 0) || v.GrayAt(0, 0) != m.GrayAt(0, 0) || v.GrayAt(41, 10) != m.GrayAt(29, 6) {
		t.Error("the edge is not repeated")
	}
	if p := v.back.at(6, 4); p != (Point{}) {
		t.Errorf("(6, 4) is %v", p)
	}
}

// pigoGolden returns the results of pigo 1.4.6: of windows, by the digest of image and sides,
// their number and the digest of the hits; of pupils, by the photograph, their mean place
// from five random starts.
func pigoGolden(t *testing.T) map[string][2]string {
	t.Helper()
	f, err := os.Open("testdata/pigo.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	golden := map[string][2]string{}
	for _, r := range rows {
		golden[r[0]] = [2]string{r[1], r[2]}
	}
	return golden
}

// digest is a short hash of what values print as.
func digest(values ...any) string {
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendln(nil, values...)))[:16]
}

// TestPupilFile holds the cascade against the numbers in the head of the file.
func TestPupilFile(t *testing.T) {
	c := pupilCascade()
	if c.stages != 5 || c.trees != 20 || c.depth != 10 || math.Abs(c.shrink-0.8) > 1e-7 {
		t.Errorf("%d stages of %d trees of depth %d, shrink %v", c.stages, c.trees, c.depth, c.shrink)
	}
	if len(c.nodes) != 100*4*1023 || len(c.leaves) != 100*2*1024 {
		t.Errorf("%d nodes, %d leaves", len(c.nodes), len(c.leaves))
	}
}

// TestWalkMirrored walks in an image and in its mirror image.
func TestWalkMirrored(t *testing.T) {
	m := blurredNoise(3)
	mirror := mirrored(m)
	width := float64(m.Rect.Dx())
	for i := range 20 {
		p := Point{60.3 + float64(i)*3.17, 40.1 + float64(i)*2.31}
		a, b := []walk{{Point: p, scale: 31, mirror: 1}}, []walk{{Point: Point{width - p.X, p.Y}, scale: 31, mirror: -1}}
		pupilCascade().follow(m, a)
		pupilCascade().follow(mirror, b)
		if a[0].to(Point{width - b[0].X, b[0].Y}) > 1e-9 {
			t.Errorf("from %v to %v and to %v", p, a, b)
		}
	}
}

func mirrored(m *image.Gray) *image.Gray {
	out := image.NewGray(m.Rect)
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			out.SetGray(m.Rect.Dx()-1-x, y, m.GrayAt(x, y))
		}
	}
	return out
}

func TestRefusal(t *testing.T) {
	good := Face{Quality: dataset.Quality{Eyes: 60, Sharpness: 0.4, Exposure: 1, Angle: -3, Detection: 90}}
	if err := DefaultLimits.Refusal(good); err != nil {
		t.Error(err)
	}
	for want, spoil := range map[string]func(*dataset.Quality){
		"14 pixels between the eyes, at least 20 are needed": func(q *dataset.Quality) { q.Eyes = 14.9 },
		"blurred: sharpness 0.03, at least 0.07":             func(q *dataset.Quality) { q.Sharpness = 0.03 },
		"too dark or too bright: 30 % of the face":           func(q *dataset.Quality) { q.Exposure = 0.3 },
		"turned by 178°, at most 45°":                        func(q *dataset.Quality) { q.Angle = 178 },
		"turned by -90°":                                     func(q *dataset.Quality) { q.Angle = -90 },
		"hardly a face: score 2.0":                           func(q *dataset.Quality) { q.Detection = 2 },
	} {
		bad := good
		spoil(&bad.Quality)
		if err := DefaultLimits.Refusal(bad); err == nil || !strings.Contains(err.Error(), want) || advice.Text(err) == "" {
			t.Errorf("%v, hint %q, want %q", err, advice.Text(err), want)
		}
	}
}

// A network refuses only faces of much lower quality, and none for its angle.
func TestRefusalForNetworks(t *testing.T) {
	grey, network := Cut{}.limits(), Cut{Embedder: &Recorder{}}.limits()
	for _, q := range []dataset.Quality{
		{Eyes: 9, Sharpness: 0.4, Exposure: 1, Detection: 50},
		{Eyes: 60, Sharpness: 0.06, Exposure: 1, Detection: 50},
		{Eyes: 60, Sharpness: 0.4, Exposure: 0.2, Detection: 50},
		{Eyes: 60, Sharpness: 0.4, Exposure: 1, Detection: 50, Angle: -180},
	} {
		if grey.Refusal(Face{Quality: q}) == nil || network.Refusal(Face{Quality: q}) != nil {
			t.Errorf("%+v: %v, %v", q, grey.Refusal(Face{Quality: q}), network.Refusal(Face{Quality: q}))
		}
	}
	for want, q := range map[string]dataset.Quality{
		"7 pixels between the eyes, at least 8 are needed": {Eyes: 7.9, Sharpness: 0.4, Exposure: 1, Detection: 50},
		"blurred: sharpness 0.01, at least 0.05":           {Eyes: 60, Sharpness: 0.01, Exposure: 1, Detection: 50},
		"too dark or too bright: 5 % of the face":          {Eyes: 60, Sharpness: 0.4, Exposure: 0.05, Detection: 50},
	} {
		if err := network.Refusal(Face{Quality: q}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestChoose(t *testing.T) {
	face := func(eyes float64) Face {
		return Face{Quality: dataset.Quality{Eyes: eyes, Sharpness: 1, Exposure: 1, Detection: 50}}
	}
	for _, c := range []struct {
		which Which
		found []Face
		want  int
		why   string
	}{
		{Largest, nil, 0, "no face found"},
		{Largest, []Face{face(60), face(50)}, 1, ""},
		{Largest, []Face{face(16), face(15)}, 0, "no face that is seen well: 16 pixels"},
		{Refuse, []Face{face(60)}, 1, ""},
		{Refuse, []Face{face(60), face(50)}, 0, "there are 2"},
		{All, []Face{face(60), face(50), face(15)}, 2, ""},
		{All, []Face{face(16), face(15)}, 0, "16 pixels"},
	} {
		seen := c.which.chosen(c.found, DefaultLimits)
		used := slices.DeleteFunc(slices.Clone(seen), func(s Seen) bool { return s.Reason != nil })
		if len(used) != c.want {
			t.Errorf("%v of %d: %d faces, not %d", c.which, len(c.found), len(used), c.want)
		}
		if c.want > 0 {
			continue
		}
		if err := whyNone(seen, c.which); !errors.Is(err, dataset.ErrNoFace) || !strings.Contains(err.Error(), c.why) || advice.Text(err) == "" {
			t.Errorf("%v, hint %q, want %q", err, advice.Text(err), c.why)
		}
	}
	if Which("first").Validate() == nil || All.Validate() != nil {
		t.Error("choices")
	}
}

// FuzzFind gives images of all kinds, whole and damaged.
func FuzzFind(f *testing.F) {
	for _, m := range []*image.Gray{noise(1, 1, 1), noise(40, 30, 2), blurredNoise(1)} {
		for _, encode := range []func(io.Writer, image.Image) error{
			png.Encode,
			func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) },
		} {
			var b bytes.Buffer
			if err := encode(&b, m); err != nil {
				f.Fatal(err)
			}
			f.Add(b.Bytes())
			f.Add(b.Bytes()[:b.Len()*3/4])
		}
	}
	const limit = 1 << 16 // pixels, for speed
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, _, err := image.DecodeConfig(bytes.NewReader(data)); err != nil || c.Width*c.Height > limit {
			return
		}
		m, err := dataset.DecodeGrey(t.Context(), data, "fuzz")
		if err != nil {
			return
		}
		for _, found := range DefaultFinder.Find(m) {
			if !inside(found.Pupils[0], m.Rect) || !inside(found.Pupils[1], m.Rect) || found.Box.Empty() || !found.Box.In(m.Rect) {
				t.Errorf("%+v", found)
			}
			Crop(m, found.Pupils, cropInput)
		}
	})
}
