package report

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"math"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Sizes of text and lines, in the units of the view box, which on a telephone
// are about two thirds of a pixel.
const (
	nameSize   = 13.0
	tickSize   = 12.0
	lineHeight = 17.0
	capHalf    = 0.36 // half the height of capitals, as a share of the size
	thin       = 0.7
	stroke     = 1.7
	markSize   = 3.4 // radius
)

// How much of the text's colour the lines have that are not data.
const (
	spreadAlpha = 120
	leaderAlpha = 130
)

var (
	textInk = color.NRGBA{A: 255}
	soft    = color.NRGBA{A: 150}
	faint   = color.NRGBA{A: 36}
)

// inks are the colours of Okabe and Ito, which the colour-blind tell apart:
// without yellow, and the two lightest darkened, so that each has a contrast
// of 3:1 to white and to #111. Black stands for the colour of the text.
var inks = []color.NRGBA{
	{0x00, 0x00, 0x00, 255},
	{0xD5, 0x5E, 0x00, 255}, // vermillion
	{0x00, 0x72, 0xB2, 255}, // blue
	{0x00, 0x9E, 0x73, 255}, // bluish green
	{0xC5, 0x72, 0x9F, 255}, // reddish purple
	{0xB9, 0x80, 0x00, 255}, // orange
	{0x40, 0x96, 0xC9, 255}, // sky blue
}

// dashes change when the colours begin again.
var dashes = [][]vg.Length{nil, {6, 3}, {1.7, 2.6}, {8, 3, 2, 3}}

func inkOf(i int) color.NRGBA    { return inks[i%len(inks)] }
func dashOf(i int) []vg.Length   { return dashes[i/len(inks)%len(dashes)] }
func markOf(i int) polygonMarker { return markers[i%len(markers)] }

// A polygonMarker is a regular polygon, or a disc if it has no corners.
type polygonMarker struct {
	corners int
	turn    float64 // of the first corner, from the right
	open    bool
}

// markers are one more than inks: together they differ for 56 series.
var markers = []polygonMarker{
	{0, 0, false},
	{4, math.Pi / 4, false},
	{3, math.Pi / 2, false},
	{4, 0, false},
	{3, -math.Pi / 2, false},
	{0, 0, true},
	{4, math.Pi / 4, true},
	{3, math.Pi / 2, true},
}

// Anchors of a text.
const (
	startAnchor  = "start"
	middleAnchor = "middle"
	endAnchor    = "end"
)

// A canvas gathers lines and texts of one figure. Its origin is at the lower
// left. Texts are kept apart, because their width is the reader's font's: they
// are anchored and left to the reader.
type canvas struct {
	width, height vg.Length
	paths         *vgsvg.Canvas
	texts         bytes.Buffer
}

func newCanvas(width, height vg.Length) *canvas {
	return &canvas{width: width, height: height, paths: vgsvg.New(width, height)}
}

// line draws through the points; a single point is not drawn.
func (c *canvas) line(ink color.NRGBA, width vg.Length, dash []vg.Length, points ...vg.Point) {
	if len(points) < 2 {
		return
	}
	c.paths.SetColor(ink)
	c.paths.SetLineWidth(width)
	c.paths.SetLineDash(dash, 0)
	c.paths.Stroke(through(points))
}

func through(points []vg.Point) (p vg.Path) {
	p.Move(points[0])
	for _, q := range points[1:] {
		p.Line(q)
	}
	return p
}

// box fills the rectangle between two corners, or draws its outline.
func (c *canvas) box(ink color.NRGBA, open bool, a, b vg.Point) {
	p := through([]vg.Point{a, {X: b.X, Y: a.Y}, b, {X: a.X, Y: b.Y}})
	p.Close()
	c.shape(ink, open, p)
}

func (c *canvas) shape(ink color.NRGBA, open bool, p vg.Path) {
	c.paths.SetColor(ink)
	if !open {
		c.paths.Fill(p)
		return
	}
	c.paths.SetLineWidth(stroke * 0.8)
	c.paths.SetLineDash(nil, 0)
	c.paths.Stroke(p)
}

