package plot

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	barHeight = 13
	barStep   = 15  // from one bar to the next
	barsGap   = 0.6 // of it, between groups
	nameSpace = 150 // widest name of a row
	rankStep  = 19  // from one name to the next
	joinStep  = 0.4 // of it, between the lines that join names
	foot      = 45  // below the rows
)

// note writes a text beside a place, with its end there if it is to the left.
func note(at plotter.XY, s string, left bool) *plotter.Labels {
	style := text.Style{Font: font.From(sans, tickSize), YAlign: draw.YCenter, Handler: plot.DefaultTextHandler}
	offset := vg.Point{X: gap / 2}
	if left {
		style.XAlign, offset.X = draw.XRight, -offset.X
	}
	return &plotter.Labels{XYs: plotter.XYs{at}, Labels: []string{s}, TextStyle: []text.Style{style}, Offset: offset}
}

func through(ink draw.LineStyle, points ...plotter.XY) *plotter.Line {
	return &plotter.Line{XYs: points, LineStyle: ink}
}

// across is the error bar of ±e around a place.
func across(ink draw.LineStyle, at plotter.XY, low, high float64) *plotter.XErrorBars {
	return &plotter.XErrorBars{
		XYs: plotter.XYs{at}, XErrors: plotter.XErrors{{Low: low, High: high}}, LineStyle: ink, CapWidth: gap,
	}
}

// Bars draws lying bars: a group for each name of groups from top to bottom,
// in it a bar for each series, Y[g] long, with its number. Values are along
// the horizontal axis, with the name a.Y. A value that cannot be drawn has a
// dash. It is an error if there is nothing to draw.
func Bars(a Axes, groups []string, all []Series) ([]byte, error) {
	p, some := newPlot(), false
	p.X.Label.Text, p.X.LineStyle.Width, p.X.Tick.Length = shorten(a.Y, nameSize, axisRoom), 0, 0
	p.Add(&plotter.Grid{Vertical: draw.LineStyle{Color: faint, Width: thin}})
	step := float64(len(all)) + barsGap
	rows := step * float64(len(groups))
	var names plot.ConstantTicks
	for g, name := range groups {
		names = append(names, plot.Tick{Value: -step * (float64(g) + 0.5), Label: shorten(name+" ", nameSize, nameSpace)})
	}
	legend := newPlot().Legend
	for i, s := range all {
		if len(s.Y) != len(groups) || s.Spread != nil && len(s.Spread) != len(s.Y) {
			return nil, fmt.Errorf("draw bars: series %q has %d values and %d spreads for %d groups", s.Name, len(s.Y), len(s.Spread), len(groups))
		}
		ink, _ := look(i)
		if len(all) == 1 {
			ink, _ = look(2)
		}
		key := bar(ink, i, 0, 0)
		legend.Add(shorten(s.Name, nameSize, width-nameSpace), key)
		for g, y := range s.Y {
			at := plotter.XY{Y: -step*float64(g) - barsGap/2 - float64(i) - 0.5}
			if !shows(y, false) {
				p.Add(note(at, "–", false))
				continue
			}
			some = true
			p.Add(bar(ink, i, y, at.Y))
			at.X = y
			if e := spread(s, g); e > 0 {
				// The half inside the bar would not be seen.
				e = math.Copysign(e, y)
				p.Add(across(draw.LineStyle{Color: soft, Width: 2 * thin}, at, max(0, -e), max(0, e)))
				at.X += e
			}
			p.Add(note(at, number(y), y < 0))
		}
	}
	if !some {
		return nil, errors.New("draw bars: there is no value that could be drawn")
	}
	settle(&p.X)
	p.Y.Min, p.Y.Max, p.Y.Tick.Marker = -rows, 0, names
	p.Add(through(draw.LineStyle{Color: soft, Width: thin}, plotter.XY{Y: -rows}, plotter.XY{}))
	head := vg.Length(gap)
	if len(all) > 1 {
		head += row * vg.Length(len(all))
	}
	return svg(a.Title, head+vg.Length(rows)*barStep+foot, func(c draw.Canvas) {
		inside(p, draw.Crop(c, 0, 0, 0, -head), nil)
		if len(all) > 1 {
			legend.Draw(draw.Crop(c, nameSpace/2, 0, 0, 0))
		}
	}), nil
}

