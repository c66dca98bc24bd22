package report

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
)

// A Series is a named sequence of points. A value that is not a finite number,
// or not positive on a logarithmic axis, is a gap.
type Series struct {
	Name   string
	X, Y   []float64 // of one length; Bars has no use for X
	Spread []float64 // ± around Y, of the length of Y; or nil
}

// Axes say what a figure shows.
type Axes struct {
	Title      string // name of the figure for those who cannot see it; it is not drawn
	X, Y       string // names of the axes, with units
	LogX, LogY bool
	Categories []string // names of X = 0, 1, …; or nil
}

// Sizes of a figure of lines, in the units of its view box.
const (
	figureWidth  = 520
	figureHeight = 300
	keyLength    = 22  // of the piece of line before a name
	leaderRoom   = 18  // between the plot and the names
	nameRoom     = 132 // widest name
	nameStep     = 16  // from name to name
	nameSpare    = 6   // names for which there is room beside those written
	whisker      = 0.9 // width of the line that is the spread
	inset        = 7   // between the edge of the plot and the first and last point
)

// Lines draws a line through the points of every series, in the order given,
// with its name at its end. The result is one <svg> element in the colour of
// the text around it. It is an error if there is no point to draw.
func Lines(a Axes, s []Series) ([]byte, error) {
	if err := checkSeries(s); err != nil {
		return nil, fmt.Errorf("draw lines: %w", err)
	}
	p, err := newLinePlot(a, s)
	if err != nil {
		return nil, fmt.Errorf("draw lines: %w", err)
	}
	p.drawAxes(a)
	for i := range s {
		p.drawSpread(i)
	}
	for i := range s {
		p.drawLine(i)
	}
	p.drawNames()
	return p.c.svg(a.Title)
}

// noValues is behind the name of a series without a point.
const noValues = " (none)"

func checkSeries(s []Series) error {
	if len(s) == 0 {
		return errors.New("there is no series")
	}
	for _, t := range s {
		if len(t.X) != len(t.Y) {
			return fmt.Errorf("series %q has %d X for %d Y", t.Name, len(t.X), len(t.Y))
		}
		if t.Spread != nil && len(t.Spread) != len(t.Y) {
			return fmt.Errorf("series %q has %d spreads for %d Y", t.Name, len(t.Spread), len(t.Y))
		}
	}
	return nil
}

// A linePlot is a figure of lines being drawn. The origin is at the lower left.
type linePlot struct {
	c                      *canvas
	x, y                   axis
	left, right, low, high vg.Length // the plot without axes and names
	series                 []Series
	names                  []string // shortened to their room
	last                   []vg.Point
	drawn                  []bool // whether a series has a point
	xTicks, yTicks         []tick
	nameWidth              vg.Length
}

func newLinePlot(a Axes, s []Series) (*linePlot, error) {
	p := &linePlot{series: s, x: axis{log: a.LogX}, y: axis{log: a.LogY}}
	p.last, p.drawn = make([]vg.Point, len(s)), make([]bool, len(s))
	var xs []float64
	for i, t := range s {
		for j := range t.X {
			if !p.x.shows(t.X[j]) || !p.y.shows(t.Y[j]) {
				continue
			}
			p.drawn[i] = true
			xs = append(xs, t.X[j])
			p.y.include(t.Y[j])
			if e := spreadOf(t, j); e > 0 {
				p.y.include(t.Y[j] - e)
				p.y.include(t.Y[j] + e)
			}
		}
		p.names = append(p.names, shorten(t.Name, nameSize, nameRoom))
		if !p.drawn[i] {
			p.names[i] = shorten(t.Name, nameSize, nameRoom-textWidth(noValues, nameSize)) + noValues
		}
		p.nameWidth = max(p.nameWidth, textWidth(p.names[i], nameSize))
	}
	if len(xs) == 0 {
		return nil, errors.New("there is no point that could be drawn")
	}
	for _, v := range xs {
		p.x.include(v)
	}
	p.x.settle(0)
	p.y.settle(yMargin)
	p.yTicks = p.y.ticks(yTickCount)
	p.layOut(a, xs)
	return p, nil
}

// layOut finds where the plot lies on the figure.
func (p *linePlot) layOut(a Axes, xs []float64) {
	height := max(vg.Length(figureHeight), nameStep*vg.Length(len(p.series)+nameSpare))
	p.c = newCanvas(figureWidth, height)
	for _, t := range p.yTicks {
		p.left = max(p.left, textWidth(t.text, tickSize)+tickGap)
	}
	p.left = max(p.left, 2*tickGap)
	p.right = figureWidth - p.nameWidth - keyLength - 2*tickGap - leaderRoom
	p.high = height - tickGap
	if a.Y != "" {
		p.high -= lineHeight + tickGap/2
	}
	p.low = lineHeight + tickGap
	if a.X != "" {
		p.low += lineHeight
	}
	p.x.place(p.left+inset, p.right-inset)
	p.y.place(p.low, p.high)
	p.xTicks = p.x.ticksAt(xs, a.Categories)
	if p.xTicks == nil {
		p.xTicks = p.x.ticks(int((p.right - p.left) / xTickRoom))
	}
}

