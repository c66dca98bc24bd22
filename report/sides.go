package report

import (
	"fmt"
	"slices"
)

// A Side compares the rates of two plans in a column that both have.
type Side struct {
	A, B   *Plan
	Column *Column // of A
	Rows   []SideRow
}

// A SideRow is a method with different parameters in the two plans.
type SideRow struct {
	Label      string // of A
	A, B       *Cell
	Difference float64     // B − A in points: of the pairs, or of the means if there are no pairs
	Comparison *Comparison // nil if there is no pair
}

// sides are the comparisons of every two plans.
func (r *Report) sides() (all []*Side) {
	seen := map[string]bool{}
	for i, a := range r.Plans {
		for _, b := range r.Plans[i+1:] {
			for j, c := range a.Columns {
				n := slices.IndexFunc(b.Columns, func(o *Column) bool { return o.key == c.key })
				if n < 0 {
					continue
				}
				if s := newSide(a, b, j, n, seen); len(s.Rows) > 0 {
					all = append(all, s)
				}
			}
		}
	}
	return all
}

// newSide compares column j of a with column n of b. It leaves out comparisons in seen,
// with the same two sets of parameters.
func newSide(a, b *Plan, j, n int, seen map[string]bool) *Side {
	s := &Side{A: a, B: b, Column: a.Columns[j]}
	var tests []*Comparison
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
		key := fmt.Sprintf("%v %q %q %q", s.Column.key, l.Method, min(one, other), max(one, other))
		if one == other || seen[key] {
			continue
		}
		seen[key] = true
		row := SideRow{Label: l.Name, A: x, B: y, Difference: y.Mean - x.Mean, Comparison: compareRuns(y.runs, x.runs, len(a.Labels))}
		if t := row.Comparison; t != nil {
			tests, row.Difference = append(tests, t), t.Rates
		}
		s.Rows = append(s.Rows, row)
	}
	adjust(tests)
	return s
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

func (s *Side) table() *table {
	t := &table{
		Caption: fmt.Sprintf("%s: %s and %s", s.Column, s.A.Name, s.B.Name),
		Head:    heads("method", s.A.Name, s.B.Name, "difference", "pairs", "p, adjusted"),
	}
	for _, r := range s.Rows {
		pairs, p := 0, "—"
		if t := r.Comparison; t != nil {
			pairs, p = t.Pairs, pValue(t.Adjusted)
		}
		t.Rows = append(t.Rows, []cell{
			{Text: r.Label}, r.A.rateCell(), r.B.rateCell(), {Text: signed(r.Difference)}, {Text: fmt.Sprint(pairs)}, {Text: p},
		})
	}
	return t
}
