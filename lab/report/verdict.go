package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/lab/experiment"
)

// largeRatio is the smallest ratio of times or memory that is reported.
const largeRatio = 2

// A verdict says which label of a plan is the best, compared with the other ranked labels.
type verdict struct {
	*Plan
	best         int
	rivals       []rival  // by rank
	exceptions   []string // the settings in which rivals are significantly better, and these rivals
	fewest, most int      // pairs of runs of a test; MaxInt and 0 without tests
}

// rival is a ranked label with the number of settings in which it differs significantly
// from the best label.
type rival struct {
	label       int
	wins        int
	losses      int
	confirmed   int // losses that are significant by the test that allows for overlapping splits, too
	significant int // wins, losses, and differences of 0
}

// Advice recommends a method for the data of p in a few sentences: the method, how sure
// the recommendation is, and which methods are as accurate but cheaper. Costs are from the
// plan timed, or from p if timed is nil. It returns "" if p has only one method.
func (p *Plan) Advice(timed *Plan) string {
	switch {
	case len(p.Labels) < 2:
		return ""
	case len(p.Ranking.Labels) < 2:
		return "No advice yet: too few methods have all their runs in the same settings."
	}
	v := p.verdict()
	return sentences(append([]string{v.leader(), v.certainty(), v.exceptional(), v.evidence()}, v.cost(timed)...)...)
}

// Headline summarises the ranking of p, and of NRDL in it, in a few sentences;
// "" if there is nothing to rank.
func (p *Plan) Headline() string {
	if len(p.Ranking.Labels) < 2 {
		return ""
	}
	v := p.verdict()
	return sentences(v.leader(), v.certainty(), p.place())
}

// sentences joins those that are not "".
func sentences(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), " ")
}

// verdict chooses the label with the best average rank, or among equals the one with the
// highest mean rate, and tests it against the others as the tables do.
func (p *Plan) verdict() *verdict {
	k := &p.Ranking
	mean := func(i int) (sum float64) {
		for _, j := range k.Columns {
			sum += p.Cells[i][j].Mean
		}
		return sum
	}
	order := k.order()
	for n, i := range order {
		if equalRanks(k.meanRank(i), k.meanRank(order[0])) && mean(i) > mean(order[0])+rounding {
			order[0], order[n] = order[n], order[0]
		}
	}
	v := &verdict{Plan: p, best: order[0], fewest: math.MaxInt}
	for _, i := range order[1:] {
		v.rivals = append(v.rivals, rival{label: i})
	}
	for _, j := range k.Columns {
		v.compareIn(j)
	}
	return v
}

// compareIn tests the best label against its rivals in column j.
func (v *verdict) compareIn(j int) {
	best := v.Cells[v.best][j]
	var tests []*Comparison
	var tested []*rival
	for n := range v.rivals {
		r := &v.rivals[n]
		if t := compareRuns(v.Cells[r.label][j].runs, best.runs, len(v.rivals)); t != nil {
			tests, tested = append(tests, t), append(tested, r)
		}
	}
	adjust(tests)
	var better []int // labels
	for n, t := range tests {
		v.fewest, v.most = min(v.fewest, t.Pairs), max(v.most, t.Pairs)
		if t.Adjusted > level {
			continue
		}
		r := tested[n]
		r.significant++
		switch d := v.Cells[r.label][j].Mean - best.Mean; {
		case d < 0:
			r.losses++
			if t.Test != wilcoxon || fixedSplit(v.Columns[j]) || !(t.Overlap > level) {
				r.confirmed++
			}
		case d > 0:
			r.wins++
			better = append(better, r.label)
		}
	}
	if len(better) > 0 {
		slices.SortStableFunc(better, func(a, b int) int { return cmp.Compare(v.Cells[b][j].Mean, v.Cells[a][j].Mean) })
		var names []string
		for _, i := range better {
			names = append(names, fmt.Sprintf("%s (by %s points)", v.Labels[i].Name, tenths(v.Cells[i][j].Mean-best.Mean)))
		}
		v.exceptions = append(v.exceptions, few(names)+" on "+v.Columns[j].String())
	}
}

