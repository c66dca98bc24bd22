package face

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"slices"
)

// A Mark is a box with text that Draw draws around a face.
type Mark struct {
	Box  image.Rectangle // around the face, in pixels of the upright photograph
	Text string          // one line, which is cut if the photograph has no room; "" for none
	Note string          // is written after Text, and never cut
	Kind Kind
}

// Letters write a line of text that is size pixels high.
type Letters interface {
	// Bounds is the box of a line that begins at (0, 0), on the base line.
	Bounds(text string, size float64) image.Rectangle
	// Write writes a line from at on, and cuts it where it is wider than room pixels.
	Write(dst draw.Image, ink color.Color, text string, size float64, at image.Point, room int)
}

// A Kind says whether the face of a Mark has a name. It decides the colour.
type Kind uint8

// The kinds of marks.
const (
	Known    Kind = iota // has a name; green
	Stranger             // unknown; orange
	Refused              // grey: quality too low
)

var colours = [...]color.RGBA{Known: {0, 130, 60, 255}, Stranger: {200, 85, 0, 255}, Refused: {95, 95, 95, 255}}

// Sizes of what is drawn, in shares of the longer side of the photograph, and in
// pixels at least. Text is as wide as its box, within bounds.
const (
	lineShare, minLine         = 1. / 300, 2
	maxText, lessText, minText = 1. / 40, 1. / 80, 11
)

// Draw returns a copy of img, with its top left corner at (0, 0), on which marks are
// drawn. Text is above its box, or below or inside if there is no room; it is moved to
// the left, or cut, if it would leave the photograph.
func Draw(img image.Image, marks []Mark, letters Letters) *image.RGBA {
	b := img.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(out, out.Rect, img, b.Min, draw.Src)
	longest := float64(max(b.Dx(), b.Dy()))
	line := int(max(minLine, math.Round(lineShare*longest)))
	for _, m := range marks {
		m.frame(out, line)
	}
	var labels []image.Rectangle // over all frames, and not over each other
	for _, m := range marks {
		if m.Text+m.Note != "" {
			labels = append(labels, m.label(out, letters, longest, line, labels))
		}
	}
	return out
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
func (m Mark) label(out *image.RGBA, letters Letters, longest float64, line int, others []image.Rectangle) image.Rectangle {
	size := max(minText, math.Round(maxText*longest))
	width := func() int { return letters.Bounds(m.Text, size).Dx() + letters.Bounds(m.Note, size).Dx() + 4*line }
	if fits := size * float64(m.Box.Dx()) / float64(width()); fits < size {
		size = math.Round(max(fits, lessText*longest, minText))
	}
	text, note := letters.Bounds(m.Text, size), letters.Bounds(m.Note, size)
	lines := text.Union(note)
	place := m.place(out.Rect, image.Pt(min(width(), out.Rect.Dx()), lines.Dy()+line), others)
	label := out.SubImage(place).(*image.RGBA)
	draw.Draw(label, place, image.NewUniform(colours[m.Kind]), image.Point{}, draw.Src)
	at := image.Pt(place.Min.X+2*line, place.Min.Y+line/2-lines.Min.Y)
	room := max(0, place.Dx()-note.Dx()-4*line)
	letters.Write(label, color.White, m.Text, size, at, room)
	letters.Write(label, color.White, m.Note, size, at.Add(image.Pt(min(text.Dx(), room), 0)), note.Dx())
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
