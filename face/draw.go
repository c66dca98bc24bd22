package face

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"slices"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// A Mark is a box with text that Draw draws around a face.
type Mark struct {
	Box  image.Rectangle // around the face, in pixels of the upright photograph
	Text string          // one line; "" for none
	Kind Kind
}

// A Kind is the colour of a Mark.
type Kind uint8

// The kinds of marks.
const (
	Known    Kind = iota // green
	Stranger             // orange
	Refused              // grey: quality too low
)

var colours = [...]color.RGBA{Known: {0, 130, 60, 255}, Stranger: {200, 85, 0, 255}, Refused: {95, 95, 95, 255}}

// Sizes of what is drawn, in shares of the longer side of the photograph, and in
// pixels at least. Text is as wide as its box, within bounds.
const (
	lineShare, leastLine          = 1. / 300, 2
	mostText, lessText, leastText = 1. / 40, 1. / 80, 11
)

// Draw returns img with marks on it; its top left corner moves to (0, 0). Text
// is above its box, or below or inside if there is no room, and is moved left
// if it would be cut. The font has Latin, Greek and Cyrillic; other letters are
// empty boxes.
func Draw(img image.Image, marks []Mark) *image.RGBA {
	b := img.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(out, out.Rect, img, b.Min, draw.Src)
	longest := float64(max(b.Dx(), b.Dy()))
	line := int(max(leastLine, math.Round(lineShare*longest)))
	for _, m := range marks {
		m.frame(out, line)
	}
	var labels []image.Rectangle // over all frames, and not over each other
	for _, m := range marks {
		if m.Text != "" {
			labels = append(labels, m.label(out, longest, line, labels))
		}
	}
	return out
}

var gobolds = sync.OnceValue(func() *opentype.Font {
	f, err := opentype.Parse(gobold.TTF)
	if err != nil {
		panic("face: embedded font: " + err.Error())
	}
	return f
})

// letters returns the font, size pixels high.
func letters(size float64) font.Face {
	const inch = 72 // points, so that a point is a pixel
	f, err := opentype.NewFace(gobolds(), &opentype.FaceOptions{Size: size, DPI: inch, Hinting: font.HintingFull})
	if err != nil {
		panic("face: embedded font: " + err.Error())
	}
	return f
}

// frame draws the four sides of the box, inside of it.
func (m Mark) frame(out *image.RGBA, line int) {
	r := m.Box
	for _, side := range []image.Rectangle{
		{r.Min, image.Pt(r.Max.X, r.Min.Y+line)},
		{image.Pt(r.Min.X, r.Max.Y-line), r.Max},
		{r.Min, image.Pt(r.Min.X+line, r.Max.Y)},
		{image.Pt(r.Max.X-line, r.Min.Y), r.Max},
	} {
		draw.Draw(out, side.Intersect(r), image.NewUniform(colours[m.Kind]), image.Point{}, draw.Src)
	}
}

// label draws the text, white on the colour of the kind, and returns where.
func (m Mark) label(out *image.RGBA, longest float64, line int, others []image.Rectangle) image.Rectangle {
	most := max(leastText, math.Round(mostText*longest))
	text := font.Drawer{Dst: out, Src: image.White, Face: letters(most)}
	if fits := most * float64(m.Box.Dx()) / float64(text.MeasureString(m.Text).Ceil()+4*line); fits < most {
		text.Face = letters(math.Round(max(fits, lessText*longest, leastText)))
	}
	metrics := text.Face.Metrics()
	size := image.Pt(text.MeasureString(m.Text).Ceil()+4*line, (metrics.Ascent+metrics.Descent).Ceil()+line)
	place := m.place(out.Rect, size, others)
	draw.Draw(out, place, image.NewUniform(colours[m.Kind]), image.Point{}, draw.Src)
	text.Dot = fixed.P(place.Min.X+2*line, place.Min.Y+line/2+metrics.Ascent.Ceil())
	text.DrawString(m.Text)
	return place
}

// place returns where a label of this size has room: above the box, below it, in
// it at the top or at the bottom, or else in it over another label.
func (m Mark) place(photograph image.Rectangle, size image.Point, others []image.Rectangle) image.Rectangle {
	x := max(0, min(m.Box.Min.X, photograph.Dx()-size.X))
	at := func(y int) image.Rectangle { return image.Rect(x, y, x+size.X, y+size.Y) }
	for _, y := range []int{m.Box.Min.Y - size.Y, m.Box.Max.Y, m.Box.Min.Y, m.Box.Max.Y - size.Y} {
		label := at(y)
		if y >= 0 && label.Max.Y <= photograph.Dy() && !slices.ContainsFunc(others, label.Overlaps) {
			return label
		}
	}
	return at(max(0, m.Box.Min.Y))
}
