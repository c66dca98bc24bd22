package plot

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// A Series is a named sequence of points. A value that is not finite, or not
// positive on a logarithmic axis, is a gap.
type Series struct {
	Name   string
	Look   int       // number of its colour, dashes and marker, from 1; 0 for its place among the series
	X, Y   []float64 // of one length
	Spread []float64 // ± around Y, of the length of Y; or nil; not on a logarithmic axis
}

// Axes are the title and the axes of a figure.
type Axes struct {
	Title      string // alternative text of the figure; not drawn
	X, Y       string // names of the axes, with units
	LogX, LogY bool
	Categories []string // names of X = 0, 1, …, whose points are not joined by lines; or nil
}

const (
	lowest     = 300 // height of a figure of lines, at least
	nameRoom   = 145 // wider names widen the figure
	widest     = 480 // name that is not cut
	keyLength  = 22  // of the piece of line before a name
	maxMarkers = 16  // of a series: a longer one has as many, evenly along it
	noValues   = " (none)"
)

// Lines draws a line through the points of each series. The names are beside
// the plot, in the vertical order of the ends of the lines. It is an error if
// there is no point to draw.
func Lines(a Axes, all []Series) ([]byte, error) {
	f := frame{x: newAxis(a.X, a.LogX), y: newAxis(a.Y, a.LogY), height: max(lowest, row*float64(len(all)+1))}
	var lines []line
	var xs []float64
	beside := 0.0
	for i, s := range all {
		if len(s.X) != len(s.Y) || s.Spread != nil && len(s.Spread) != len(s.Y) {
			return nil, fmt.Errorf("draw lines: series %q has %d X and %d spreads for %d Y", s.Name, len(s.X), len(s.Spread), len(s.Y))
		}
		l := newLine(i, len(all), s, a)
		lines, beside = append(lines, l), max(beside, keyLength+2*gap+textWidth(l.name, nameSize))
		for _, p := range slices.Concat(l.pieces...) {
			xs = append(xs, p.x)
			f.x.include(p.x)
			f.y.include(p.y - p.spread)
			f.y.include(p.y + p.spread)
		}
	}
	if len(xs) == 0 {
		return nil, errors.New("draw lines: there is no point that could be drawn")
	}
	wide := width + max(0, beside-keyLength-2*gap-nameRoom)
	right := wide - beside - margin
	if a.Categories != nil {
		xs, f.height = nil, f.height+f.x.categorise(a.Categories, right-2*gap)
	}
	f.place(right, xs)
	var s sheet
	f.draw(&s)
	for _, l := range lines {
		l.draw(&s, f.x, f.y)
	}
	slices.SortStableFunc(lines, func(l, o line) int { return cmp.Compare(o.end, l.end) })
	for i, l := range lines {
		l.key(&s, right+margin, gap+row*(float64(i)+0.5))
	}
	return s.figure(a.Title, wide, f.height), nil
}

// categorise gives a, not longer than room, names, which are turned where one
// has no room. It returns the height that they take then.
func (a *axis) categorise(names []string, room float64) (high float64) {
	room = room/float64(len(names)) - gap
	for _, name := range names {
		if textWidth(clean(name), tickSize) > room {
			a.turnedLabels = true
			high = max(high, min(widest, textWidth(clean(name), tickSize)))
		}
	}
	if a.turnedLabels {
		room = widest
	}
	for i, name := range names {
		a.ticks = append(a.ticks, tick{float64(i), shorten(name, tickSize, room)})
	}
	a.lo, a.hi = -0.5, float64(len(names))-0.5
	return high
}

// A point is a value that is drawn.
type point struct{ x, y, spread float64 }

// A line is what is drawn of a series.
type line struct {
	name   string
	pen    pen // of no width if the points are not joined
	shape  shape
	pieces [][]point // between gaps
	marks  []point
	end    float64 // Y of the last point
}

// newLine is series i of n.
func newLine(i, n int, s Series, a Axes) line {
	l := line{name: shorten(s.Name, nameSize, widest), end: math.Inf(-1)}
	l.pen, l.shape = look(i)
	if s.Look > 0 {
		l.pen, l.shape = look(s.Look - 1)
	}
	aside := 0.0 // of the other series of a category
	if a.Categories != nil {
		l.pen.width, aside = 0, 0.6*((float64(i)+0.5)/float64(n)-0.5)
	}
	count, open := 0, false
	for j, x := range s.X {
		if !shows(x, a.LogX) || !shows(s.Y[j], a.LogY) || a.Categories != nil && !(x >= 0 && x <= float64(len(a.Categories)-1)) {
			open = false
			continue
		}
		if !open {
			l.pieces, open = append(l.pieces, nil), true
		}
		p := point{x: x + aside, y: s.Y[j]}
		if s.Spread != nil && s.Spread[j] > 0 && shows(s.Spread[j], false) && !a.LogY {
			p.spread = s.Spread[j]
		}
		piece := &l.pieces[len(l.pieces)-1]
		*piece, l.end, count = append(*piece, p), p.y, count+1
	}
	// Markers of long series are staggered, lest they hide each other.
	every, k := max(1, (count+maxMarkers-1)/maxMarkers), 0
	for _, piece := range l.pieces {
		for _, p := range piece {
			if k%every == i*every/n || len(piece) == 1 {
				l.marks = append(l.marks, p)
			}
			k++
		}
	}
	if count == 0 {
		l.name = shorten(s.Name, nameSize, widest-textWidth(noValues, nameSize)) + noValues
	}
	return l
}

// draw draws the spreads, the line and the markers of l.
func (l *line) draw(s *sheet, x, y axis) {
	var bars, d path
	for _, piece := range l.pieces {
		var places []float64
		for _, p := range piece {
			h := x.at(p.x)
			places = append(places, h, y.at(p.y))
			if p.spread > 0 {
				bars.bar(h, y.at(p.y-p.spread), h, y.at(p.y+p.spread))
			}
		}
		d.line(places...)
	}
	s.draw(pen{colour: l.pen.colour, opacity: 0.47, width: thin}, &bars)
	if l.pen.width > 0 {
		s.draw(l.pen, &d)
	}
	var places []float64
	for _, p := range l.marks {
		places = append(places, x.at(p.x), y.at(p.y))
	}
	s.marks(l.pen.colour, l.shape, places...)
}

// key draws a piece of l with a marker, and its name at the right of it.
func (l *line) key(s *sheet, x, y float64) {
	if l.pen.width > 0 {
		var d path
		d.line(x, y, x+keyLength, y)
		s.draw(l.pen, &d)
	}
	s.marks(l.pen.colour, l.shape, x+keyLength/2, y)
	s.text(x+keyLength+gap, y+middle*nameSize, nameSize, 0, l.name)
}
