package plot

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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
}

const (
	height     = 300 // of a figure of lines, at least
	nameRoom   = 145 // widest name
	keyLength  = 22  // of the piece of line before a name
	maxMarkers = 16  // of a series: a longer one has as many, evenly along it
	noValues   = " (none)"
)

// Lines draws a line through the points of every series, and their names beside
// them, in the order in which the lines end from the top. A spread is not drawn
// along a logarithmic axis. It is an error if there is no point to draw.
func Lines(a Axes, all []Series) ([]byte, error) {
	p, legend := newPlot(), newPlot().Legend
	if p.X.Label.Text, p.Y.Label.Text = shorten(a.X, nameSize, axisRoom), shorten(a.Y, nameSize, axisRoom); a.LogX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(logTicks)
	}
	if a.LogY {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(logTicks)
	}
	p.Add(&plotter.Grid{Horizontal: draw.LineStyle{Color: faint, Width: thin}})
	var drawn []line
	var xs []float64
	names := vg.Length(0)
	for i, s := range all {
		if len(s.X) != len(s.Y) || s.Spread != nil && len(s.Spread) != len(s.Y) {
			return nil, fmt.Errorf("draw lines: series %q has %d X and %d spreads for %d Y", s.Name, len(s.X), len(s.Spread), len(s.Y))
		}
		l := newLine(i, len(all), s, a)
		drawn = append(drawn, l)
		names = max(names, textWidth(l.name, nameSize))
		for _, at := range l.XYs {
			xs = append(xs, at.X)
		}
	}
	if len(xs) == 0 {
		return nil, errors.New("draw lines: there is no point that could be drawn")
	}
	for _, l := range drawn {
		if len(l.XYs) > 0 {
			p.Add(l.errors)
		}
	}
	for _, l := range drawn {
		p.Add(l.plotters...)
	}
	slices.SortStableFunc(drawn, func(l, o line) int { return cmp.Compare(o.end, l.end) })
	for _, l := range drawn {
		legend.Add(l.name, l.thumbs...)
	}
	settle(&p.X)
	settle(&p.Y)
	return svg(a.Title, max(height, row*vg.Length(len(all)+1)), func(c draw.Canvas) {
		beside := names + keyLength + 2*gap
		inside(p, draw.Crop(c, 0, -beside-2*gap, 0, 0), xs)
		legend.Draw(draw.Crop(c, c.Max.X-beside, 0, 0, 0))
	}), nil
}

// A line is what is drawn of a series.
type line struct {
	plotter.XYs // its points without gaps
	name        string
	end         float64 // Y of the last point
	errors      *plotter.YErrorBars
	plotters    []plot.Plotter
	thumbs      []plot.Thumbnailer
}

func newLine(i, n int, s Series, a Axes) line {
	style, marks := look(i)
	bars := style
	bars.Color, bars.Width, bars.Dashes = paler(style.Color), thin, nil
	l := line{errors: &plotter.YErrorBars{LineStyle: bars, CapWidth: gap}, end: math.Inf(-1)}
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
		piece, at := pieces[len(pieces)-1], plotter.XY{X: x, Y: s.Y[j]}
		piece.XYs, l.XYs, l.end = append(piece.XYs, at), append(l.XYs, at), at.Y
		if e := spread(s, j); e > 0 && !a.LogY {
			l.errors.XYs = append(l.errors.XYs, at)
			l.errors.YErrors = append(l.errors.YErrors, struct{ Low, High float64 }{e, e})
		}
	}
	// Markers of long series are staggered, lest they hide each other.
	marked := &plotter.Scatter{GlyphStyle: marks}
	every, k := max(1, (len(l.XYs)+maxMarkers-1)/maxMarkers), 0
	for _, piece := range pieces {
		for _, at := range piece.XYs {
			if k%every == i*every/n || len(piece.XYs) == 1 {
				marked.XYs = append(marked.XYs, at)
			}
			k++
		}
		l.plotters = append(l.plotters, piece)
	}
	l.thumbs = []plot.Thumbnailer{&plotter.Line{LineStyle: style}, marked}
	if l.name = shorten(s.Name, nameSize, nameRoom); len(l.XYs) == 0 {
		l.name = shorten(s.Name, nameSize, nameRoom-textWidth(noValues, nameSize)) + noValues
	} else {
		l.plotters = append(l.plotters, marked)
	}
	return l
}

// spread is that at point j, 0 where there is none.
func spread(s Series, j int) float64 {
	if s.Spread == nil || !(s.Spread[j] > 0) || !shows(s.Spread[j], false) {
		return 0
	}
	return s.Spread[j]
}