// leader names the best label, by its average rank or, in a single setting, by its rate.
func (v *verdict) leader() string {
	k, name := &v.Ranking, v.Labels[v.best].Name
	of := legible.Count(len(k.Labels), "method")
	if len(k.Labels) < len(v.Labels) {
		of += " that have all runs"
	}
	if len(k.Columns) == 1 {
		j := k.Columns[0]
		return fmt.Sprintf("%s has the highest rate of %s, %s %%, on %s.", name, of, tenths(v.Cells[v.best][j].Mean), v.Columns[j])
	}
	highest := 0
	for _, j := range k.Columns {
		if !slices.ContainsFunc(k.Labels, func(i int) bool { return v.Cells[i][j].Mean > v.Cells[v.best][j].Mean+rounding }) {
			highest++
		}
	}
	over := legible.Count(len(k.Columns), "setting")
	if n := v.ranked(); n < len(k.Columns) {
		over += fmt.Sprintf(" of %s, which are not independent", legible.Count(n, "data set"))
	}
	return fmt.Sprintf("%s has the best average rank of %s, %s, over %s, and the highest rate in %d of them.",
		name, of, fixed(k.meanRank(v.best), 2), over, highest)
}

// certainty says how sure it is that the best label is the best, and why: how many rivals are
// significantly worse, and which ones are not or are closest.
func (v *verdict) certainty() string {
	n, settings := len(v.rivals), len(v.Ranking.Columns)
	count := func(is func(rival) bool) (n int) {
		for _, r := range v.rivals {
			if is(r) {
				n++
			}
		}
		return n
	}
	worse, everywhere := count(func(r rival) bool { return r.losses > 0 }), count(func(r rival) bool { return r.losses == settings })
	confirmed := count(func(r rival) bool { return r.confirmed > 0 }) // in a setting
	sure := "not sure"
	switch all := count(func(r rival) bool { return r.confirmed == r.losses }); {
	case everywhere < n:
		if worse == n && confirmed == n && v.Ranking.near(v.best) == 0 {
			sure = "fairly sure"
		}
	case all == n && v.fewest >= leastPairs(n):
		sure = "sure"
	case confirmed > 0:
		sure, confirmed = "fairly sure", all
	}
	where, tests := "", "paired tests"
	switch {
	case settings > 1 && everywhere == n:
		where, tests = " in every setting", "paired tests in each setting"
	case settings > 1:
		where, tests = " in a setting or more", "paired tests in each setting"
		if worse > 0 {
			where += everywhereOf(everywhere, settings, worse == n && sure == "not sure")
		}
	}
	s := fmt.Sprintf("This is %s: %s significantly worse%s (%s, level %g).", sure, rivalsAre(worse, n), where, tests, level)
	if worse == n && confirmed < n {
		s += fmt.Sprintf(" The corrected t-test, which allows for the overlap of the random splits, confirms this for %d of %d.", confirmed, n)
	}
	s += v.byRanks()
	if i := slices.IndexFunc(v.rivals, func(r rival) bool { return r.wins > 0 && r.losses == 0 }); i >= 0 {
		s += fmt.Sprintf(" Consider %s, which is significantly better in %s and significantly worse in none.",
			v.Labels[v.rivals[i].label].Name, legible.Count(v.rivals[i].wins, "setting"))
	}
	name := v.Labels[v.best].Name
	if ties := v.ties(); len(ties) > 0 {
		var names []string
		for _, r := range ties {
			names = append(names, v.Labels[r.label].Name)
		}
		s += fmt.Sprintf(" Not significantly different from %s, a tie: %s.", name, few(names))
	} else if r := v.closest(); everywhere < n && r.losses > 0 {
		s += fmt.Sprintf(" The closest is %s: significantly worse in %d of %s", v.Labels[r.label].Name, r.losses, legible.Count(settings, "setting"))
		if r.wins > 0 {
			s += fmt.Sprintf(", and better in %d", r.wins)
		}
		s += "."
	}
	return s
}

// everywhereOf says, after a comma, how many of the rivals that are worse in a setting are so in
// all: with "but" if that is what speaks against the best label.
func everywhereOf(some, settings int, but bool) string {
	number := "none"
	if some > 0 {
		number = fmt.Sprint(some)
	}
	if but {
		number = "but " + number
	}
	return fmt.Sprintf(", %s in all %d", number, settings)
}

