package plot

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Series is a named sequence of points. A value that is not finite, or not
// positive on a logarithmic axis, is a gap.
type Series struct {
	Name   string
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
	height     = 300 // of a figure of lines, at least
	upright    = 100 // most length of a category that is turned, since it lacks room
	nameRoom   = 145 // widest name
	keyLength  = 22  // of the piece of line before a name
	maxMarkers = 16  // of a series: a longer one has as many, evenly along it
	noValues   = " (none)"
)

// Lines draws a line through the points of each series. The names are beside
// the plot, in the vertical order of the ends of the lines. It is an error if
// there is no point to draw.
func Lines(a Axes, all []Series) ([]byte, error) {
	p, legend := newPlot(), newPlot().Legend
	p.X.Label.Text, p.Y.Label.Text = shorten(a.X, nameSize, axisRoom), shorten(a.Y, nameSize, axisRoom)
	if a.LogX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(logTicks)
	}
	if a.LogY {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(logTicks)
	}
	p.Add(&plotter.Grid{Horizontal: draw.LineStyle{Color: faint, Width: thin}})
	var lines []line
	var xs []float64
	beside, high := vg.Length(0), max(height, row*vg.Length(len(all)+1))
	for i, s := range all {
		if len(s.X) != len(s.Y) || s.Spread != nil && len(s.Spread) != len(s.Y) {
			return nil, fmt.Errorf("draw lines: series %q has %d X and %d spreads for %d Y", s.Name, len(s.X), len(s.Spread), len(s.Y))
		}
		l := newLine(i, len(all), s, a)
		lines, beside = append(lines, l), max(beside, keyLength+2*gap+textWidth(l.name, nameSize))
		for _, at := range l.points {
			xs = append(xs, at.X)
		}
		p.Add(l.plotters...)
	}
	if len(xs) == 0 {
		return nil, errors.New("draw lines: there is no point that could be drawn")
	}
	slices.SortStableFunc(lines, func(l, o line) int { return cmp.Compare(o.end, l.end) })
	for _, l := range lines {
		legend.Add(l.name, l.thumbs...)
	}
	if a.Categories != nil {
		xs, high = nil, high+categorise(p, a.Categories, width-beside-4*gap)
	}
	settle(&p.X)
	settle(&p.Y)
	return svg(a.Title, high, func(c draw.Canvas) {
		inside(p, draw.Crop(c, 0, -beside-2*gap, 0, 0), xs)
		legend.Draw(draw.Crop(c, c.Max.X-beside, 0, 0, 0))
	}), nil
}

// categorise gives the horizontal axis of p, not longer than room, names, which
// are turned where one has no room. It returns the height that they take then.
func categorise(p *plot.Plot, names []string, room vg.Length) (high vg.Length) {
	room = room/vg.Length(len(names)) - gap
	for _, name := range names {
		if label := &p.X.Tick.Label; textWidth(clean(name), tickSize) > room {
			label.Rotation, label.XAlign, label.YAlign = math.Pi/2, draw.XRight, draw.YCenter
			room, high = upright, upright
		}
	}
	var ticks plot.ConstantTicks
	for i, name := range names {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: shorten(name, tickSize, room)})
	}
	p.X.Min, p.X.Max, p.X.Tick.Marker = -0.5, float64(len(names))-0.5, ticks
	return high
}

// A line is what is drawn of a series.
type line struct {
	name     string
	points   plotter.XYs // without gaps
	end      float64     // Y of the last point
	plotters []plot.Plotter
	thumbs   []plot.Thumbnailer
}

// newLine is series i of n.
func newLine(i, n int, s Series, a Axes) line {
	style, marks := look(i)
	if a.Categories != nil {
		style.Width = 0
	}
	pale := style.Color.(color.NRGBA)
	pale.A = 120
	bars := &plotter.YErrorBars{LineStyle: draw.LineStyle{Color: pale, Width: thin}, CapWidth: gap}
	marked := &plotter.Scatter{GlyphStyle: marks}
	l := line{
		name: shorten(s.Name, nameSize, nameRoom), end: math.Inf(-1),
		plotters: []plot.Plotter{bars, marked}, thumbs: []plot.Thumbnailer{&plotter.Line{LineStyle: style}, marked},
	}
	var pieces []*plotter.Line
	open := false
	for j, x := range s.X {
		if !shows(x, a.LogX) || !shows(s.Y[j], a.LogY) {
			open = false
			continue
		}
		if !open {
			pieces, open = append(pieces, &plotter.Line{LineStyle: style}), true
		}
		at := plotter.XY{X: x, Y: s.Y[j]}
		if a.Categories != nil { // beside the other series
			at.X += 0.6 * ((float64(i)+0.5)/float64(n) - 0.5)
		}
		piece := pieces[len(pieces)-1]
		piece.XYs, l.points, l.end = append(piece.XYs, at), append(l.points, at), at.Y
		if s.Spread != nil && s.Spread[j] > 0 && shows(s.Spread[j], false) && !a.LogY {
			bars.XYs = append(bars.XYs, at)
			bars.YErrors = append(bars.YErrors, struct{ Low, High float64 }{s.Spread[j], s.Spread[j]})
		}
	}
	// Markers of long series are staggered, lest they hide each other.
	every, k := max(1, (len(l.points)+maxMarkers-1)/maxMarkers), 0
	for _, piece := range pieces {
		for _, at := range piece.XYs {
			if k%every == i*every/n || len(piece.XYs) == 1 {
				marked.XYs = append(marked.XYs, at)
			}
			k++
		}
		l.plotters = append(l.plotters, piece)
	}
	if k == 0 {
		l.name, l.plotters = shorten(s.Name, nameSize, nameRoom-textWidth(noValues, nameSize))+noValues, nil
	}
	return l
}
