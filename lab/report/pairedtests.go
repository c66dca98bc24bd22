package report

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/lab/significance"
)

// A Comparison is the outcome of a paired test.
type Comparison struct {
	Test      string // one of the names below
	Pairs     int    // runs on equal splits
	P         float64
	Rates     float64 // mean difference of the rates over the pairs, in points
	AdjustedP float64 // P after Holm's correction over the comparisons of the column
	PairedT   float64 // p-value of the t-test over the runs, for reference; NaN if undefined
	Overlap   float64 // p-value of the t-test corrected for the overlap of random splits, and by Holm
	Ratio     float64 // test images per training image, used in that correction
}

// The tests, by the number of pairs that they are for; minPairs depends on the comparisons.
const (
	mcnemar  = "McNemar"    // 1, on its faces
	flips    = "sign flips" // 2 … minPairs−1, on their faces
	wilcoxon = "Wilcoxon"   // minPairs and more
)

// minPairs is the smallest number of pairs of runs with which the signed-rank test can be
// significant for so many comparisons with Holm's correction: its smallest p-value is 2/2ⁿ.
// With fewer pairs the errors on the faces are compared.
func minPairs(comparisons int) int {
	return 1 + int(math.Ceil(math.Log2(float64(max(comparisons, 1))/level)))
}

// maxExact is the largest number of pairs for which the exact distribution is used.
const maxExact = 200

// compare finds the best cells of column j, and the cells that are not significantly
// different from them. It ignores cells without all runs: their mean is over other splits.
func (p *Plan) compare(j int) {
	means := make([]float64, len(p.Labels))
	complete, lacking := 0, 0
	for i := range p.Labels {
		means[i] = math.NaN()
		if c := p.Cells[i][j]; c.Complete() {
			means[i] = c.Mean
			complete++
		} else if len(c.records) > 0 {
			lacking++
		}
	}
	if lacking > complete || complete < 2 {
		return // the best of those few would say nothing
	}
	var best *Cell // the first of equals
	ranks := significance.Ranks(means)
	for i, r := range ranks {
		if r == floats.Min(ranks) {
			p.Cells[i][j].Best = true
			best = cmp.Or(best, p.Cells[i][j])
		}
	}
	var others []*Cell
	var tests []*Comparison
	for i := range p.Labels {
		if c := p.Cells[i][j]; c.Complete() && !c.Best {
			if c.Comparison = compareRuns(c.runs, best.runs, complete-1); c.Comparison != nil {
				others, tests = append(others, c), append(tests, c.Comparison)
			}
		}
	}
	adjust(tests)
	for _, c := range others {
		c.Alike = c.Comparison.AdjustedP > level
	}
}

// adjust sets Adjusted, and adjusts Overlap, by Holm's correction over all comparisons.
func adjust(all []*Comparison) {
	p, overlap := make([]float64, len(all)), make([]float64, len(all))
	for i, c := range all {
		p[i], overlap[i] = c.P, c.Overlap
	}
	p, overlap = significance.Holm(p), significance.Holm(overlap)
	for i, c := range all {
		c.AdjustedP, c.Overlap = p[i], overlap[i]
	}
}

// meeting identifies the training and test faces of a run within a setting.
type meeting struct {
	repeat     int
	split      string // hash of the training columns
	corruption uint64
}

func meetingOf(r *experiment.Record) meeting { return meeting{r.Repeat, r.SplitHash, r.CorruptionSeed} }

// pairs yields the pairs of runs of a and b with equal repeat and split.
func pairs(a, b []*experiment.Record) iter.Seq2[*experiment.Record, *experiment.Record] {
	return func(yield func(r, s *experiment.Record) bool) {
		of := map[meeting]*experiment.Record{}
		for _, s := range b {
			of[meetingOf(s)] = s
		}
		for _, r := range a {
			if s := of[meetingOf(r)]; s != nil && !yield(r, s) {
				return
			}
		}
	}
}

// compareRuns tests whether two methods differ over the runs with equal repeat and split.
// The test is one of so many comparisons. It returns nil if there is no pair of runs.
func compareRuns(a, b []*experiment.Record, comparisons int) *Comparison {
	var x, y []float64
	difference := 0.0
	faces := map[int]int{} // by column: the runs in which only a is wrong, minus those in which only b is
	for r, s := range pairs(a, b) {
		if r.N != s.N {
			continue
		}
		x, y = append(x, r.Rate), append(y, s.Rate)
		difference += 100 * (r.Rate - s.Rate)
		for _, j := range r.MissedColumns {
			faces[j]++
		}
		for _, j := range s.MissedColumns {
			faces[j]--
		}
	}
	c := &Comparison{Pairs: len(x), Rates: difference / float64(len(x)), PairedT: tTest(x, y, 0)}
	if len(x) > 0 && a[0].Train > 0 {
		c.Ratio = float64(a[0].N) / float64(a[0].Train)
		c.Overlap = tTest(x, y, c.Ratio)
	}
	switch n := len(x); {
	case n == 0:
		return nil
	case n == 1:
		c.Test = mcnemar
	case n < minPairs(comparisons):
		c.Test = flips
	default:
		c.Test = wilcoxon
		how := significance.Exact
		if n > maxExact {
			how = significance.Approximate
		}
		t, err := significance.Wilcoxon(x, y, how)
		if err != nil { // a rate is not finite
			return nil
		}
		c.P = t.P
		return c
	}
	c.P = significance.SignFlips(slices.Collect(maps.Values(faces)))
	return c
}

