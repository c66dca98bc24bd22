package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"nrdl/experiment"
	"nrdl/internal/significance"
)

// A Comparison is the outcome of a paired test.
type Comparison struct {
	Test     string // one of the names below
	Pairs    int    // runs on equal splits, or for McNemar the faces of one
	P        float64
	Adjusted float64 // P after Holm's correction over the comparisons of the column
}

// The tests, by the number of pairs that they are for.
const (
	mcnemar  = "McNemar"  // 1, on its faces
	pairedT  = "paired t" // 2 … 5
	wilcoxon = "Wilcoxon" // 6 and more
)

// leastWilcoxon is the least number of pairs with which the signed-rank test
// can reach the level: 2/2⁶ = 0.03.
const leastWilcoxon = 6

// mostExact is up to how many pairs the exact distribution is taken.
const mostExact = 200

// compare finds the best cells of column j and what cannot be told from them.
// Cells that lack runs do not take part: their mean is over other splits.
func (p *Plan) compare(j int) {
	means := make([]float64, len(p.Labels))
	for i := range p.Labels {
		means[i] = math.NaN()
		if c := p.Cells[i][j]; c.Complete() {
			means[i] = c.Mean
		}
	}
	var best *Cell // the first of equals
	ranks := significance.Ranks(means)
	first := math.Inf(1)
	for _, r := range ranks {
		if r < first {
			first = r
		}
	}
	for i, r := range ranks {
		if r == first {
			c := p.Cells[i][j]
			c.Best = true
			if best == nil {
				best = c
			}
		}
	}
	var others []*Cell
	for i := range p.Labels {
		if c := p.Cells[i][j]; c.Complete() && !c.Best {
			if c.Comparison = compareRuns(c.runs, best.runs); c.Comparison != nil {
				others = append(others, c)
			}
		}
	}
	var all []*Comparison
	for _, c := range others {
		all = append(all, c.Comparison)
	}
	adjust(all)
	for _, c := range others {
		c.Alike = c.Comparison.Adjusted > level
	}
}

// adjust fills in Adjusted, by Holm's correction over all of them.
func adjust(all []*Comparison) {
	p := make([]float64, len(all))
	for i, c := range all {
		p[i] = c.P
	}
	for i, adjusted := range significance.Holm(p) {
		all[i].Adjusted = adjusted
	}
}

// compareRuns tests whether two methods differ over the runs of equal repeat
// and split; nil where there is no such pair.
func compareRuns(a, b []*experiment.Record) *Comparison {
	type split struct {
		repeat int
		hash   string
	}
	of := map[split]*experiment.Record{}
	for _, r := range b {
		of[split{r.Repeat, r.SplitHash}] = r
	}
	var x, y []float64
	var one, other *experiment.Record
	for _, r := range a {
		if s := of[split{r.Repeat, r.SplitHash}]; s != nil && r.N == s.N {
			x, y = append(x, r.Rate), append(y, s.Rate)
			one, other = r, s
		}
	}
	n := len(x)
	switch {
	case n == 0:
		return nil
	case n == 1:
		return &Comparison{Test: mcnemar, Pairs: one.N, P: facesTest(one, other)}
	case n < leastWilcoxon:
		return pairsTest(pairedT, n, func() (significance.Test, error) { return significance.PairedT(x, y) })
	}
	how := significance.Exact
	if n > mostExact {
		how = significance.Approximate
	}
	return pairsTest(wilcoxon, n, func() (significance.Test, error) { return significance.Wilcoxon(x, y, how) })
}

func pairsTest(name string, n int, test func() (significance.Test, error)) *Comparison {
	t, err := test()
	if err != nil { // a rate is not finite
		return nil
	}
	return &Comparison{Test: name, Pairs: n, P: t.P}
}

// facesTest is McNemar's on the faces of two runs on one split.
func facesTest(a, b *experiment.Record) float64 {
	missed := map[int]bool{}
	for _, j := range b.Missed {
		missed[j] = true
	}
	both := 0
	for _, j := range a.Missed {
		if missed[j] {
			both++
		}
	}
	return significance.McNemar(len(b.Missed)-both, len(a.Missed)-both) // right where the other is wrong
}

// tests says which tests the columns of p were given, and what that means.
func (p *Plan) tests() string {
	used := map[string]bool{}
	for i := range p.Labels {
		for _, c := range p.Cells[i] {
			if c.Comparison != nil {
				used[c.Comparison.Test] = true
			}
		}
	}
	var how []string
	if used[wilcoxon] {
		how = append(how, fmt.Sprintf("with %d pairs of runs or more the exact Wilcoxon signed-rank test", leastWilcoxon))
	}
	if used[pairedT] {
		how = append(how, fmt.Sprintf("with 2 to %d the paired t-test", leastWilcoxon-1))
	}
	if used[mcnemar] {
		how = append(how, "on a single split the exact McNemar test on its faces")
	}
	if len(how) == 0 {
		return ""
	}
	s := "~ marks what a paired test cannot tell from the best of the setting: over the runs with equal repeat and split, " +
		strings.Join(how, ", ") + fmt.Sprintf("; two-sided, Holm's correction over the comparisons of the setting, level %g.", level)
	if used[mcnemar] && len(used) == 1 {
		return s + " It speaks about other images of these people and not about other people."
	}
	other := "other splits"
	if slices.ContainsFunc(p.Columns, func(c *Column) bool { return !c.clean() }) {
		other = "other splits, noise and occlusion"
	}
	return s + " Random splits of one database overlap: the tests speak about " + other + " of these faces and not about other people."
}

// powerless names the columns in which no test could tell anything from the
// best, however the runs had gone: too few pairs for so many comparisons.
func (p *Plan) powerless() (columns []string) {
	for j, column := range p.Columns {
		tests, pairs := 0, 0
		for i := range p.Labels {
			if c := p.Cells[i][j].Comparison; c != nil && c.Test == wilcoxon {
				tests, pairs = tests+1, max(pairs, c.Pairs)
			}
		}
		if tests > 0 && float64(tests)*math.Pow(2, 1-float64(pairs)) > level {
			columns = append(columns, column.String())
		}
	}
	return columns
}
