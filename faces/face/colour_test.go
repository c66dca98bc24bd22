package face

import (
	"context"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/synthetic"
)

// An upright crop in colour is the grey crop, but for rounding; a turned one is close
// to it, as the kernel lies along other axes.
func TestCropColourIsCrop(t *testing.T) {
	m := drawn(120, 110, func(x, y float64) float64 { return 128 + 60*math.Sin(x/9) + 50*math.Cos(y/7+x/40) })
	for name, c := range map[string]struct {
		pupils [2]Point
		off    float64
	}{
		"upright":   {[2]Point{{45, 50}, {75, 50}}, 0.51},
		"small":     {[2]Point{{58, 50}, {62, 50}}, 0.51},
		"turned":    {[2]Point{{48, 42}, {72, 60}}, 2},
		"outside":   {[2]Point{{1, 3}, {31, 3}}, 0.51},
		"reduced":   {[2]Point{{5, 50}, {115, 50}}, 0.51},
		"by blocks": {[2]Point{{-300, 50}, {420, 50}}, 3},
	} {
		in := dataset.Frame{Size: dataset.Size{Height: 36, Width: 30}, Eyes: dataset.DefaultEyes}
		grey := Crop(m, c.pupils, in)
		colour := CropColour(dataset.NewPhoto(m), c.pupils, in)
		for channel := range 3 {
			for y := range in.Height {
				for x := range in.Width {
					got := float64(colour[(channel*in.Height+y)*in.Width+x])
					if want := grey[x*in.Height+y]; math.Abs(got-want) > c.off {
						t.Fatalf("%s: channel %d is %v at (%d, %d), want %v", name, channel, got, x, y, want)
					}
				}
			}
		}
	}
}

// Channels stay apart, and a linear ramp is kept wherever it is not cut.
func TestCropColourIsLinear(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 100, 100))
	for y := range 100 {
		for x := range 100 {
			m.SetNRGBA(x, y, color.NRGBA{uint8(2 * x), uint8(2 * y), uint8(x + y), 255})
		}
	}
	in := dataset.Frame{Size: dataset.Size{Height: 20, Width: 20}, Eyes: dataset.Eyes{Distance: 0.5, Height: 0.5}}
	pupils := [2]Point{{42, 45}, {56, 57}}
	crop := CropColour(dataset.NewPhoto(m), pupils, in)
	to := aligned(pupils, in)
	for y := range 20 {
		for x := range 20 {
			p := to.at(float64(x)+0.5, float64(y)+0.5)
			want := [3]float64{2*p.X - 1, 2*p.Y - 1, p.X + p.Y - 1}
			for c := range 3 {
				if got := float64(crop[(c*20+y)*20+x]); math.Abs(got-want[c]) > 0.1 {
					t.Fatalf("channel %d at (%d, %d) is %v, want %v", c, x, y, got, want[c])
				}
			}
		}
	}
}

// A counter is an Embedder whose vectors are the means of the channels.
type counter struct{ faces *int }

func (counter) Frame() dataset.Frame {
	return dataset.Frame{
		Eyes:      dataset.Eyes{Distance: 0.35, Height: 0.31},
		Embedding: dataset.Embedding{Name: "means", Digest: strings.Repeat("ab", 32), Length: 3},
	}
}

func (counter) Input() dataset.Size { return dataset.Size{Height: 24, Width: 24} }

func (e counter) Embed(_ context.Context, faces [][]float32) ([][]float64, error) {
	*e.faces += len(faces)
	vectors := make([][]float64, len(faces))
	for i, f := range faces {
		vectors[i] = make([]float64, 3)
		for k, v := range f {
			vectors[i][k/(24*24)] += float64(v) / (24 * 24)
		}
	}
	return vectors, nil
}

