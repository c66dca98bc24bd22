package face

import (
	"errors"
	"image"
	"image/color"
	"image/draw"
	"testing"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/synthetic"
)

// A box about one of several faces picks it, as do its eyes. Where nothing is found, eyes are taken
// as they are, and in a box the landmarks are found. A place without a face has an error.
func TestPlace(t *testing.T) {
	photo := drawnPortrait(t)
	cut := Cut{Frame: dataset.Frame{Size: dataset.Size{Height: 16, Width: 16}, Eyes: dataset.Eyes{Distance: 0.4, Height: 0.4}}, Network: true}
	in := func(img image.Image, p *Place) (Seen, error) {
		t.Helper()
		c := cut
		c.At = p
		seen, err := In(t.Context(), dataset.NewPhoto(img), All, c)
		if err != nil {
			return Seen{}, err
		}
		if len(seen) != 1 {
			t.Fatalf("%d faces", len(seen))
		}
		return seen[0], nil
	}
	b := photo.Bounds()
	twice := image.NewRGBA(image.Rect(0, 0, 2*b.Dx(), b.Dy()))
	draw.Draw(twice, b, photo, b.Min, draw.Src)
	draw.Draw(twice, b.Add(image.Pt(b.Dx(), 0)), photo, b.Min, draw.Src)
	all, err := In(t.Context(), dataset.NewPhoto(twice), All, cut)
	if err != nil || len(all) != 2 {
		t.Fatal(len(all), err)
	}
	for i, s := range all {
		box := s.Face.Box.Inset(-s.Face.Box.Dx() / 8)
		for _, p := range []*Place{{Box: box}, {Eyes: s.Face.Pupils}, {Eyes: [2]Point{s.Face.Pupils[1], s.Face.Pupils[0]}}} {
			if got, err := in(twice, p); err != nil || got.Face.Box != s.Face.Box || got.Face.Pupils != s.Face.Pupils || got.Total != 1 {
				t.Errorf("face %d at %+v: %+v, %v", i, p, got.Face, err)
			}
		}
	}
	// A face that the detector does not find.
	cascade, err := OpenSearch("cascade")
	if err != nil {
		t.Fatal(err)
	}
	blind := *cascade
	blind.Cascade.MinSide = 1 << 20
	hidden := cut
	hidden.Search = &blind
	drawn := synthetic.Photographs{People: 6, PerPerson: 1, Size: dataset.Size{Height: 240, Width: 320}, Seed: 7}
	for i := range often(2, drawn.People) {
		img, where := drawn.Draw(i)
		var eyes [2]Point
		for k, at := range where.Faces[0].Pupils {
			eyes[k] = Point{X: at.X, Y: at.Y}
		}
		apart := eyes[0].to(eyes[1])
		box := DefaultPupils.windowOf(eyes).box(img.Rect).Inset(-int(apart / 4)).Add(image.Pt(int(apart/6), 0)) // as a hand draws it
		for _, p := range []*Place{{Eyes: eyes}, {Box: box}} {
			c := hidden
			c.At = p
			got, err := In(t.Context(), dataset.NewPhoto(img), All, c)
			if err != nil || len(got) != 1 || got[0].Reason != nil {
				t.Fatalf("%+v: %+v, %v", p, got, err)
			}
			for k, e := range got[0].Face.Pupils {
				if off := e.to(eyes[k]) / apart; off > 0.15 || p.Box.Empty() && off > 0 {
					t.Errorf("face %d by %+v: an eye is %.2f eye distances off", i, p, off)
				}
			}
		}
	}
	flat := image.NewUniform(color.Gray{Y: 128})
	grey := image.NewGray(image.Rect(0, 0, 200, 200))
	draw.Draw(grey, grey.Rect, flat, image.Point{}, draw.Src)
	for _, p := range []*Place{
		{Eyes: [2]Point{{X: 300, Y: 10}, {X: 340, Y: 10}}},
		{Eyes: [2]Point{{X: 10, Y: 10}, {X: 10, Y: 10}}},
		{Box: image.Rect(500, 500, 600, 600)},
	} {
		if _, err := in(grey, p); !errors.Is(err, ErrPlace) {
			t.Errorf("%+v: %v", p, err)
		}
	}
	if got, err := in(grey, &Place{Box: image.Rect(20, 20, 120, 120)}); err != nil || got.Reason == nil {
		t.Errorf("a flat grey is a face: %+v, %v", got, err) // too even
	}
}

func TestParsePlace(t *testing.T) {
	p, err := ParsePlace("10,20,30.5,40", false)
	if err != nil || p.Eyes != [2]Point{{X: 10, Y: 20}, {X: 30.5, Y: 40}} {
		t.Error(p, err)
	}
	p, err = ParsePlace("10,20,30,40", true)
	if err != nil || p.Box != image.Rect(10, 20, 40, 60) {
		t.Error(p, err)
	}
	for _, text := range []string{"", "1,2,3", "1,2,3,4,5", "1,2,3,x", "-1,2,3,4", "1,2,3,NaN", "1,2,3,1e300"} {
		if _, err := ParsePlace(text, false); err == nil {
			t.Errorf("%q is a place", text)
		}
	}
}
