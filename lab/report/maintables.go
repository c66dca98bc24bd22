package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"nrdl.example/nrdl/internal/legible"
)

// telling is the difference of two variants of a method, in points, of which readers are warned.
const telling = 5

// rates returns the main tables. A label that was run in a part of the settings, as those that are
// tuned, has a row in the tables of partial ones.
func (p *Plan) rates(partial bool) (blocks []block) {
	caption := p.caption()
	for _, panel := range p.panels() {
		panel = p.only(panel, partial)
		if len(panel.labels) == 0 {
			continue
		}
		t := &table{Caption: caption, Head: p.heads(panel)}
		for n, j := range panel.columns {
			t.Head[n+1].Sub += ", " + legible.Count(len(p.Columns[j].Repeats), "run")
		}
		ranked := p.averaged() && !partial && slices.Contains(panel.columns, p.Ranking.Columns[0])
		if ranked {
			t.Head = append(t.Head, head{Title: "average rank"})
		}
		for _, i := range panel.labels {
			row := []cell{{Text: p.Labels[i].Name}}
			for _, j := range panel.columns {
				row = append(row, p.Cells[i][j].tableCell(t))
			}
			if rank := p.Ranking.meanRank(i); ranked && !math.IsNaN(rank) {
				row = append(row, cell{Text: fixed(rank, 2), Best: equalRanks(rank, slices.Min(p.Ranking.Mean))})
			} else if ranked {
				row = append(row, cell{Text: "—"})
			}
			t.Rows = append(t.Rows, row)
		}
		blocks = append(blocks, block{Table: t.upright()})
	}
	return blocks
}

// only is the panel with those of its labels that have runs in all of its columns or, if partial,
// with the others, and the columns where one of these has runs.
func (p *Plan) only(of panel, partial bool) panel {
	var whole, some panel
	whole.columns = of.columns
	for _, i := range of.labels {
		if !slices.ContainsFunc(of.columns, func(j int) bool { return p.Cells[i][j].N == 0 }) {
			whole.labels = append(whole.labels, i)
		} else {
			some.labels = append(some.labels, i)
		}
	}
	if len(whole.labels) == 0 { // one table has all
		whole, some = of, panel{}
	}
	if !partial {
		return whole
	}
	for _, j := range of.columns {
		if slices.ContainsFunc(some.labels, func(i int) bool { return p.Cells[i][j].N > 0 }) {
			some.columns = append(some.columns, j)
		}
	}
	return some
}

// bestElsewhere tells whether the highest mean of a setting is in none of the main tables.
func (p *Plan) bestElsewhere() bool {
	best := func(labels []int, j int) bool {
		return slices.ContainsFunc(labels, func(i int) bool { return p.Cells[i][j].Best })
	}
	return slices.ContainsFunc(p.panels(), func(all panel) bool {
		return slices.ContainsFunc(all.columns, func(j int) bool { return best(all.labels, j) && !best(p.only(all, false).labels, j) })
	})
}

// remarks say how the rates were tested, and what else is to be known of them.
func (p *Plan) remarks() (blocks []block) {
	for _, s := range []string{p.tests(), p.overlapping(), p.twins()} {
		if s != "" {
			blocks = append(blocks, block{Text: s})
		}
	}
	if len(p.AmbiguousRates) > 0 {
		blocks = append(blocks,
			block{Text: "Published rates are left out where the records do not say of which setting of the data set they are: " +
				join(p.AmbiguousRates) + "."})
	}
	return blocks
}

// caption says what the numbers of the main tables are.
func (p *Plan) caption() string {
	s := "Plan " + p.Name + ": recognition rates in percent, mean ± sample standard deviation over the runs"
	printed, single := false, false
	for _, row := range p.Cells {
		for _, c := range row {
			printed, single = printed || c.Published != nil, single || c.N == 1
		}
	}
	if single {
		s += ". In brackets: the exact 95 % interval of a single run (Clopper and Pearson)"
	}
	if printed {
		s += ". Below a rate: the published one"
		if tags := p.sources(); len(tags) > 0 {
			s += " [" + strings.Join(tags, ", ") + "]"
		}
		s += " and the difference in points"
	}
	return s
}

// legend explains the marks of the main tables.
func (p *Plan) legend() string {
	if len(p.Labels) < 2 {
		return "A setting is a data set with a split and a corruption."
	}
	legend := "Bold: the highest mean of a setting, which is a data set with a split and a corruption."
	if p.tests() != "" {
		legend += fmt.Sprintf(" ~: not significantly different from it (paired tests, level %g).", level)
	}
	if p.bestElsewhere() {
		legend += " Where none is bold, the highest is in \"Rates in some of the settings\"."
	}
	return legend + p.variants()
}

// variants names a method whose variants differ much, so that nobody takes one of them for the method.
func (p *Plan) variants() string {
	k := &p.Ranking
	for _, i := range k.Labels {
		if l := p.Labels[i]; l.Variation == nil && !l.Input {
			for _, other := range k.Labels {
				o := p.Labels[other]
				if other == i || o.Method != l.Method || o.Variation != nil || o.Input || len(o.Name) < len(l.Name) {
					continue
				}
				for _, j := range k.Columns {
					if d := p.Cells[other][j].Mean - p.Cells[i][j].Mean; math.Abs(d) >= telling {
						return fmt.Sprintf(" %s is %s with other settings, and %s points from it on %s.",
							o.Name, l.Name, signed(d), p.Columns[j].Title)
					}
				}
			}
		}
	}
	return ""
}

// tableCell returns c for the main table t, and adds its remarks to the notes of t.
func (c *Cell) tableCell(t *table) cell {
	out := c.rateCell()
	out.Best, out.Alike = c.Best, c.Alike
	if low, high, ok := c.Interval(); ok {
		out.Sub = fmt.Sprintf("[%s, %s]", tenths(low), tenths(high))
	}
	if c.Published != nil {
		p := published(c)
		if out.Sub != "" {
			out.Sub += " "
		}
		out.Sub += p.Text
		if p.Spread != "" {
			out.Sub += " ± " + p.Spread
		}
		if c.N > 0 {
			out.Sub += ", " + signed(c.Difference())
		}
	}
	for _, remark := range c.remarks() {
		out.Notes = append(out.Notes, t.noted(remark))
	}
	return out
}
