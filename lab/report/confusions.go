package report

import (
	"cmp"
	"fmt"
	"slices"

	"nrdl.example/nrdl/internal/natural"
	"nrdl.example/nrdl/lab/experiment"
)

// maxConfused is the number of pairs of people in the list.
const maxConfused = 5

// confused lists the pairs of people that are confused most often by the best label and by
// NRDL, in the first column of each data set.
func (p *Plan) confused() *table {
	t := &table{
		Caption: "Most confused pairs of people",
		Head:    slices.Concat(heads("data set"), wordHeads("method", "image of", "taken for"), heads("times", "in runs")),
	}
	seen := map[string]bool{}
	for j, c := range p.Columns {
		if seen[c.Source.Name] {
			continue
		}
		seen[c.Source.Name] = true
		of := []int{p.best(j)}
		if i := p.label("nrdl"); i >= 0 && i != of[0] {
			of = append(of, i)
		}
		for _, i := range of {
			if i < 0 {
				continue
			}
			for _, pair := range confusions(p.Cells[i][j].runs, maxConfused) {
				t.Rows = append(t.Rows, cells(c.String(), p.Labels[i].Name, pair.Person, pair.Name, fmt.Sprint(pair.N), fmt.Sprint(p.Cells[i][j].N)))
			}
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// best is the first of the best labels of column j, or −1.
func (p *Plan) best(j int) int {
	return slices.IndexFunc(p.Cells, func(row []*Cell) bool { return row[j].Best })
}

// confusions returns the most frequent confusions over all runs, at most so many.
func confusions(runs []*experiment.Record, maxPairs int) []experiment.Confusion {
	n := map[[2]string]int{}
	for _, r := range runs {
		for _, c := range r.Confusions {
			n[[2]string{c.Person, c.Name}] += c.N
		}
	}
	var all []experiment.Confusion
	for pair, n := range n {
		all = append(all, experiment.Confusion{Person: pair[0], Name: pair[1], N: n})
	}
	slices.SortFunc(all, func(a, b experiment.Confusion) int {
		return cmp.Or(cmp.Compare(b.N, a.N), natural.Compare(a.Person, b.Person), natural.Compare(a.Name, b.Name),
			cmp.Compare(a.Person, b.Person), cmp.Compare(a.Name, b.Name))
	})
	return all[:min(maxPairs, len(all))]
}
