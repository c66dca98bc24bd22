package explain

import (
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strings"
	"sync"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// What the picture of a page is made of, in pixels.
const (
	edge      = 28
	width     = 1000
	pictureH  = 136 // of a picture; its width follows
	gap       = 12
	frame     = 3   // of a picture
	barH      = 24  // from one bar to the next
	nameW     = 270 // of the names beside the bars
	scoreW    = 70
	sizeText  = 16
	sizeSmall = 14
)

var (
	paper = color.RGBA{255, 255, 255, 255}
	ink   = color.RGBA{26, 28, 31, 255}
	soft  = color.RGBA{92, 99, 107, 255}
	faint = color.RGBA{241, 244, 246, 255}
	grey  = color.RGBA{169, 179, 188, 255}
	inks  = map[mark]color.RGBA{ofNobody: grey, ofBest: blue, ofRival: orange}
)

// letters are a font at one size. They are not safe for concurrent use.
type letters struct{ font.Face }

// The fonts, read once.
var fonts = sync.OnceValues(func() (f [2]*opentype.Font, err error) {
	for i, ttf := range [][]byte{goregular.TTF, gobold.TTF} {
		if f[i], err = opentype.Parse(ttf); err != nil {
			return f, err
		}
	}
	return f, nil
})

// PNG writes p, of one face, as a picture.
func (p *Page) PNG(w io.Writer) error {
	sections, err := p.sections()
	switch {
	case err != nil:
		return err
	case len(sections) > 1:
		return errors.New("explain: a picture is of one face")
	}
	s, err := newSheet()
	if err != nil {
		return err
	}
	s.draw(p.Title, &sections[0]) // on nothing: how high is it?
	s.img, s.y = image.NewRGBA(image.Rect(0, 0, width, s.y+edge)), edge
	s.fill(s.img.Bounds(), paper)
	s.draw(p.Title, &sections[0])
	return png.Encode(w, s.img)
}

// A sheet is drawn from the top to the bottom. What lies outside of img is not
// drawn.
type sheet struct {
	img                        *image.RGBA
	y                          int // where it goes on
	text, small, bold, heading letters
}

func newSheet() (*sheet, error) {
	f, err := fonts()
	if err != nil {
		return nil, err
	}
	s := &sheet{img: new(image.RGBA), y: edge}
	for _, of := range []struct {
		to   *letters
		font *opentype.Font
		size float64
	}{{&s.text, f[0], sizeText}, {&s.small, f[0], sizeSmall}, {&s.bold, f[1], sizeSmall}, {&s.heading, f[1], sizeText}} {
		const dpi = 72 // a point is a pixel
		if of.to.Face, err = opentype.NewFace(of.font, &opentype.FaceOptions{Size: of.size, DPI: dpi, Hinting: font.HintingFull}); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *sheet) fill(box image.Rectangle, c color.RGBA) {
	draw.Draw(s.img, box, image.NewUniform(c), image.Point{}, draw.Src)
}

func (s *sheet) draw(title string, of *section) {
	s.paragraph(s.small, soft, edge, title, width-2*edge)
	if of.Title != "" {
		s.paragraph(s.small, soft, edge, of.Title, width-2*edge)
	}
	s.y += gap / 2
	top := s.y
	lines := s.text.wrap(printable(of.Sentence), width-2*edge-3*gap)
	s.fill(image.Rect(edge, top, width-edge, top+len(lines)*s.text.high()+2*gap), faint)
	side := blue
	if of.Unknown {
		side = orange
	}
	s.fill(image.Rect(edge, top, edge+gap/3, top+len(lines)*s.text.high()+2*gap), side)
	s.y += gap
	s.paragraph(s.text, ink, edge+gap+gap/2, of.Sentence, width-2*edge-3*gap)
	s.y += gap
	for _, r := range of.Rows {
		s.row(r)
	}
	s.chart(&of.Scores)
}

// paragraph writes text in lines of so many pixels, from x on.
func (s *sheet) paragraph(with letters, c color.RGBA, x int, text string, width int) {
	for _, line := range with.wrap(printable(text), width) {
		s.write(with, c, x, s.y, line)
		s.y += with.high()
	}
}

// write writes a line whose top is y.
func (s *sheet) write(with letters, c color.RGBA, x, y int, line string) {
	d := font.Drawer{Dst: s.img, Src: image.NewUniform(c), Face: with, Dot: fixed.P(x, y+with.Metrics().Ascent.Ceil())}
	d.DrawString(line)
}

// section begins a part of the sheet.
func (s *sheet) section(title, caption string) {
	s.y += gap + gap/2
	s.paragraph(s.heading, ink, edge, title, width-2*edge)
	s.paragraph(s.small, soft, edge, caption, width-2*edge)
	s.y += gap / 2
}

func (s *sheet) row(r row) {
	s.section(r.Title, r.Caption)
	x, low := edge, s.y
	for _, p := range r.Pictures {
		b := p.img.Bounds()
		w := max(pictureH*b.Dx()/b.Dy(), pictureH/2)
		if x+w+2*frame > width-edge {
			x, s.y = edge, low+gap/2
		}
		box := image.Rect(x, s.y, x+w+2*frame, s.y+pictureH+2*frame)
		s.fill(box, inks[p.Mark])
		draw.CatmullRom.Scale(s.img, box.Inset(frame), p.img, b, draw.Src, nil)
		s.write(s.small, ink, x, box.Max.Y+2, s.small.fit(printable(p.Name), box.Dx()+gap/2))
		s.write(s.small, soft, x, box.Max.Y+2+s.small.high(), s.small.fit(printable(p.Sub), box.Dx()+gap/2))
		low = max(low, box.Max.Y+2+2*s.small.high())
		x = box.Max.X + gap
	}
	s.y = max(s.y, low)
}

func (s *sheet) chart(c *chart) {
	s.section("The scores", c.Caption)
	left, right := edge+nameW, width-edge-scoreW
	at := func(share float64) int { return left + int(math.Round(share*float64(right-left))) }
	if c.HasLine {
		w := s.bold.measure(c.Label)
		s.write(s.bold, ink, at(c.Line)-int(c.Line*float64(w)), s.y, c.Label) // inside the chart wherever the line is
		s.y += s.bold.high()
	}
	top := s.y
	for _, b := range c.Bars {
		base := s.y + (barH-s.small.high())/2
		with := s.small
		if b.Mark == ofBest {
			with = s.bold
		}
		name := with.fit(printable(b.Name), nameW-gap)
		s.write(with, ink, edge, base, name)
		if after := with.measure(name) + gap/2; after+s.small.measure(b.Note) <= nameW-gap {
			s.write(s.small, soft, edge+after, base, b.Note)
		}
		from, to := at(math.Min(c.Zero, b.To)), at(math.Max(c.Zero, b.To))
		const thin = 5 // above and below a bar
		s.fill(image.Rect(from, s.y+thin, max(to, from+1), s.y+barH-thin), inks[b.Mark])
		s.write(with, ink, width-edge-with.measure(b.Score), base, b.Score)
		s.y += barH
	}
	const dash = 6
	for y := top; c.HasLine && y < s.y; y += 2 * dash {
		s.fill(image.Rect(at(c.Line)-1, y, at(c.Line)+1, min(y+dash, s.y)), ink)
	}
	s.paragraph(s.small, soft, edge, c.Others, width-2*edge)
}

func (l letters) high() int { return (l.Metrics().Height * 5 / 4).Ceil() }

func (l letters) measure(line string) int { return font.MeasureString(l, line).Ceil() }

// fit shortens a line to so many pixels.
func (l letters) fit(line string, width int) string {
	if l.measure(line) <= width {
		return line
	}
	runes := []rune(line)
	for len(runes) > 0 && l.measure(string(runes)+"…") > width {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}

// wrap breaks text between words into lines of so many pixels; a longer word is
// shortened.
func (l letters) wrap(text string, width int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		word = l.fit(word, width)
		switch longer := line + " " + word; {
		case line == "":
			line = word
		case l.measure(longer) <= width:
			line = longer
		default:
			lines, line = append(lines, line), word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
