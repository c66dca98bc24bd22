package report

import (
	"fmt"
	"slices"

	"nrdl.example/nrdl/lab/report/plot"
)

// minRange is the least range of the colours of a map, in points: a difference of few
// images should not look like a large one.
const minRange = 5

// heatMaps returns the figures of rates against two varied parameters: one for each method and
// column.
func (p *Plan) heatMaps() (all []*Figure) {
	type group struct{ base, path, second string }
	order, members := grouped(len(p.Labels), func(i int) (g group, ok bool) {
		l := p.Labels[i]
		if !l.onMap() {
			return g, false
		}
		return group{l.Base(), l.Variation.Path, l.Variation.Second.Path}, true
	})
	for _, g := range order {
		for j, c := range p.Columns {
			if h := p.heat(members[g], j); h != nil {
				h.X, h.Y = g.path, g.second
				f := &Figure{Title: fmt.Sprintf("%s on %s: rate against %s and %s", g.base, c, g.path, g.second), heat: h}
				h.Title = f.Title
				best, x, y := h.Best()
				palest, darkest := h.Ends()
				f.Caption = fmt.Sprintf(
					"Means over runs, in percent; colours from %s (palest) to %s (darkest). The best, %s, has %s = %s and %s = %s.%s",
					tenths(palest), tenths(darkest), tenths(best), g.path, h.XNames[x], g.second, h.YNames[y], p.fixedRate(members[g][0], j))
				f.Alt = f.Title + "."
				all = append(all, f)
			}
		}
	}
	return all
}

// heat has the rates of labels in column j; nil if there are none.
func (p *Plan) heat(labels []int, j int) *plot.Heat {
	h := &plot.Heat{Range: minRange}
	for _, i := range labels {
		if v := p.Labels[i].Variation; p.Cells[i][j].N > 0 {
			h.XNames, h.YNames = append(h.XNames, v.Value), append(h.YNames, v.Second.Value)
		}
	}
	if len(h.XNames) == 0 {
		return nil
	}
	for _, names := range []*[]string{&h.XNames, &h.YNames} {
		slices.SortFunc(*names, compareValues)
		*names = slices.Compact(*names)
	}
	h.Values = make([][]float64, len(h.YNames))
	for y := range h.Values {
		h.Values[y] = plot.Gaps(len(h.XNames))
	}
	for _, i := range labels {
		if v := p.Labels[i].Variation; p.Cells[i][j].N > 0 {
			h.Values[slices.Index(h.YNames, v.Second.Value)][slices.Index(h.XNames, v.Value)] = p.Cells[i][j].Mean
		}
	}
	return h
}

// fixedRate is a sentence with the rate of the method of label i, as the plan has it without
// varied parameters, in column j; "" if there is none.
func (p *Plan) fixedRate(i, j int) string {
	fixed := p.label(p.Labels[i].Method)
	if fixed < 0 || p.Cells[fixed][j].N == 0 {
		return ""
	}
	return fmt.Sprintf(" %s as it is has %s.", p.Labels[fixed].Name, tenths(p.Cells[fixed][j].Mean))
}

// heatTable returns the values of a heat map as a table; nil for other figures.
func (f *Figure) heatTable() *table {
	h := f.heat
	if h == nil {
		return nil
	}
	t := &table{Caption: f.Title, Head: heads(h.Y + " \\ " + h.X)}
	t.Head = append(t.Head, heads(h.XNames...)...)
	best, _, _ := h.Best()
	low, _ := h.Ends()
	for y, values := range h.Values {
		row := cells(h.YNames[y])
		for _, v := range values {
			c := cell{Text: "—"}
			if v == v { // a value
				c = cell{Text: tenths(v), Best: v == best && v > low, Shade: 5 + int(50*h.Share(v))}
			}
			row = append(row, c)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
