package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"nrdl.example/nrdl/lab/report/plot"
)

// passes are the passes in the tables of traces.
var passes = []float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}

// traces returns the figures of objectives against the pass, for the first run of each
// label in each clean column.
func (p *Plan) traces() (all []*Figure) {
	names := short(p.Columns)
	for i, l := range p.Labels {
		residuals := &Figure{
			Title: fmt.Sprintf("%s: quantity of the stopping test against the pass", l.Name),
			Axes:  plot.Axes{Title: l.Name, X: "pass", Y: "residual", LogY: true}, sample: passes,
		}
		for j, c := range p.Columns {
			if !c.clean() || len(p.Cells[i][j].runs) == 0 {
				continue
			}
			r := p.Cells[i][j].runs[0]
			if r.Repeat != 0 || r.Trace == nil || len(r.Trace.Values) == 0 {
				continue
			}
			lines, residual := objective(l, r.Trace.Terms, r.Trace.Values)
			last := float64(len(r.Trace.Values))
			f := &Figure{
				Title:  fmt.Sprintf("%s, %s: terms of the objective against the pass", c.Title, l.Name),
				Axes:   plot.Axes{Title: c.Title, X: "pass", Y: "objective", LogY: true},
				Series: lines, sample: append(slices.Clone(passes), last),
			}
			f.describe(fmt.Sprintf("Its terms, with their weights, after each pass of the first run (%s).%s", c.Split, descent(lines)))
			if len(lines) > 1 {
				all = append(all, ownAxis(c, l, lines[0], f.sample))
			}
			if len(lines) > 0 {
				all = append(all, f)
			}
			if len(residual.Y) > 0 {
				residual.Name = names[j]
				residuals.Series = append(residuals.Series, residual)
				residuals.sample = append(slices.Clone(residuals.sample), last)
			}
		}
		if len(residuals.Series) > 0 {
			residuals.describe("The fit ends once it is below the tolerance.")
			all = append(all, residuals)
		}
	}
	return all
}

// ownAxis is the figure of the whole objective alone, on an axis from its least to its largest value:
// beside its terms, which differ by powers of ten, it is a level line.
func ownAxis(c *Column, l *Label, total plot.Series, sample []float64) *Figure {
	f := &Figure{
		Title:  fmt.Sprintf("%s, %s: objective against the pass", c.Title, l.Name),
		Axes:   plot.Axes{Title: c.Title, X: "pass", Y: total.Name},
		Series: []plot.Series{total}, sample: sample,
	}
	f.describe(fmt.Sprintf("The whole of it after each pass of the first run (%s); the axis does not begin at 0.", c.Split))
	return f
}

// descent is a sentence that compares the total, the first of lines, after the first pass
// with its last value.
func descent(lines []plot.Series) string {
	if len(lines) < 2 || len(lines[0].Y) < 2 {
		return ""
	}
	y := lines[0].Y
	first, last := y[0], y[len(y)-1]
	if !(last > 0) {
		return ""
	}
	return fmt.Sprintf(" After the first pass the total is %s %% above its last value.", digits(100*(first-last)/last, 2))
}

// objective separates the terms of a trace into those of the objective, with their total
// first, and the residual. It leaves out the penalty μ and norms.
func objective(l *Label, terms []string, values [][]float64) (lines []plot.Series, residual plot.Series) {
	total := plot.Series{Name: "objective"}
	if l.Method == "nrdl" {
		total.Name = "objective (7)"
	}
	xs := make([]float64, len(values))
	for p := range values {
		xs[p] = float64(p + 1)
	}
	total.X, total.Y = xs, make([]float64, len(values))
	for t, name := range terms {
		line := plot.Series{Name: name, X: xs}
		for _, v := range values {
			y := math.NaN()
			if t < len(v) {
				y = v[t]
			}
			line.Y = append(line.Y, y)
		}
		switch {
		case name == "residual":
			residual = line
			continue
		case name == "mu" || strings.HasPrefix(name, "norm"):
			continue
		}
		for p, y := range line.Y {
			total.Y[p] += y
		}
		lines = append(lines, line)
	}
	floor := negligible * slices.Max(total.Y)
	for _, line := range lines {
		for p, y := range line.Y {
			if y < floor {
				line.Y[p] = math.NaN()
			}
		}
	}
	if len(lines) > 1 {
		lines = slices.Insert(lines, 0, total)
	}
	return lines, residual
}

// negligible is the share of an objective below which a term is a rounding error, which
// would only stretch a logarithmic axis.
const negligible = 1e-16
