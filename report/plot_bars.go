package report

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
)

// Sizes of a figure of bars, in the units of its view box.
const (
	barHeight = 13
	barGap    = 2   // between the bars of a group
	barsGap   = 9   // more of it between groups
	groupRoom = 150 // widest name of a group
	barTicks  = 5
)

// Bars draws lying bars: a group for each name of groups from top to bottom,
// in it a bar for each series, Y[g] long, with its number. Values are along
// the horizontal axis, with the name a.Y; a.LogY makes it logarithmic. A value
// that cannot be drawn has a dash. The result is one <svg> element in the
// colour of the text around it. It is an error if there is nothing to draw.
func Bars(a Axes, groups []string, s []Series) ([]byte, error) {
	p, err := newBarPlot(a, groups, s)
	if err != nil {
		return nil, fmt.Errorf("draw bars: %w", err)
	}
	p.drawAxes(a)
	for g := range groups {
		p.drawGroup(g)
	}
	p.drawKey()
	return p.c.svg(a.Title)
}

// A barPlot is a figure of bars being drawn.
type barPlot struct {
	c           *canvas
	v           axis // of the values
	zero        float64
	left, right vg.Length
	top, low    vg.Length // of the bars
	groups      []string
	series      []Series
	keys        []string   // names of the series, shortened
	keyAt       []vg.Point // of the names, from the top left
}

func newBarPlot(a Axes, groups []string, s []Series) (*barPlot, error) {
	if len(s) == 0 || len(groups) == 0 {
		return nil, errors.New("there is no series or no group")
	}
	p := &barPlot{v: axis{log: a.LogY}, series: s}
	for _, t := range s {
		if len(t.Y) != len(groups) {
			return nil, fmt.Errorf("series %q has %d values for %d groups", t.Name, len(t.Y), len(groups))
		}
		if t.Spread != nil && len(t.Spread) != len(t.Y) {
			return nil, fmt.Errorf("series %q has %d spreads for %d values", t.Name, len(t.Spread), len(t.Y))
		}
		for j, y := range t.Y {
			if e := spreadOf(t, j); p.v.shows(y) {
				p.v.include(y)
				p.v.include(y - e)
				p.v.include(y + e)
			}
		}
	}
	if !p.v.any {
		return nil, errors.New("there is no value that could be drawn")
	}
	if p.v.log {
		p.v.lo = math.Floor(p.v.lo - 0.1) // the shortest bar still has a length
		p.v.settle(0)
		p.zero = math.Pow(10, p.v.lo)
	} else {
		p.v.include(0)
		p.v.settle(0)
	}
	p.layOut(a, groups)
	return p, nil
}

// layOut finds where the parts lie on the figure.
func (p *barPlot) layOut(a Axes, groups []string) {
	for _, g := range groups {
		g = shorten(g, nameSize, groupRoom)
		p.groups = append(p.groups, g)
		p.left = max(p.left, textWidth(g, nameSize)+2*tickGap)
	}
	numbers, negative := vg.Length(0), vg.Length(0) // room for what is written beside bars
	for _, t := range p.series {
		for _, y := range t.Y {
			w := textWidth(shortNumber(y), tickSize) + 2*tickGap
			numbers = max(numbers, w)
			if y < 0 && !p.v.log {
				negative = max(negative, w)
			}
		}
	}
	p.right = figureWidth - numbers
	head := p.layOutKey()
	rows := vg.Length(len(groups)) * p.groupHeight()
	foot := vg.Length(lineHeight + tickGap)
	if a.Y != "" {
		foot += lineHeight
	}
	p.c = newCanvas(figureWidth, head+rows+foot)
	p.low, p.top = foot, foot+rows
	for i := range p.keyAt {
		p.keyAt[i].Y = p.c.height - p.keyAt[i].Y
	}
	p.v.place(p.left+negative, p.right)
}

// layOutKey places the names of the series in rows above the bars and returns
// the height that they take. A single series needs no name.
func (p *barPlot) layOutKey() vg.Length {
	if len(p.series) < 2 {
		return tickGap
	}
	at := vg.Point{X: p.left, Y: nameSize}
	for _, t := range p.series {
		key := shorten(t.Name, nameSize, figureWidth-p.left-2*lineHeight)
		w := lineHeight + textWidth(key, nameSize)
		if at.X > p.left && at.X+w > figureWidth {
			at = vg.Point{X: p.left, Y: at.Y + lineHeight}
		}
		p.keys, p.keyAt = append(p.keys, key), append(p.keyAt, at)
		at.X += w + lineHeight
	}
	return at.Y + lineHeight
}

func (p *barPlot) groupHeight() vg.Length {
	return vg.Length(len(p.series))*(barHeight+barGap) + barsGap
}

func (p *barPlot) drawAxes(a Axes) {
	for _, t := range p.v.ticks(barTicks) {
		x := p.v.at(t.value)
		p.c.line(faint, thin, nil, vg.Point{X: x, Y: p.low}, vg.Point{X: x, Y: p.top})
		p.c.text(x, p.low-tickGap/2-tickSize, tickSize, middleAnchor, t.text)
	}
	x := p.v.at(p.zero)
	p.c.line(soft, thin, nil, vg.Point{X: x, Y: p.low}, vg.Point{X: x, Y: p.top})
	if a.Y != "" {
		p.c.text((p.left+p.right)/2, tickGap/2, nameSize, middleAnchor, shorten(a.Y, nameSize, p.right-p.left))
	}
}

func (p *barPlot) drawGroup(g int) {
	top := p.top - vg.Length(g)*p.groupHeight() - barsGap/2
	middle := top - (p.groupHeight()-barsGap)/2
	p.c.text(p.left-tickGap, middle-nameSize*capHalf, nameSize, endAnchor, p.groups[g])
	zero := p.v.at(p.zero)
	for i, t := range p.series {
		high := top - vg.Length(i)*(barHeight+barGap)
		text := high - barHeight/2 - tickSize*capHalf
		y := t.Y[g]
		if !p.v.shows(y) {
			p.c.text(zero+tickGap, text, tickSize, startAnchor, "–")
			continue
		}
		end := p.v.at(y)
		ink := inkOf(i)
		if len(p.series) == 1 {
			ink = inks[2]
		}
		p.c.box(ink, hollow(i), vg.Point{X: zero, Y: high}, vg.Point{X: end, Y: high - barHeight})
		beside := end
		if e := spreadOf(t, g); e > 0 {
			beside = p.v.clamp(y + math.Copysign(e, y)) // the half inside the bar would not be seen
			middle := high - barHeight/2
			p.c.line(soft, 2*thin, nil, vg.Point{X: end, Y: middle}, vg.Point{X: beside, Y: middle})
		}
		if y < 0 && !p.v.log {
			p.c.text(beside-tickGap/2, text, tickSize, endAnchor, shortNumber(y))
			continue
		}
		p.c.text(beside+tickGap/2, text, tickSize, startAnchor, shortNumber(y))
	}
}

// hollow: bars are outlines where the colours begin again.
func hollow(i int) bool { return i/len(inks)%2 == 1 }

func (p *barPlot) drawKey() {
	const swatch = nameSize * 0.75
	for i, key := range p.keys {
		at := p.keyAt[i]
		p.c.box(inkOf(i), hollow(i), at, vg.Point{X: at.X + swatch, Y: at.Y + swatch})
		p.c.text(at.X+lineHeight, at.Y, nameSize, startAnchor, key)
	}
}