// rivalsAre is the subject of a sentence about so many of n rivals.
func rivalsAre(some, n int) string {
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

// byRanks says, after a space, how many rivals have significantly worse average ranks, among
// all labels and among the best of each family; "" if ranks are not tested.
func (v *verdict) byRanks() string {
	s := ""
	for _, k := range []struct {
		*Ranking
		among string
	}{{&v.Ranking, "By average ranks"}, {&v.Families, "with one method of each family"}} {
		if n := len(k.Labels) - 1; k.Friedman != nil && n > 1 {
			s += fmt.Sprintf("; %s (critical difference %s) %s", k.among, fixed(k.CD, 2), rivalsAre(n-k.near(k.order()[0]), n))
		}
	}
	if s == "" {
		return ""
	}
	return " " + strings.TrimPrefix(s, "; ") + " (Nemenyi's test)."
}

// ties returns the rivals that differ significantly from the best label in no setting.
func (v *verdict) ties() []rival {
	return slices.DeleteFunc(slices.Clone(v.rivals), func(r rival) bool { return r.significant > 0 })
}

// closest returns the rival that is significantly worse in the fewest settings, among
// equals the one with the best rank.
func (v *verdict) closest() rival {
	return slices.MinFunc(v.rivals, func(r, s rival) int { return cmp.Compare(r.losses, s.losses) })
}

// exceptional names the settings in which other methods are significantly better, and
// these methods.
func (v *verdict) exceptional() string {
	n := len(v.exceptions)
	if n == 0 {
		return ""
	}
	list := v.exceptions
	if n > 3 {
		list = append(slices.Clone(list[:3]), fmt.Sprintf("%d more", n-3))
	}
	return "Others are significantly better in " + legible.Count(n, "setting") + ": " + strings.Join(list, "; ") + "."
}

// evidence says how many runs the tests have.
func (v *verdict) evidence() string {
	fewest, most := v.fewest, v.most
	if most == 0 {
		return "Nothing is tested, since no two methods have runs of equal splits."
	}
	runs := legible.Count(fewest, "run")
	if most > fewest {
		runs = fmt.Sprintf("%d to %d runs", fewest, most)
	}
	s := "Each setting has " + runs
	if len(v.Ranking.Columns) == 1 {
		s = "The setting has " + runs
	}
	enough := leastPairs(len(v.rivals))
	switch {
	case most < enough:
		return s + ": few, so that only large differences are significant, and other splits may give another order."
	case fewest < enough:
		return s + "; where they are few, only large differences are significant, and other splits may give another order."
	}
	return s + "."
}

// cost says which of the ties takes much less time or memory than the best method; if
// there is no tie, whether the closest rival does. Times and memory are from the plan
// timed, or from a itself if that is nil.
func (v *verdict) cost(timed *Plan) (sentences []string) {
	candidates := v.ties()
	tied := len(candidates) > 0
	tie := "is as accurate, as far as these tests can tell, and "
	if !tied {
		candidates, tie = []rival{v.closest()}, "is "
	}
	if timed == nil {
		timed = v.Plan
	}
	remark := ""
	if !timed.alone() {
		remark = " (measured with several runs at a time)"
	}
	name := v.Labels[v.best].Name
	i, times := v.cheapest(candidates, timed, func(c *Cell) float64 {
		return c.median(func(r *experiment.Record) float64 { return r.Cost.FitSeconds + r.Cost.CodeSeconds })
	})
	switch {
	case times >= largeRatio:
		sentences = append(sentences, fmt.Sprintf("%s %s%s times as fast as %s to train and test%s.", v.Labels[i].Name, tie, fixed(times, 0), name, remark))
	case times > 0 && tied:
		sentences = append(sentences, fmt.Sprintf("No tied method is more than twice as fast as %s to train and test%s.", name, remark))
	}
	if i, times := v.cheapest(candidates, timed, (*Cell).memory); times >= largeRatio {
		sentences = append(sentences, fmt.Sprintf("%s needs %s %% of the memory of %s.", v.Labels[i].Name, fixed(100/times, 0), name))
	}
	return sentences
}

// cheapest returns the index in v.Labels of the candidate with the smallest measure (of time or
// memory), and the factor by which that of the best label is larger: a geometric mean over the data
// sets that both were measured on.
func (v *verdict) cheapest(candidates []rival, timed *Plan, measure func(*Cell) float64) (cheapest int, times float64) {
	cells := map[[2]string]*Cell{}
	for i, l := range timed.Labels {
		for j, c := range timed.Columns {
			if key := [2]string{l.Name, c.Source.Name}; cells[key] == nil && timed.Cells[i][j].N > 0 {
				cells[key] = timed.Cells[i][j]
			}
		}
	}
	for _, r := range candidates {
		sum, n := 0.0, 0
		for _, j := range v.Ranking.Columns {
			data := v.Columns[j].Source.Name
			mine, best := cells[[2]string{v.Labels[r.label].Name, data}], cells[[2]string{v.Labels[v.best].Name, data}]
			if mine == nil || best == nil {
				continue
			}
			if x, y := measure(mine), measure(best); x > 0 && y > 0 {
				sum += math.Log(y / x)
				n++
			}
		}
		if t := math.Exp(sum / float64(n)); n > 0 && t > times {
			cheapest, times = r.label, t
		}
	}
	return cheapest, times
}
