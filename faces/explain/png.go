package explain

import (
	"errors"
	"image"
	"image/color"
	"math"
	"strings"
	"unicode"

	"golang.org/x/image/draw"

	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/internal/legible"
)

// What the picture of a page is made of, in pixels.
const (
	edge     = 28
	width    = 1000
	inner    = width - 2*edge
	gap      = 12
	frame    = 3   // of a picture
	pictureH = 136 // of a picture; its width follows
	size     = 15  // of text
	lineH    = 22  // of a line
	barH     = 24  // from one bar to the next
	nameW    = 270 // of the names beside the bars
	scoreW   = 70
)

var (
	paper = color.RGBA{255, 255, 255, 255}
	ink   = color.RGBA{26, 28, 31, 255}
	soft  = color.RGBA{92, 99, 107, 255}
	faint = color.RGBA{241, 244, 246, 255}
	inks  = map[mark]color.RGBA{ofNobody: {169, 179, 188, 255}, ofBest: blue, ofRival: orange}
)

// A sheet is drawn from the top to the bottom. What lies outside of img is not
// drawn.
type sheet struct {
	img        *image.RGBA
	y          int // where it goes on
	text, bold face.Letters
	isolation  *strings.Replacer // of names from right to left
}

// Picture draws p with the fonts text and bold. It is an error if p has more than one face.
func (p *Page) Picture(text, bold face.Letters) (image.Image, error) {
	sections, err := p.sections()
	switch {
	case err != nil:
		return nil, err
	case len(sections) > 1:
		return nil, errors.New("explain: a picture is of one face")
	}
	s := &sheet{new(image.RGBA), edge, text, bold, isolated(p.Model.Parts().Classes)}
	s.draw(p.Title, &sections[0]) // on nothing: how high is it?
	s.img, s.y = image.NewRGBA(image.Rect(0, 0, width, s.y+edge)), edge
	s.fill(0, 0, width, s.img.Rect.Max.Y, paper)
	s.draw(p.Title, &sections[0])
	return s.img, nil
}

// isolated puts isolates around the names that are written from right to left: a number
// after such a name would go to its left.
func isolated(names []string) *strings.Replacer {
	const first, pop = "\u2068", "\u2069"
	var pairs []string
	for _, name := range names {
		if strings.ContainsFunc(name, func(r rune) bool {
			return unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko)
		}) {
			pairs = append(pairs, name, first+name+pop)
		}
	}
	return strings.NewReplacer(pairs...)
}

func (s *sheet) draw(title string, of *section) {
	s.paragraph(s.text, soft, 0, title)
	s.paragraph(s.text, soft, 0, of.Title)
	s.y += gap / 2
	side, high := blue, len(s.wrap(s.text, of.Sentence, inner-2*gap))*lineH+2*gap
	if of.Unknown {
		side = orange
	}
	s.fill(edge, s.y, inner, high, faint)
	s.fill(edge, s.y, gap/3, high, side)
	s.y += gap
	s.paragraph(s.text, ink, gap, of.Sentence)
	s.y += gap + gap/2
	s.paragraph(s.text, soft, 0, of.Reasons)
	for _, r := range of.Rows {
		s.row(r)
	}
	for i := range of.Charts {
		s.chart(&of.Charts[i])
	}
}

func (s *sheet) fill(x, y, w, h int, c color.RGBA) {
	draw.Draw(s.img, image.Rect(x, y, x+w, y+h), image.NewUniform(c), image.Point{}, draw.Src)
}

// write writes a line at (x, s.y), cut to so many pixels, and returns its width.
func (s *sheet) write(with face.Letters, c color.RGBA, x int, text string, room int) int {
	const ascent = 14
	text = legible.Printable(text)
	with.Write(s.img, c, text, size, image.Pt(x, s.y+ascent), room)
	return min(room, measure(with, text))
}

func measure(with face.Letters, text string) int { return with.Bounds(text, size).Dx() }

// paragraph writes text in lines, indented on both sides.
func (s *sheet) paragraph(with face.Letters, c color.RGBA, indent int, text string) {
	for _, line := range s.wrap(with, s.isolation.Replace(text), inner-2*indent) {
		s.write(with, c, edge+indent, line, inner-2*indent)
		s.y += lineH
	}
}

// wrap breaks text between words into lines of so many pixels, if they have room.
func (s *sheet) wrap(with face.Letters, text string, room int) (lines []string) {
	for word := range strings.FieldsSeq(legible.Printable(text)) {
		n := len(lines) - 1
		if n >= 0 && measure(with, lines[n]+" "+word) <= room {
			lines[n] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// heading begins a part of the sheet.
func (s *sheet) heading(title, caption string) {
	s.y += gap + gap/2
	s.paragraph(s.bold, ink, 0, title)
	s.paragraph(s.text, soft, 0, caption)
	s.y += gap / 2
}

func (s *sheet) row(r row) {
	s.heading(r.Title, r.Caption)
	x := edge
	for i, p := range r.Pictures {
		b := p.img.Bounds()
		w := max(pictureH*b.Dx()/b.Dy(), pictureH/2) + 2*frame
		if i > 0 && x+w > width-edge {
			x, s.y = edge, s.y+pictureH+2*frame+2*lineH+gap/2
		}
		top := s.y
		s.fill(x, top, w, pictureH+2*frame, inks[p.Mark])
		draw.CatmullRom.Scale(s.img, image.Rect(x, top, x+w, top+pictureH+2*frame).Inset(frame), p.img, b, draw.Src, nil)
		s.y += pictureH + 2*frame + 2
		s.write(s.text, ink, x, p.Name, w+gap/2)
		s.y += lineH
		s.write(s.text, soft, x, p.Sub, w+gap/2)
		x, s.y = x+w+gap, top
	}
	if len(r.Pictures) > 0 {
		s.y += pictureH + 2*frame + 2*lineH + 2
	}
}

func (s *sheet) chart(c *chart) {
	s.heading(c.Title, c.Caption)
	at := func(share float64) int { return edge + nameW + int(math.Round(share*(inner-nameW-scoreW))) }
	if c.HasLine { // its label is inside the chart wherever the line is
		s.write(s.bold, ink, at(c.Line)-int(c.Line*float64(measure(s.bold, c.Label))), c.Label, width)
		s.y += lineH
	}
	top := s.y
	for _, b := range c.Bars {
		with := s.text
		if b.Mark == ofBest {
			with = s.bold
		}
		after := s.write(with, ink, edge, b.Name, nameW-gap) + gap/2
		if after+measure(s.text, b.Note) <= nameW-gap {
			s.write(s.text, soft, edge+after, b.Note, nameW)
		}
		s.write(with, ink, width-edge-measure(with, b.Score), b.Score, width)
		const thin = 5 // above and below a bar
		from := at(min(c.Zero, b.End))
		s.fill(from, s.y+thin, max(1, at(max(c.Zero, b.End))-from), barH-2*thin, inks[b.Mark])
		s.y += barH
	}
	const dash = 6
	for y := top; c.HasLine && y < s.y; y += 2 * dash {
		s.fill(at(c.Line)-1, y, 2, min(dash, s.y-y), ink)
	}
	s.paragraph(s.text, soft, 0, c.Others)
}
