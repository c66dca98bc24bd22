package report

import (
	"fmt"
	"slices"

	"nrdl.example/nrdl/internal/legible"
)

// Advice recommends a method for the data of p in one sentence: the one with the best average
// rank or, in one or two settings, with the highest rate, and how many others are significantly
// worse. It is "" if p has only one method, or looks into one.
func (p *Plan) Advice() string {
	k := &p.Ranking
	switch {
	case len(p.Labels) < 2 || p.Study:
		return ""
	case len(k.Labels) < 2:
		return "No advice yet: too few methods have all their runs in the same settings."
	}
	methods, others := legible.Count(len(k.Labels), "method"), len(k.Labels)-1
	if len(k.Labels) < len(p.Labels) {
		methods += " that have all runs"
	}
	best := p.recommended()
	name := p.Labels[best].Name
	if len(k.Columns) == 1 {
		j := k.Columns[0]
		worse := 0
		for _, i := range k.Labels {
			if c := p.Cells[i][j]; c.Comparison != nil && !c.Alike {
				worse++
			}
		}
		return fmt.Sprintf("%s has the highest rate of %s, %s %%, on %s; %s significantly worse (paired tests, level %g).",
			name, methods, tenths(p.Cells[best][j].Mean), p.Columns[j], othersAre(worse, others), level)
	}
	if !p.averaged() {
		return fmt.Sprintf("%s has the highest mean rate of %s over %s and %s. Two settings are too few for a test over settings.",
			name, methods, p.Columns[k.Columns[0]], p.Columns[k.Columns[1]])
	}
	highest := 0
	for _, j := range k.Columns {
		if !slices.ContainsFunc(k.Labels, func(i int) bool { return p.Cells[i][j].Mean > p.Cells[best][j].Mean+rounding }) {
			highest++
		}
	}
	settings, test := legible.Count(len(k.Columns), "setting"), ""
	if n := p.ranked(); n < len(k.Columns) {
		settings += fmt.Sprintf(" of %s, which are not independent", legible.Count(n, "data set"))
	}
	if k.Friedman != nil {
		test = fmt.Sprintf("; %s significantly worse (Nemenyi's test of ranks, level %g)", othersAre(others-k.near(best), others), level)
	}
	rank := fixed(k.meanRank(best), 2)
	for _, i := range k.Labels {
		if i != best && equalRanks(k.meanRank(i), k.meanRank(best)) {
			rank += ", as has " + p.Labels[i].Name
		}
	}
	return fmt.Sprintf("%s has the best average rank of %s, %s, over these %s; it has the highest rate in %d of them%s.",
		name, methods, rank, settings, highest, test)
}

// recommended is the label with the best average rank, of equals the one with the highest mean
// rate; in fewer settings than have average ranks, the one with the highest mean rate.
func (p *Plan) recommended() int {
	k := &p.Ranking
	mean := func(i int) (sum float64) {
		for _, j := range k.Columns {
			sum += p.Cells[i][j].Mean
		}
		return sum
	}
	order := k.order()
	best := order[0]
	for _, i := range order[1:] {
		if (!p.averaged() || equalRanks(k.meanRank(i), k.meanRank(best))) && mean(i) > mean(best)+rounding {
			best = i
		}
	}
	return best
}

// rounding is the largest difference of means, in points, that is a rounding error.
const rounding = 1e-9

// othersAre is the subject of a sentence about so many of n other methods.
func othersAre(some, n int) string {
	switch {
	case some == 0:
		return "no other method is"
	case n == 1:
		return "the other method is"
	case some == n:
		return fmt.Sprintf("each of the other %d is", n)
	case some == 1:
		return fmt.Sprintf("1 of the other %d is", n)
	}
	return fmt.Sprintf("%d of the other %d are", some, n)
}
