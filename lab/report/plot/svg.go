// Package plot draws the figures of a report as inline SVG. A figure is one
// <svg> element that fills the available width. Its text and axes take the
// colour of the surrounding text, so that it suits light and dark pages. Equal
// inputs give equal bytes.
//
// Experimental: this package may change in any version.
package plot

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// Sizes in the units of the view box, which on a telephone are about two thirds
// of a pixel.
const (
	width    = 520 // of a figure, but for what widens it
	nameSize = 13
	tickSize = 12
	axisRoom = 220 // widest name of an axis
	row      = 17  // from one line of text to the next
	gap      = 6
	margin   = 18 // at the right of the axes
	thin     = 0.7
	stroke   = 1.7
	radius   = 3.4  // of a marker
	capSize  = 3.0  // half of the cap of a bar
	middle   = 0.36 // of the size of a text: half of its height above the base line
)

// A pen draws lines; one without width fills areas.
type pen struct {
	colour         string
	opacity, width float64
	dashes         string // lengths of the dashes and of what is between them, or ""
}

// textColour is that of the text around the figure.
const textColour = "currentColor"

var (
	soft  = pen{colour: textColour, opacity: 0.59, width: thin}
	faint = pen{colour: textColour, opacity: 0.14, width: thin}
)

// inks are the colours of Okabe and Ito, which the colour-blind tell apart:
// without yellow, and the two lightest darkened, so that each has a contrast
// of 3:1 to white and to #111.
var inks = []string{
	textColour,
	"#D55E00", // vermillion
	"#0072B2", // blue
	"#009E73", // bluish green
	"#C5729F", // reddish purple
	"#B98000", // orange
	"#4096C9", // sky blue
}

// Looks is the number of looks that differ. Look n and look n + Inks have one colour.
var Looks, Inks = len(inks) * len(shapes), len(inks)

// A shape is the outline of a marker, drawn from its centre.
type shape struct {
	outline string
	filled  bool
}

const (
	circle   = "m-3.4,0a3.4,3.4 0 1 0 6.8,0a3.4,3.4 0 1 0-6.8,0z"
	square   = "m-2.9-2.9h5.8v5.8h-5.8z"
	triangle = "m0-4.25l3.68,6.37h-7.36z"
	cross    = "m-2.4-2.4l4.8,4.8m0-4.8l-4.8,4.8"
	plus     = "m-3.4,0h6.8m-3.4-3.4v6.8"
)

var (
	shapes = []shape{
		{circle, true},
		{square, true},
		{triangle, true},
		{circle, false},
		{square, false},
		{triangle, false},
		{cross, false},
		{plus, false},
	}
	dashes = []string{"", "6,2", "2,2", "9,2,2,2", "5,2,2,2,2,2", "12,3", "1,3", "9,3,3,3"}
)

// look is how series i is drawn: 56 differ, since there is one more of the shapes
// than of inks. Dashes change when the colours begin again.
func look(i int) (pen, shape) {
	return pen{inks[i%len(inks)], 1, stroke, dashes[i/len(inks)%len(dashes)]}, shapes[i%len(shapes)]
}

// A sheet is the elements of a figure that is being drawn.
type sheet struct{ bytes.Buffer }

// number writes v with two decimals at most.
func number(v float64) string { return strconv.FormatFloat(math.Round(100*v)/100+0, 'f', -1, 64) }

// A path is the data of a <path>.
type path struct{ strings.Builder }

// line adds a line through places, which are pairs of x and y.
func (d *path) line(places ...float64) {
	for i := 0; i < len(places); i += 2 {
		d.WriteString("ML"[min(i, 1):min(i, 1)+1] + number(places[i]) + "," + number(places[i+1]))
	}
}

// bar adds an upright or a level line, with a cap across both of its ends.
func (d *path) bar(x0, y0, x1, y1 float64) {
	across, along := capSize, 0.0
	if x0 != x1 {
		across, along = 0, capSize
	}
	d.line(x0, y0, x1, y1)
	d.line(x0-across, y0-along, x0+across, y0+along)
	d.line(x1-across, y1-along, x1+across, y1+along)
}

