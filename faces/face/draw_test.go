package face

import (
	"image"
	"image/color"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/faces/lettering"
)

// The box has the colour of its kind and is drawn inside of itself; the text is in
// the photograph, above the box where there is room, and says nothing where there
// is none.
func TestDraw(t *testing.T) {
	white := image.NewGray(image.Rect(10, 20, 310, 220))
	for i := range white.Pix {
		white.Pix[i] = 255
	}
	for name, c := range map[string]struct {
		Mark
		label image.Point // a point that is labelled
	}{
		"known":        {Mark{image.Rect(100, 80, 160, 150), "Ann", " 98 %", Known}, image.Pt(101, 79)},
		"stranger":     {Mark{image.Rect(100, 80, 160, 150), "unknown", "", Stranger}, image.Pt(101, 79)},
		"at the top":   {Mark{image.Rect(0, 0, 60, 70), "Ann", "", Known}, image.Pt(3, 73)},
		"at the right": {Mark{image.Rect(290, 80, 300, 150), "Christopher Columbus", "", Refused}, image.Pt(240, 79)},
		"the whole":    {Mark{image.Rect(0, 0, 300, 200), "Ann", "", Known}, image.Pt(3, 8)},
		"no text":      {Mark{image.Rect(100, 80, 160, 150), "", "", Known}, image.Pt(100, 80)},
	} {
		t.Run(name, func(t *testing.T) {
			m := Draw(white, []Mark{c.Mark}, lettering.Bold)
			if m.Rect != image.Rect(0, 0, 300, 200) {
				t.Fatal(m.Rect)
			}
			colour := colours[c.Kind]
			for _, p := range []image.Point{
				{c.Box.Min.X, c.Box.Max.Y - 1},
				{c.Box.Max.X - 1, c.Box.Max.Y - 1},
				{c.Box.Max.X - 2, c.Box.Min.Y + 50},
				c.label,
			} {
				if m.RGBAAt(p.X, p.Y) != colour {
					t.Errorf("%v is %v", p, m.RGBAAt(p.X, p.Y))
				}
			}
			middle := m.RGBAAt((c.Box.Min.X+c.Box.Max.X)/2, (c.Box.Min.Y+c.Box.Max.Y)/2)
			if middle != (color.RGBA{255, 255, 255, 255}) {
				t.Errorf("the face is painted over: %v", middle)
			}
			for y := range 200 { // what is changed is the box, or near to it
				for x := range 300 {
					if m.RGBAAt(x, y).R < 255 && (y < c.Box.Min.Y-25 || y >= c.Box.Max.Y+25 || c.Text == "" && !image.Pt(x, y).In(c.Box)) {
						t.Fatalf("(%d, %d) is %v", x, y, m.RGBAAt(x, y))
					}
				}
			}
		})
	}
}

// Labels of faces side by side do not hide each other.
func TestDrawLabelsApart(t *testing.T) {
	photograph, size := image.Rect(0, 0, 1000, 400), image.Pt(150, 20)
	var labels []image.Rectangle
	for i := range 9 {
		m := Mark{Box: image.Rect(i*100, 100, i*100+80, 200)}
		label := m.place(photograph, size, labels)
		for _, other := range labels {
			if label.Overlaps(other) {
				t.Errorf("label %d hides another one", i)
			}
		}
		if !label.In(photograph) || label.Max.Y < 80 || label.Min.Y > 200 {
			t.Errorf("label %d is at %v", i, label)
		}
		labels = append(labels, label)
	}
}

// A name that is wider than the photograph is cut, and what follows it is not.
func TestDrawCutsNames(t *testing.T) {
	blank := image.NewGray(image.Rect(0, 0, 200, 150))
	box := image.Rect(20, 50, 80, 120)
	long := strings.Repeat("محمد Countess ", 20)
	with := Draw(blank, []Mark{{box, long, " 98 %", Known}}, lettering.Bold)
	without := Draw(blank, []Mark{{box, long, "", Known}}, lettering.Bold)
	end := func(m *image.RGBA) (last int) {
		for x := range 200 {
			for y := range 50 {
				if m.RGBAAt(x, y).R > 128 {
					last = x
				}
			}
		}
		return last
	}
	if end(with) < 170 || end(with) > 197 || end(without) > 197 {
		t.Errorf("the label ends at %d, and at %d without a number", end(with), end(without))
	}
	if image.Rect(0, 0, 200, 150) != with.Rect || slices.Equal(with.Pix, without.Pix) {
		t.Error("the number is not drawn")
	}
}

// Neither an image of a pixel nor boxes that lead out of it are in the way.
func TestDrawOutside(t *testing.T) {
	for _, side := range []int{1, 12, 3000} {
		m := Draw(image.NewGray(image.Rect(0, 0, side, side)),
			[]Mark{{image.Rect(-5, -5, 9000, 4), "Ann \xff 😀 王", "", Stranger}, {image.Rect(0, 0, 0, 0), "", "", Known}}, lettering.Bold)
		if m.Rect.Dx() != side {
			t.Error(m.Rect)
		}
	}
}