// marker draws the marker of series i.
func (c *canvas) marker(i int, at vg.Point) {
	m := markOf(i)
	var p vg.Path
	if m.corners == 0 {
		p.Move(vg.Point{X: at.X + markSize, Y: at.Y})
		p.Arc(at, markSize, 0, 2*math.Pi)
	} else {
		r := markSize * math.Sqrt(2*math.Pi/(float64(m.corners)*math.Sin(2*math.Pi/float64(m.corners)))) // of the disc's area
		var points []vg.Point
		for k := range m.corners {
			sin, cos := math.Sincos(m.turn + 2*math.Pi*float64(k)/float64(m.corners))
			points = append(points, vg.Point{X: at.X + vg.Length(r*cos), Y: at.Y + vg.Length(r*sin)})
		}
		p = through(points)
	}
	p.Close()
	c.shape(inkOf(i), m.open, p)
}

// dot marks a place on an axis.
func (c *canvas) dot(ink color.NRGBA, at vg.Point) {
	const radius = 2.2
	var p vg.Path
	p.Move(vg.Point{X: at.X + radius, Y: at.Y})
	p.Arc(at, radius, 0, 2*math.Pi)
	p.Close()
	c.shape(ink, false, p)
}

// text writes s with its base line at y.
func (c *canvas) text(x, y, size vg.Length, anchor, s string) {
	if s == "" {
		return
	}
	fmt.Fprintf(&c.texts, `<text x="%.5g" y="%.5g" font-size="%g" text-anchor="%s">%s</text>`+"\n",
		float64(x), float64(c.height-y), float64(size), anchor, html.EscapeString(cleanText(s)))
}

// pathsStart is how the paths begin in what vgsvg writes: what is before is
// replaced by a header without a fixed size.
const pathsStart = `<g transform="scale(1, -1)`

// figureStyle lets a figure that is a file of its own follow the reader's
// choice of light or dark; inside a page it says nothing.
const figureStyle = `<style>svg:root{color:#222}@media(prefers-color-scheme:dark){svg:root{color:#ddd}}</style>`

// svg returns the figure as an element that is as wide as there is room.
func (c *canvas) svg(title string) ([]byte, error) {
	var raw bytes.Buffer
	if _, err := c.paths.WriteTo(&raw); err != nil {
		return nil, fmt.Errorf("draw: %w", err)
	}
	_, body, ok := strings.Cut(raw.String(), pathsStart)
	body, end := strings.CutSuffix(body, "</svg>\n")
	if !ok || !end {
		panic("report: vgsvg writes something else than it did")
	}
	body = strings.ReplaceAll(body, "stroke:#000000", "stroke:currentColor") // fill is inherited
	title = html.EscapeString(cleanText(title))
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.5g %.5g" width="100%%" role="img" aria-label="%s"`+
		` fill="currentColor" stroke-linejoin="round" font-family="system-ui,-apple-system,'Segoe UI',Roboto,'Liberation Sans',sans-serif">`+"\n",
		float64(c.width), float64(c.height), title)
	fmt.Fprintf(&out, "<title>%s</title>\n%s\n%s%s%s</svg>\n", title, figureStyle, pathsStart, body, c.texts.Bytes())
	return out.Bytes(), nil
}

// cleanText returns s on one line and without what XML does not allow.
func cleanText(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
	return strings.TrimSpace(s)
}

// wider is how much wider a reader's font may be than the ruler's: DejaVu Sans
// and Verdana are the widest of the common ones.
const wider = 1.14

// ruler measures text at 100 units; letters that its font lacks count as wide.
var ruler = sync.OnceValue(func() font.Face {
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		panic(err)
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: 100, DPI: 72})
	if err != nil {
		panic(err)
	}
	return face
})

// measuring guards ruler's face, which is not safe for concurrent use.
var measuring sync.Mutex

func textWidth(s string, size vg.Length) vg.Length {
	measuring.Lock()
	defer measuring.Unlock()
	return vg.Length(font.MeasureString(ruler(), s)) / 64 / 100 * size * wider
}

// shorten returns s cleaned, and cut at its end if it is wider than room.
func shorten(s string, size, room vg.Length) string {
	s = cleanText(s)
	if textWidth(s, size) <= room {
		return s
	}
	letters := []rune(s)
	for n := min(len(letters), int(room)); n > 0; n-- {
		if t := strings.TrimRight(string(letters[:n]), " ") + "…"; textWidth(t, size) <= room {
			return t
		}
	}
	return "…"
}
