// Package plot draws the figures of a report as inline SVG, with the plotters
// of gonum.org/v1/plot. A figure is one <svg> element that fills the available
// width. Its text and axes take the colour of the surrounding text, so that it
// suits light and dark pages. Equal inputs give equal bytes.
package plot

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"regexp"
	"strings"
	"unicode"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Sizes in the units of the view box, which on a telephone are about two thirds
// of a pixel.
const (
	width    = 520 // of a figure
	nameSize = 13
	tickSize = 12
	axisRoom = 220 // widest name of an axis
	row      = 17  // from one line of text to the next
	gap      = 6
	thin     = 0.7
	stroke   = 1.7
	radius   = 3.4 // of a marker
)

// sans is measured as Arial and Helvetica are.
var sans = font.Font{Typeface: "Liberation", Variant: "Sans"}

// Black stands for the colour of the text; soft and faint are less of it.
var (
	soft  = color.NRGBA{A: 150}
	faint = color.NRGBA{A: 36}
)

// inks are the colours of Okabe and Ito, which the colour-blind tell apart:
// without yellow, and the two lightest darkened, so that each has a contrast
// of 3:1 to white and to #111.
var inks = []color.NRGBA{
	{A: 255},
	{0xD5, 0x5E, 0x00, 255}, // vermillion
	{0x00, 0x72, 0xB2, 255}, // blue
	{0x00, 0x9E, 0x73, 255}, // bluish green
	{0xC5, 0x72, 0x9F, 255}, // reddish purple
	{0xB9, 0x80, 0x00, 255}, // orange
	{0x40, 0x96, 0xC9, 255}, // sky blue
}

// look is how series i is drawn: 56 differ, since there is one more of the shapes,
// which begin with the filled ones, than of inks. Dashes change when the colours
// begin again.
func look(i int) (draw.LineStyle, draw.GlyphStyle) {
	ink := inks[i%len(inks)]
	return draw.LineStyle{Color: ink, Width: stroke, Dashes: plotutil.Dashes(i / len(inks))},
		draw.GlyphStyle{Color: ink, Radius: radius, Shape: plotutil.Shape(i + 5)}
}

// newPlot has axes without marks but for their labels, and a grid across the
// vertical one.
func newPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle = draw.LineStyle{Color: soft, Width: thin}
		a.Tick.LineStyle, a.Tick.Length = a.LineStyle, 3
		a.Tick.Label.Font, a.Label.TextStyle.Font = font.From(sans, tickSize), font.From(sans, nameSize)
		a.Tick.Marker, a.Label.Padding = plot.TickerFunc(linearTicks), gap/2
	}
	p.Y.LineStyle.Width, p.Y.Tick.Length = 0, 0
	p.Legend.TextStyle.Font = font.From(sans, nameSize)
	p.Legend.Top, p.Legend.Left, p.Legend.Padding = true, true, gap
	return p
}

// figureStyle lets a figure that is a file of its own follow the reader's
// choice of light or dark; inside a page it says nothing.
const figureStyle = `<style>svg:root{color:#222}@media(prefers-color-scheme:dark){svg:root{color:#ddd}}</style>`

// texts finds what vgsvg says of the font of a text, and the text.
var texts = regexp.MustCompile(`\n\tstyle="font-family:[^"]*font-size:(\d+)px"?[^>]*>([^<]*)<`)

// svg is the figure that paint draws. The reader's font is as wide as the font
// by which the plot was laid out: textLength says so.
func svg(title string, height vg.Length, paint func(draw.Canvas)) []byte {
	c := vgsvg.New(width, height)
	paint(draw.New(c))
	var raw bytes.Buffer
	if _, err := c.WriteTo(&raw); err != nil {
		panic(err) // a buffer takes everything
	}
	_, body, _ := strings.Cut(raw.String(), "<g ")
	body = strings.NewReplacer(
		`"fill:none;stroke:#000000`, `"fill:none;stroke:currentColor`, // fill is inherited
		`;stroke-width:0.5"`, `;stroke-width:1.3"`, // of open markers, for which the library has no option
	).Replace(body)
	body = texts.ReplaceAllStringFunc(body, func(s string) string {
		of := texts.FindStringSubmatch(s)
		var size vg.Length
		fmt.Sscan(of[1], &size)
		return fmt.Sprintf(` font-size="%s" textLength="%.5g" lengthAdjust="spacingAndGlyphs">%s<`,
			of[1], float64(textWidth(html.UnescapeString(of[2]), size)), of[2])
	})
	title = html.EscapeString(clean(title))
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %.5g" width="100%%" role="img" aria-label="%s"`+
		` fill="currentColor" stroke-linejoin="round" font-family="Helvetica,Arial,'Liberation Sans',sans-serif">`+"\n<title>%s</title>\n%s\n<g %s",
		width, float64(height), title, title, figureStyle, body)
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

func textWidth(s string, size vg.Length) vg.Length {
	face := font.DefaultCache.Lookup(sans, size)
	return face.Width(s)
}

// shorten returns s cleaned, and cut at its end if it is wider than room.
func shorten(s string, size, room vg.Length) string {
	s = clean(s)
	short := s
	for letters := []rune(s); textWidth(short, size) > room && len(letters) > 0; short = string(letters) + "…" {
		letters = letters[:len(letters)-1]
	}
	return short
}