// tTest is the p-value of the paired t-test, corrected for random splits with overlap test
// images per training image. It is NaN if there are fewer than two pairs, or if all
// differences are equal, which a normal distribution cannot explain.
func tTest(x, y []float64, overlap float64) float64 {
	t, err := significance.CorrectedT(x, y, overlap)
	if err != nil || math.IsInf(t.Statistic, 0) {
		return math.NaN()
	}
	return t.P
}

// tests explains the tests that were used for the columns of p.
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
		how = append(how, "the exact Wilcoxon signed-rank test where the runs are enough")
	}
	if used[flips] {
		how = append(how, "for few runs Fisher's randomisation test on faces, errors summed over the runs")
	}
	if used[mcnemar] {
		how = append(how, "for a single run McNemar's exact test on its faces")
	}
	if len(how) == 0 {
		return ""
	}
	s := "~: not significantly different from it, which is not the same as equal, " +
		"by a paired test over the runs with equal repeat and split: " +
		strings.Join(how, ", ") + fmt.Sprintf("; two-sided, Holm's correction in the setting, level %g. ", level) +
		"The best is chosen on the same runs. "
	if used[mcnemar] || used[flips] {
		s += "Tests on faces hold for these models and other images of these people, not for another split. "
	}
	if used[wilcoxon] {
		s += "The test over runs holds for other " + p.chances() + " of these faces. "
	}
	return s + "None holds for other people."
}

// chances names what is random in the runs of p.
func (p *Plan) chances() string {
	var all []string
	add := func(what string, is func(*Column) bool) {
		if slices.ContainsFunc(p.Columns, is) {
			all = append(all, what)
		}
	}
	add("splits, which overlap,", func(c *Column) bool { return !fixedSplit(c) })
	add("noise", func(c *Column) bool { return c.Noise > 0 })
	add("places of blocks", func(c *Column) bool { return c.Occlude > 0 })
	return join(all)
}

// fixedSplit reports whether the split of a column is not random.
func fixedSplit(c *Column) bool { return strings.HasPrefix(c.Split, "first") }

// overlapping names, for settings with random splits, the methods that are not
// significantly different from the best one by a test that allows for the overlap; "" if
// no setting has one.
func (p *Plan) overlapping() string {
	var says []string
	for j, column := range p.Columns {
		var alike []string
		tested, ratio := false, 0.0
		for i, l := range p.Labels {
			c := p.Cells[i][j].Comparison
			if c == nil || c.Test != wilcoxon || fixedSplit(column) {
				continue
			}
			tested = true
			ratio = c.Ratio
			if !(c.Overlap <= level) {
				alike = append(alike, l.Name)
			}
		}
		switch {
		case tested && len(alike) == 0:
			says = append(says, fmt.Sprintf("%s (%.2g): none", column, ratio))
		case tested:
			says = append(says, fmt.Sprintf("%s (%.2g): %s", column, ratio, few(alike)))
		}
	}
	if says == nil {
		return ""
	}
	return "The splits overlap, so the test over runs is too optimistic. Nadeau and Bengio's corrected t-test allows " +
		"for that by the ratio of test to training images, in brackets (above 1 it is too cautious). " +
		"With it and Holm's correction, these are not significantly different from the best: " + strings.Join(says, "; ") + "."
}

// twins names the labels with exactly the same errors in a setting.
func (p *Plan) twins() string {
	var says []string
	for a := range p.Labels {
		for b := range a {
			var where []string
			for j, column := range p.Columns {
				if sameMistakes(p.Cells[a][j], p.Cells[b][j]) {
					where = append(where, column.String())
				}
			}
			if where != nil {
				says = append(says, fmt.Sprintf("%s and %s (%s)", p.Labels[b].Name, p.Labels[a].Name, join(where)))
			}
		}
	}
	if says == nil {
		return ""
	}
	return "The same mistakes in all runs, as of one method under two names: " + few(says) + ". Ranks and tests count both."
}

// sameMistakes reports whether two cells have the same errors in all of several runs.
func sameMistakes(a, b *Cell) bool {
	if a.N < 2 || len(a.runs) != len(b.runs) {
		return false
	}
	for n, r := range a.runs {
		if meetingOf(r) != meetingOf(b.runs[n]) || !slices.Equal(r.MissedColumns, b.runs[n].MissedColumns) {
			return false
		}
	}
	return true
}
