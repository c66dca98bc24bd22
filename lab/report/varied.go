package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"nrdl.example/nrdl/lab/report/plot"
)

// A variedGroup holds the labels of one method: the plan varies one of its parameters.
type variedGroup struct{ base, path string }

// varied returns the figures of rates against a varied parameter: with a line per column, or,
// where several methods have the same parameter varied, per column with a line per method.
func (p *Plan) varied() (all []*Figure) {
	order, members := grouped(len(p.Labels), func(i int) (g variedGroup, ok bool) {
		l := p.Labels[i]
		if l.Variation == nil || l.Variation.Second != nil {
			return g, false
		}
		return variedGroup{l.Base(), l.Variation.Path}, true
	})
	together := map[string][]variedGroup{}
	for _, g := range order {
		together[g.path] = append(together[g.path], g)
	}
	for _, g := range order {
		switch groups := together[g.path]; {
		case len(groups) == 1:
			if f := p.variation(g.base, g.path, members[g]); len(f.Series) > 0 {
				all = append(all, f)
			}
		case groups[0] == g:
			for j := range p.Columns {
				if f := p.variations(g.path, j, groups, members); len(f.Series) > 0 {
					all = append(all, f)
				}
			}
		}
	}
	return all
}

// variations is the figure of column j with a line for each of the groups.
func (p *Plan) variations(path string, j int, groups []variedGroup, members map[variedGroup][]int) *Figure {
	c := p.Columns[j]
	f := &Figure{Title: fmt.Sprintf("%s: rate against %s", c, path), Axes: plot.Axes{Title: c.Title, X: path, Y: "rate, %"}}
	for _, g := range groups {
		labels := members[g]
		if xs, names := p.variedValues(labels); names == nil {
			f.line(g.base, p.Labels[labels[0]].look, xs, func(n int) *Cell { return p.Cells[labels[n]][j] })
		}
	}
	f.describe("Means over runs with the sample standard deviation.")
	return f
}

// variedValues are the values of the varied parameter of labels, or their numbers and names
// where these are no numbers.
func (p *Plan) variedValues(labels []int) (xs []float64, names []string) {
	xs, numeric := make([]float64, len(labels)), true
	for n, i := range labels {
		v, err := strconv.ParseFloat(p.Labels[i].Variation.Value, 64)
		xs[n], numeric = v, numeric && err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
		names = append(names, p.Labels[i].Variation.Value)
	}
	if numeric {
		return xs, nil
	}
	for n := range xs {
		xs[n] = float64(n)
	}
	return xs, names
}

func (p *Plan) variation(base, path string, labels []int) *Figure {
	f := &Figure{Title: fmt.Sprintf("%s: rate against %s", base, path), Axes: plot.Axes{Title: base, X: path, Y: "rate, %"}}
	xs, names := p.variedValues(labels)
	if f.Axes.Categories = names; names == nil {
		f.Axes.LogX = slices.Min(xs) > 0 && slices.Max(xs) >= logFrom*slices.Min(xs)
	}
	var columns []int // that have a run of these labels
	var shown []*Column
	for j, c := range p.Columns {
		if slices.ContainsFunc(labels, func(i int) bool { return p.Cells[i][j].N > 0 }) {
			columns, shown = append(columns, j), append(shown, c)
		}
	}
	for n, name := range short(shown) {
		f.line(name, 0, xs, func(m int) *Cell { return p.Cells[labels[m]][columns[n]] })
	}
	f.describe("Means over runs with the sample standard deviation." + p.fixedValue(path, labels))
	return f
}

// logFrom is the ratio of the largest to the smallest value of a parameter above which
// its axis is logarithmic.
const logFrom = 30
