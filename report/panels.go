package report

import "slices"

// A panel is the part of a plan in one table: columns, and the labels with records in one
// of them.
type panel struct {
	columns []int
	labels  []int
}

// panels divides p into tables without many gaps, if its data sets have different
// contestants. A column joins the first panel with which it has most labels in common.
// Columns and labels keep their order.
func (p *Plan) panels() (all []panel) {
	for j := range p.Columns {
		present := p.present(j)
		at := slices.IndexFunc(all, func(q panel) bool { return alikeLabels(q.labels, present) })
		if at < 0 {
			all = append(all, panel{})
			at = len(all) - 1
		}
		q := &all[at]
		q.columns = append(q.columns, j)
		for _, i := range present {
			if n, ok := slices.BinarySearch(q.labels, i); !ok {
				q.labels = slices.Insert(q.labels, n, i)
			}
		}
	}
	return all
}

// present returns the labels with a record for the data set of column j, in any of its
// settings.
func (p *Plan) present(j int) (labels []int) {
	for i := range p.Labels {
		for n, c := range p.Columns {
			if c.Source.Name == p.Columns[j].Source.Name && len(p.Cells[i][n].records) > 0 {
				labels = append(labels, i)
				break
			}
		}
	}
	return labels
}

// alikeLabels reports whether at least half of the labels in a or b are in both.
func alikeLabels(a, b []int) bool {
	both := 0
	for _, i := range a {
		if slices.Contains(b, i) {
			both++
		}
	}
	return 2*both >= len(a)+len(b)-both
}

// heads returns the head of the table of a panel.
func (p *Plan) heads(q panel) []head {
	all := heads("method")
	for _, j := range q.columns {
		all = append(all, head{Title: p.Columns[j].Title, Sub: p.Columns[j].Sub})
	}
	return all
}
