package report

import (
	"fmt"
	"slices"
)

// sides are tables that compare the rates of every two plans in each column that both have.
func (r *Report) sides() (all []*table) {
	seen := map[string]bool{}
	for i, a := range r.Plans {
		for _, b := range r.Plans[i+1:] {
			for j, c := range a.Columns {
				n := slices.IndexFunc(b.Columns, func(o *Column) bool { return o.key == c.key })
				if n < 0 {
					continue
				}
				if t := besides(a, b, j, n, seen); len(t.Rows) > 0 {
					all = append(all, t)
				}
			}
		}
	}
	return all
}

// besides compares column j of a with column n of b: the methods with different parameters in
// the two plans, without comparisons in seen, of the same two sets of parameters. A difference
// is that of the pairs, or of the means where there is no pair.
func besides(a, b *Plan, j, n int, seen map[string]bool) *table {
	t := &table{
		Caption: fmt.Sprintf("%s: %s and %s", a.Columns[j], a.Name, b.Name),
		Head:    heads("method", a.Name, b.Name, "difference", "pairs", "p, adjusted"),
	}
	var tests []*Comparison
	var at []int // the row of each
	for i, l := range a.Labels {
		m := b.counterpart(a, l)
		if m < 0 {
			continue
		}
		x, y := a.Cells[i][j], b.Cells[m][n]
		if x.N == 0 || y.N == 0 {
			continue
		}
		one, other := x.parameters(), y.parameters()
		key := fmt.Sprintf("%v %q %q %q", a.Columns[j].key, l.Method, min(one, other), max(one, other))
		if one == other || seen[key] {
			continue
		}
		seen[key] = true
		difference, pairs := y.Mean-x.Mean, 0
		if c := compareRuns(y.runs, x.runs, len(a.Labels)); c != nil {
			tests, at = append(tests, c), append(at, len(t.Rows))
			difference, pairs = c.Rates, c.Pairs
		}
		t.Rows = append(t.Rows, []cell{{Text: l.Name}, x.rateCell(), y.rateCell(), {Text: signed(difference)}, {Text: fmt.Sprint(pairs)}, {Text: "—"}})
	}
	adjust(tests)
	for i, c := range tests {
		t.Rows[at[i]][5].Text = pValue(c.Adjusted)
	}
	return t
}

// counterpart returns the label of p to compare with the label l of a: the one with the
// same method and name, or the only one of the method if both plans have only one; or −1.
func (p *Plan) counterpart(a *Plan, l *Label) int {
	of := func(p *Plan) (all []int) {
		for i, o := range p.Labels {
			if o.Method == l.Method {
				all = append(all, i)
			}
		}
		return all
	}
	here := of(p)
	for _, i := range here {
		if p.Labels[i].Name == l.Name {
			return i
		}
	}
	if len(here) == 1 && len(of(a)) == 1 {
		return here[0]
	}
	return -1
}

// parameters returns a key of the parameters of the runs of c. Runs with tuned or mixed
// parameters have the plan as their key.
func (c *Cell) parameters() string {
	r := c.runs[0]
	if r.Tuning != nil || c.Mixed {
		return "of plan " + r.Plan
	}
	return string(r.Params)
}