// bar is that of series i.
func bar(ink draw.LineStyle, i int, y, at float64) *plotter.BarChart {
	b := &plotter.BarChart{
		Values: plotter.Values{y}, XMin: at, Width: barHeight, Horizontal: true,
		Color: ink.Color, LineStyle: draw.LineStyle{Color: ink.Color, Width: thin},
	}
	if i/len(inks)%2 == 1 { // the colours begin again
		b.Color = paler(ink.Color)
	}
	return b
}

// Ranks draws the diagram of Demšar (Statistical comparisons of classifiers over
// multiple data sets, 2006): a row for each name, the best on top, with its
// average rank, 1 the best, on a common axis, and below thick lines that join
// the ranks that differ by less than the critical difference cd, which is the
// line on top. A cd of 0 joins nothing and is not drawn.
func Ranks(names []string, ranks []float64, cd float64) ([]byte, error) {
	if len(names) == 0 || len(names) != len(ranks) || !(cd >= 0) || !shows(cd, false) {
		return nil, fmt.Errorf("draw ranks: %d names for %d ranks, critical difference %v", len(names), len(ranks), cd)
	}
	order := make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(ranks[i], ranks[j]) })
	p := newPlot()
	p.X.Label.Text = "average rank"
	last := float64(len(ranks))
	var rows plot.ConstantTicks
	var words []string
	var whole []float64 // ranks that have a tick
	sorted, dots := make([]float64, len(ranks)), &plotter.Scatter{GlyphStyle: draw.GlyphStyle{Color: inks[0], Radius: radius, Shape: draw.CircleGlyph{}}}
	for n, i := range order {
		if sorted[n] = ranks[i]; !(ranks[i] >= 1 && ranks[i] <= last) {
			return nil, fmt.Errorf("draw ranks: rank %v of %q is outside 1 … %v", ranks[i], names[i], last)
		}
		if n%(1+len(ranks)/maxExact) == 0 {
			whole = append(whole, float64(n+1))
		}
		rank := fmt.Sprintf(" %.2f", ranks[i])
		words = append(words, names[i]+rank)
		rows = append(rows, plot.Tick{Value: -float64(n), Label: shorten(names[i], nameSize, nameSpace) + rank})
		dots.XYs = append(dots.XYs, plotter.XY{X: ranks[i], Y: -float64(n)})
	}
	groups := joined(sorted, cd)
	low := -last - joinStep*float64(len(groups)) + 0.5
	for _, at := range dots.XYs {
		p.Add(through(draw.LineStyle{Color: faint, Width: thin}, plotter.XY{X: 1, Y: at.Y}, at),
			through(draw.LineStyle{Color: soft, Width: thin}, at, plotter.XY{X: at.X, Y: low}))
	}
	p.Add(dots)
	for g, of := range groups {
		const over = 0.04 // by which the lines are longer at both ends
		y := low + joinStep*(float64(len(groups)-g)-0.5)
		p.Add(through(draw.LineStyle{Color: inks[2], Width: radius}, plotter.XY{X: sorted[of[0]] - over, Y: y}, plotter.XY{X: sorted[of[1]] + over, Y: y}))
	}
	about := "Average ranks: " + strings.Join(words, ", ")
	top := 0.5
	if cd > 0 {
		about += fmt.Sprintf("; critical difference %.2f", cd)
		top = 2.5
		p.Add(across(draw.LineStyle{Color: inks[0], Width: stroke}, plotter.XY{X: 1, Y: 1}, 0, cd),
			note(plotter.XY{X: 1, Y: 2}, fmt.Sprintf("critical difference %.2f", cd), false))
	}
	p.X.Min, p.X.Max = 1, max(last, 1+cd, 2)
	p.Y.Min, p.Y.Max, p.Y.Tick.Marker = low, top, rows
	return svg(about, vg.Length(top-low)*rankStep+foot, func(c draw.Canvas) {
		inside(p, c, whole)
	}), nil
}

// joined returns the first and the last of the largest groups of two or more
// neighbours whose ranks, ascending, differ by less than cd.
func joined(ranks []float64, cd float64) (groups [][2]int) {
	reach := 0
	for i := range ranks {
		last := i
		for last+1 < len(ranks) && ranks[last+1]-ranks[i] < cd {
			last++
		}
		if last > i && last > reach {
			groups, reach = append(groups, [2]int{i, last}), last
		}
	}
	return groups
}