// The faces that are found in a photograph go to the network together, also 60 of
// them; each vector is that of its own face, in colour.
func TestSixtyFaces(t *testing.T) {
	one := drawnPortrait(t)
	found := DefaultFinder.Find(one)
	if len(found) != 1 {
		t.Fatalf("%d faces in a portrait", len(found))
	}
	side := one.Rect.Dx()
	m := image.NewNRGBA(image.Rect(0, 0, 10*side, 6*side))
	faces := make([]Face, 60)
	for i := range faces {
		column, row := i%10*side, i/10*side
		faces[i] = found[0]
		for k := range 2 {
			faces[i].Pupils[k].X += float64(column)
			faces[i].Pupils[k].Y += float64(row)
		}
		for y := range side {
			for x := range side {
				v := one.GrayAt(x, y).Y
				m.SetNRGBA(column+x, row+y, color.NRGBA{v, v / 2, byte(4 * i), 255})
			}
		}
	}
	n := 0
	e := counter{&n}
	values, err := Cut{Frame: e.Frame(), Embedder: e}.faces(t.Context(), dataset.NewPhoto(m), faces)
	if err != nil || len(values) != 60 || n != 60 {
		t.Fatalf("%d vectors, %d faces went to the network: %v", len(values), n, err)
	}
	for i, v := range values {
		if math.Abs(v[0]-2*v[1]) > 1.5 || math.Abs(v[2]-float64(4*i)) > 0.01 {
			t.Errorf("face %d: %v", i, v)
		}
	}
	four := dataset.NewPhoto(m.SubImage(image.Rect(0, 0, 2*side, 2*side)))
	for which, want := range map[Which]int{All: 4, Largest: 1, Refuse: 0} {
		n = 0
		seen, err := In(t.Context(), four, which, Cut{Frame: e.Frame(), Embedder: e})
		if err != nil || n != want || which != Refuse && len(seen) != want {
			t.Errorf("%s: %d faces, %d went to the network: %v", which, len(seen), n, err)
		}
		for _, s := range seen {
			if (s.Reason == nil) != (len(s.Values) == 3) {
				t.Errorf("%s: %v, refused %v", which, s.Values, s.Reason)
			}
		}
	}
}

// A face of 12 pixels is none that the detector finds; as an image of its own it has
// a vector.
func TestTwelvePixels(t *testing.T) {
	small := view{drawnPortrait(t), similarity{a: 1}}
	tiny := small.warped(similarity{a: float64(small.Rect.Dx()) / 12}, 12, 12).Gray
	n := 0
	e := counter{&n}
	if seen, err := In(t.Context(), dataset.NewPhoto(tiny), All, Cut{Frame: e.Frame(), Embedder: e}); err != nil || len(seen) != 0 {
		t.Errorf("%v, %v", seen, err)
	}
	seen, err := Whole(t.Context(), dataset.NewPhoto(tiny), Cut{Frame: dataset.Frame{Embedding: e.Frame().Embedding}, Embedder: e})
	if err != nil || len(seen) != 1 || seen[0].Reason != nil || len(seen[0].Values) != 3 {
		t.Errorf("%v, %v", seen, err)
	}
}

// drawnPortrait draws the face of a person who does not exist, before a wall.
func drawnPortrait(t *testing.T) *image.Gray {
	t.Helper()
	const side, wall = 84, 21
	set, err := synthetic.Faces{People: 1, PerPerson: 1, Input: dataset.Size{Height: side, Width: side}, Seed: 1}.Draw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return drawn(side+2*wall, side+2*wall, func(x, y float64) float64 {
		u, v := min(max(int(x)-wall, 0), side-1), min(max(int(y)-wall, 0), side-1)
		return set.X.At(u*side+v, 0)
	})
}

// Three images at a time have the means that each has alone, to the bit, and that is the sum of
// its rows, one after the other; and a sum of bytes is their sum.
func TestTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var planes [3]plane
	for c := range planes {
		planes[c] = plane{values: make([]float32, 40*30), width: 40, height: 30}
		for i := range planes[c].values {
			planes[c].values[i] = float32(r.IntN(256))
		}
	}
	k := newKernelAt(planes[0], 1.3)
	for range 2000 {
		k.centre(Point{50*r.Float64() - 5, 40*r.Float64() - 5})
		for c, got := range k.means(&planes) {
			var want float32
			for j, v := range k.yWeights {
				row := planes[c].values[40*max(0, min(29, k.top+j)):]
				var part float32
				for i, w := range k.xWeights {
					part += w * row[max(0, min(39, k.left+i))]
				}
				want += v * part
			}
			if alone := k.mean(planes[c].values); got != want || alone != want {
				t.Fatalf("image %d: %v, alone %v, want %v", c, got, alone, want)
			}
		}
	}
	bytes := make([]byte, 100)
	for n := range bytes {
		var want uint32
		for i := range bytes[:n] {
			bytes[i] = byte(255 - r.IntN(1+n))
			want += uint32(bytes[i])
		}
		if got := sumOf(bytes[:n]); got != want {
			t.Errorf("%d bytes: %d, want %d", n, got, want)
		}
	}
}