func (p *linePlot) drawAxes(a Axes) {
	for _, t := range p.yTicks {
		y := p.y.at(t.value)
		p.c.line(faint, thin, nil, vg.Point{X: p.left, Y: y}, vg.Point{X: p.right, Y: y})
		p.c.text(p.left-tickGap, y-tickSize*capHalf, tickSize, endAnchor, t.text)
	}
	p.c.line(soft, thin, nil, vg.Point{X: p.left, Y: p.low}, vg.Point{X: p.right, Y: p.low})
	for _, t := range p.xTicks {
		x := p.x.at(t.value)
		p.c.line(soft, thin, nil, vg.Point{X: x, Y: p.low}, vg.Point{X: x, Y: p.low - tickMark})
		p.c.text(x, p.low-tickGap-tickSize, tickSize, middleAnchor, t.text)
	}
	if a.Y != "" {
		p.c.text(0, p.c.height-nameSize, nameSize, startAnchor, shorten(a.Y, nameSize, figureWidth))
	}
	if a.X != "" {
		p.c.text((p.left+p.right)/2, tickGap/2, nameSize, middleAnchor, shorten(a.X, nameSize, p.right-p.left))
	}
}

// pieces returns the points of series i on the figure, divided where it has
// gaps.
func (p *linePlot) pieces(i int) (pieces [][]vg.Point) {
	open := false
	for j, x := range p.series[i].X {
		y := p.series[i].Y[j]
		if !p.x.shows(x) || !p.y.shows(y) {
			open = false
			continue
		}
		if !open {
			pieces, open = append(pieces, nil), true
		}
		at := &pieces[len(pieces)-1]
		*at = append(*at, vg.Point{X: p.x.at(x), Y: p.y.at(y)})
	}
	return pieces
}

func (p *linePlot) drawSpread(i int) {
	t, ink := p.series[i], inkOf(i)
	ink.A = spreadAlpha
	for j, x := range t.X {
		e := spreadOf(t, j)
		if e == 0 || !p.x.shows(x) || !p.y.shows(t.Y[j]) {
			continue
		}
		at := p.x.at(x)
		p.c.line(ink, whisker, nil, vg.Point{X: at, Y: p.y.clamp(t.Y[j] - e)}, vg.Point{X: at, Y: p.y.clamp(t.Y[j] + e)})
	}
}

// spreadOf is the spread at point j, 0 where there is none.
func spreadOf(t Series, j int) float64 {
	if t.Spread == nil || !(t.Spread[j] > 0) || !drawable(t.Spread[j]) {
		return 0
	}
	return t.Spread[j]
}

// maxMarkers is the most points of a series that all have a marker; of a
// longer one as many have, evenly along it.
const maxMarkers = 16

func (p *linePlot) drawLine(i int) {
	pieces := p.pieces(i)
	n := 0
	for _, piece := range pieces {
		n += len(piece)
		p.c.line(inkOf(i), stroke, dashOf(i), simplify(piece)...)
	}
	every, k := (n+maxMarkers-1)/maxMarkers, 0
	for _, piece := range pieces {
		for j, at := range piece {
			// Markers of long series are staggered, lest they hide each other.
			alone := len(piece) == 1
			if every <= 1 || alone || k%every == (i*every/len(p.series))%every {
				p.c.marker(i, at)
			}
			k++
			p.last[i] = piece[j]
		}
	}
}

// drawNames writes the names beside the ends of their lines, moved apart where
// they would touch, with a thin line to the end of a line that was moved from.
func (p *linePlot) drawNames() {
	want := make([]vg.Length, len(p.series))
	for i := range p.series {
		if p.drawn[i] {
			want[i] = p.last[i].Y
		}
	}
	got := apart(want, nameStep, tickGap, p.high)
	from := p.right + leaderRoom
	for i, name := range p.names {
		at := vg.Point{X: from, Y: got[i]}
		if p.drawn[i] && math.Abs(float64(p.last[i].X-(p.right-inset))) < 1 {
			ink := inkOf(i)
			ink.A = leaderAlpha
			p.c.line(ink, thin, nil, p.last[i], vg.Point{X: p.right, Y: p.last[i].Y}, vg.Point{X: from - tickGap/2, Y: at.Y})
		}
		p.c.line(inkOf(i), stroke, dashOf(i), at, vg.Point{X: from + keyLength, Y: at.Y})
		p.c.marker(i, vg.Point{X: from + keyLength/2, Y: at.Y})
		p.c.text(from+keyLength+tickGap, at.Y-nameSize*capHalf, nameSize, startAnchor, name)
	}
}
