package plot

import (
	"cmp"
	"fmt"
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
	rankStep = 19   // from one name to the next
	joinStep = 0.4  // of it, between the lines that join ranks
	over     = 0.04 // of a rank, by which these are longer at both ends
	foot     = 45   // below the rows
)

// Ranks draws the diagram of Demšar (Statistical comparisons of classifiers
// over multiple data sets, 2006): a row for each name, the best on top, with
// its average rank (1 is best) on a common axis. Thick lines below join ranks
// that differ by less than the critical difference cd, which is the line on
// top. A cd of 0 joins nothing and is not drawn.
func Ranks(names []string, ranks []float64, cd float64) ([]byte, error) {
	if len(names) == 0 || len(names) != len(ranks) || !(cd >= 0) || !shows(cd, false) {
		return nil, fmt.Errorf("draw ranks: %d names for %d ranks, critical difference %v", len(names), len(ranks), cd)
	}
	order := make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(ranks[i], ranks[j]) })
	sorted := make([]float64, len(ranks))
	for n, i := range order {
		sorted[n] = ranks[i]
	}
	groups, last := joined(sorted, cd), float64(len(ranks))
	p, low, high := newPlot(), 0.5-last-joinStep*float64(len(groups)), 0.5
	line := func(ink draw.LineStyle, x0, y0, x1, y1 float64) {
		p.Add(&plotter.Line{XYs: plotter.XYs{{X: x0, Y: y0}, {X: x1, Y: y1}}, LineStyle: ink})
	}
	black, pale, paler := draw.LineStyle{Color: inks[0], Width: stroke}, draw.LineStyle{Color: soft, Width: thin}, draw.LineStyle{Color: faint, Width: thin}
	dots := &plotter.Scatter{GlyphStyle: draw.GlyphStyle{Color: inks[0], Radius: radius, Shape: draw.CircleGlyph{}}}
	var rows plot.ConstantTicks
	var words []string
	var whole []float64 // ranks that have a tick
	for n, i := range order {
		x, y, rank := sorted[n], -float64(n), fmt.Sprintf(" %.2f", sorted[n])
		if !(x >= 1 && x <= last) {
			return nil, fmt.Errorf("draw ranks: rank %v of %q is outside 1 … %v", x, names[i], last)
		}
		if n%(1+len(ranks)/maxExact) == 0 {
			whole = append(whole, float64(n+1))
		}
		words, rows = append(words, names[i]+rank), append(rows, plot.Tick{Value: y, Label: shorten(names[i], nameSize, nameRoom) + rank})
		line(paler, 1, y, x, y)
		line(pale, x, y, x, low)
		dots.XYs = append(dots.XYs, plotter.XY{X: x, Y: y})
	}
	for g, of := range groups {
		y := low + joinStep*(float64(len(groups)-g)-0.5)
		line(draw.LineStyle{Color: inks[2], Width: radius}, sorted[of[0]]-over, y, sorted[of[1]]+over, y)
	}
	about := "Average ranks: " + strings.Join(words, ", ")
	if cd > 0 {
		label := fmt.Sprintf("critical difference %.2f", cd)
		about, high = about+"; "+label, 2.5
		p.Add(&plotter.XErrorBars{XYs: plotter.XYs{{X: 1, Y: 1}}, XErrors: plotter.XErrors{{High: cd}}, LineStyle: black, CapWidth: gap})
		style := text.Style{Font: font.From(sans, tickSize), YAlign: draw.YCenter, Handler: plot.DefaultTextHandler}
		p.Add(&plotter.Labels{XYs: plotter.XYs{{X: 1, Y: 2}}, Labels: []string{label}, TextStyle: []text.Style{style}})
	}
	p.Add(dots)
	p.X.Label.Text, p.X.Min, p.X.Max = "average rank", 1, max(last, 1+cd, 2)
	p.Y.Tick.Marker, p.Y.Min, p.Y.Max = rows, low, high
	return svg(about, vg.Length(high-low)*rankStep+foot, func(c draw.Canvas) { inside(p, c, whole) }), nil
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
