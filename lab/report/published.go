package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"nrdl.example/nrdl/internal/legible"
)

// notable is the difference from a published rate, in points, above which a reason is
// needed.
const notable = 2

// placePublished removes published rates from columns to which they do not belong. A plan
// has them for a data set: they belong to its only column without corruption, or to its
// only column. Otherwise the column is not known.
func (p *Plan) placePublished() {
	type among struct{ clean, all int }
	counts := map[string]among{}
	for _, c := range p.Columns {
		a := counts[c.Source.Name]
		if a.all++; c.clean() {
			a.clean++
		}
		counts[c.Source.Name] = a
	}
	for j, c := range p.Columns {
		a := counts[c.Source.Name]
		if c.clean() && a.clean == 1 || a.all == 1 {
			continue
		}
		for i := range p.Labels {
			cell := p.Cells[i][j]
			if cell.Published != nil && a.clean != 1 && !slices.Contains(p.AmbiguousRates, c.Title) {
				p.AmbiguousRates = append(p.AmbiguousRates, c.Title)
			}
			cell.Published = nil
		}
	}
}

// differences lists the rates that differ by more than notable from the published ones,
// and counts them in a sentence. The table is nil if there are none.
func (p *Plan) differences() (sentence string, t *table) {
	t = &table{
		Caption: fmt.Sprintf("Rates more than %d points off the published ones", notable),
		Head:    slices.Concat(heads("data set"), wordHeads("method"), heads("published", "here", "difference"), wordHeads("why")),
	}
	compared := 0
	for j, column := range p.Columns {
		for i, l := range p.Labels {
			c := p.Cells[i][j]
			d := c.Difference()
			if math.IsNaN(d) {
				continue
			}
			compared++
			// Printed rates have one decimal: 2.04 is not more than 2 of them.
			if math.Round(10*math.Abs(d)) <= 10*notable {
				continue
			}
			t.Rows = append(t.Rows, append(cells(column.String(), l.Name), published(c), c.rateCell(),
				cell{Text: signed(d)}, cell{Text: cmp.Or(c.Note, "no reason is known")}))
		}
	}
	switch {
	case compared == 0:
		return "", nil
	case len(t.Rows) == 0:
		return fmt.Sprintf("None of %s is more than %d points off.", legible.Count(compared, "rate"), notable), nil
	}
	verb := "are"
	if len(t.Rows) == 1 {
		verb = "is"
	}
	return fmt.Sprintf("%d of %s with a published one %s more than %d points off.", len(t.Rows),
		legible.Count(compared, "rate"), verb, notable), t
}

// published returns the published rate of c.
func published(c *Cell) cell {
	out := cell{Text: tenths(c.Published.Mean)}
	if c.Published.SD > 0 {
		out.Spread = tenths(c.Published.SD)
	}
	return out
}

// sources returns the tags of the publications of p.
func (p *Plan) sources() (all []string) {
	for r := range p.all {
		if r.Published != nil && r.Published.Source != "" && !slices.Contains(all, r.Published.Source) {
			all = append(all, r.Published.Source)
		}
	}
	slices.Sort(all)
	return all
}

// abouts returns the data sets and their descriptions in the plan.
func (p *Plan) abouts() (all []item) {
	seen := map[string]bool{}
	for _, c := range p.Columns {
		if about := c.Source.About; about != "" && !seen[c.Title+about] {
			seen[c.Title+about] = true
			all = append(all, item{c.Title, about})
		}
	}
	return all
}