// draw draws d, if it is not empty.
func (s *sheet) draw(p pen, d *path) {
	if d.Len() == 0 {
		return
	}
	fmt.Fprintf(s, `<path d="%s"`, d)
	role := "fill"
	if p.width > 0 {
		role = "stroke"
		fmt.Fprintf(s, ` fill="none" stroke-width="%s"`, number(p.width))
	}
	if p.dashes != "" {
		fmt.Fprintf(s, ` stroke-dasharray="%s"`, p.dashes)
	}
	if p.opacity < 1 {
		fmt.Fprintf(s, ` %s-opacity="%s"`, role, number(p.opacity))
	}
	fmt.Fprintf(s, ` %s="%s"/>`+"\n", role, p.colour)
}

// marks draws markers at places, which are pairs of x and y.
func (s *sheet) marks(colour string, m shape, places ...float64) {
	p := pen{colour: colour, opacity: 1, width: 1.3}
	if m.filled {
		p.width = 0
	}
	var d path
	for i := 0; i < len(places); i += 2 {
		d.line(places[i : i+2]...)
		d.WriteString(m.outline)
	}
	s.draw(p, &d)
}

// text writes words of that size with their base line at y. The place x is at
// the share of their width, 0 for the left end. The reader's font is as wide as
// the font by which the figure is laid out: textLength says so.
func (s *sheet) text(x, y, size, share float64, words string) {
	s.write("", x-share*textWidth(words, size), y, size, words)
}

// upward is like text, but for words that are turned, to be read from below;
// their base line is at x.
func (s *sheet) upward(x, y, size, share float64, words string) {
	s.write(` transform="rotate(-90)"`, -y-share*textWidth(words, size), x, size, words)
}

func (s *sheet) write(turn string, x, y, size float64, words string) {
	if words != "" {
		fmt.Fprintf(s, `<text%s x="%s" y="%s" font-size="%s" textLength="%s" lengthAdjust="spacingAndGlyphs">%s</text>`+"\n",
			turn, number(x), number(y), number(size), number(textWidth(words, size)), html.EscapeString(words))
	}
}

// figureStyle lets a figure that is a file of its own follow the reader's
// choice of light or dark; inside a page it says nothing.
const figureStyle = `<style>svg:root{color:#222}@media(prefers-color-scheme:dark){svg:root{color:#ddd}}</style>`

// figure is what was drawn as a whole.
func (s *sheet) figure(title string, wide, height float64) []byte {
	title = html.EscapeString(clean(title))
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="100%%" role="img" aria-label="%s"`+
		` fill="currentColor" stroke-linejoin="round" font-family="Helvetica,Arial,'Liberation Sans',sans-serif">`+
		"\n<title>%s</title>\n%s\n%s</svg>\n",
		number(wide), number(height), title, title, figureStyle, s.Bytes())
}

// clean returns s on one line and without what XML does not allow.
func clean(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return unicode.ReplacementChar
		}
		return r
	}, s))
}

// sans has letters and digits of the widths of Arial and Helvetica.
var sans = sync.OnceValue(func() *sfnt.Font {
	f, err := sfnt.Parse(goregular.TTF)
	if err != nil {
		panic(err) // the font is a part of the program
	}
	return f
})

const (
	em      = 1000 // units that the width of a letter is measured in
	unknown = 750  // width of a letter that is not in the font
)

func textWidth(s string, size float64) float64 {
	var b sfnt.Buffer
	sum := 0.0
	for _, r := range s {
		wide := fixed.I(unknown)
		if glyph, err := sans().GlyphIndex(&b, r); err == nil && glyph != 0 {
			if w, err := sans().GlyphAdvance(&b, glyph, fixed.I(em), font.HintingNone); err == nil {
				wide = w
			}
		}
		sum += float64(wide) / 64
	}
	return sum * size / em
}

// shorten returns s cleaned, and cut at its end if it is wider than room.
func shorten(s string, size, room float64) string {
	s = clean(s)
	if textWidth(s, size) <= room {
		return s
	}
	room -= textWidth("…", size)
	for i, r := range s {
		if room -= textWidth(string(r), size); room < 0 {
			return s[:i] + "…"
		}
	}
	return "…" // not reached: all of s is too wide
}
