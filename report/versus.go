package report

// A Versus compares two labels of a plan on a data set.
type Versus struct {
	Title      string  // of the data set
	Difference float64 // of the mean rates, in points
	Alike      bool    // no significant difference (paired test, Holm's correction over the data sets)
}

// Versus compares two labels on the columns in which both have all runs.
func (p *Plan) Versus(label, other string) []Versus {
	at := map[string]int{label: -1, other: -1}
	for i, l := range p.Labels {
		if _, ok := at[l.Name]; ok {
			at[l.Name] = i
		}
	}
	if at[label] < 0 || at[other] < 0 {
		return nil
	}
	var both []int
	for j := range p.Columns {
		if p.Cells[at[label]][j].Complete() && p.Cells[at[other]][j].Complete() {
			both = append(both, j)
		}
	}
	var all []Versus
	var tests []*Comparison
	for _, j := range both {
		a, b := p.Cells[at[label]][j], p.Cells[at[other]][j]
		if t := compareRuns(a.runs, b.runs, len(both)); t != nil {
			all = append(all, Versus{Title: p.Columns[j].Source.Title, Difference: a.Mean - b.Mean})
			tests = append(tests, t)
		}
	}
	adjust(tests)
	for i, t := range tests {
		all[i].Alike = t.Adjusted > level
	}
	return all
}
