package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"nrdl.example/nrdl/experiment"
	"nrdl.example/nrdl/internal/legible"
)

// largeRatio is the smallest ratio of times or memory that is reported.
const largeRatio = 2

// Advice recommends a method for the data of p in a few sentences: the method, how sure
// the recommendation is, and which methods are as accurate but cheaper. Costs are from the
// plan timed, or from p if timed is nil. It returns "" if p has only one method.
func (p *Plan) Advice(timed *Plan) string {
	k := &p.Ranking
	switch {
	case len(p.Labels) < 2:
		return ""
	case len(k.Labels) < 2:
		return "No advice yet: too few methods have all their runs in the same settings."
	}
	a := p.advise()
	s := []string{a.choice(), a.certainty(), a.exceptional(), a.evidence()}
	s = append(s, a.cost(timed)...)
	return strings.Join(slices.DeleteFunc(s, func(s string) bool { return s == "" }), " ")
}

// recommendation compares the best label of a plan with the other ranked labels.
type recommendation struct {
	*Plan
	best         int
	rivals       []rival  // by rank
	exceptions   []string // the settings in which a rival is significantly better, and the best one there
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

// advise chooses the label with the best average rank, or among equals the one with the
// highest mean rate, and tests it against the others as the tables do.
func (p *Plan) advise() *recommendation {
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
	a := &recommendation{Plan: p, best: order[0], fewest: math.MaxInt}
	for _, i := range order[1:] {
		a.rivals = append(a.rivals, rival{label: i})
	}
	for _, j := range k.Columns {
		a.compareIn(j)
	}
	return a
}

// compareIn tests the best label against its rivals in column j.
func (a *recommendation) compareIn(j int) {
	best := a.Cells[a.best][j]
	var tests []*Comparison
	var tested []*rival
	for n := range a.rivals {
		r := &a.rivals[n]
		if t := compareRuns(a.Cells[r.label][j].runs, best.runs, len(a.rivals)); t != nil {
			tests, tested = append(tests, t), append(tested, r)
		}
	}
	adjust(tests)
	better, most := "", 0.0
	for n, t := range tests {
		a.fewest, a.most = min(a.fewest, t.Pairs), max(a.most, t.Pairs)
		if t.Adjusted > level {
			continue
		}
		r := tested[n]
		r.significant++
		switch d := a.Cells[r.label][j].Mean - best.Mean; {
		case d < 0:
			r.losses++
			if t.Test != wilcoxon || fixedSplit(a.Columns[j]) || !(t.Overlap > level) {
				r.confirmed++
			}
		case d > 0:
			r.wins++
			if d > most {
				better, most = a.Labels[r.label].Name, d
			}
		}
	}
	if better != "" {
		a.exceptions = append(a.exceptions, fmt.Sprintf("%s on %s (by %s points)", better, a.Columns[j], tenths(most)))
	}
}

// choice names the method to take.
func (a *recommendation) choice() string {
	k := &a.Ranking
	name := a.Labels[a.best].Name
	if len(k.Columns) == 1 {
		j := k.Columns[0]
		return fmt.Sprintf("For %s, take %s: it names %s %% of the test images correctly, the highest rate of %s.",
			a.Columns[j], name, tenths(a.Cells[a.best][j].Mean), legible.Count(len(k.Labels), "method"))
	}
	highest := 0
	for _, j := range k.Columns {
		if a.Cells[a.best][j].Best {
			highest++
		}
	}
	take := "For data like these, take"
	if k.Friedman != nil && a.near() == len(a.rivals) {
		take = "Average ranks decide nothing here: no method is significantly different from the first (Nemenyi's test). If you have to choose, take"
	}
	return fmt.Sprintf("%s %s: of %s it has the best average rank, %s, over %s, and the highest rate in %d of them.",
		take, name, legible.Count(len(k.Labels), "method"), fixed(k.meanRank(a.best), 2), legible.Count(len(k.Columns), "setting"), highest)
}

// ties returns the rivals that differ significantly from the best label in no setting.
func (a *recommendation) ties() (all []rival) {
	for _, r := range a.rivals {
		if r.significant == 0 {
			all = append(all, r)
		}
	}
	return all
}

// closest returns the rival that is significantly worse in the fewest settings, among
// equals the one with the best rank.
func (a *recommendation) closest() rival {
	return slices.MinFunc(a.rivals, func(r, s rival) int { return cmp.Compare(r.losses, s.losses) })
}

// doubt is a sentence for the case that each rival is significantly worse than the best
// label: how many of these findings the test that allows for overlapping splits confirms.
// A rival counts if all of its losses are confirmed or, unless all is set, one of them.
// The sentence is "" if all rivals count.
func (a *recommendation) doubt(all bool) string {
	n := 0
	for _, r := range a.rivals {
		if r.confirmed == r.losses || !all && r.confirmed > 0 {
			n++
		}
	}
	const test = " The corrected t-test, which allows for the overlap of the random splits, "
	switch {
	case n == len(a.rivals):
		return ""
	case len(a.rivals) == 1:
		return test + "does not confirm this."
	case n == 0:
		return test + "confirms this for none of them."
	}
	return test + fmt.Sprintf("confirms this for %d of them.", n)
}

// near is the number of rivals whose average rank is not significantly different from
// that of the best label.
func (a *recommendation) near() int { return a.Ranking.near(a.best) }

// certainty says how many methods are significantly worse than the best one, which ones
// are not significantly different, and which one is closest.
func (a *recommendation) certainty() string {
	worse, everywhere := 0, 0
	settings := len(a.Ranking.Columns)
	for _, r := range a.rivals {
		if r.losses > 0 {
			worse++
		}
		if r.losses == settings {
			everywhere++
		}
	}
	where, tests := " in at least one setting", fmt.Sprintf("paired tests in each setting, level %g", level)
	if settings == 1 {
		where, tests = "", fmt.Sprintf("paired tests, level %g", level)
	}
	name, n := a.Labels[a.best].Name, len(a.rivals)
	switch {
	case everywhere == n:
		sure, every, doubt := "sure", "", a.doubt(true)
		switch {
		case doubt != "" && !slices.ContainsFunc(a.rivals, func(r rival) bool { return r.confirmed > 0 }):
			sure = "not sure"
		case doubt != "" || a.fewest < leastPairs(n):
			sure = "fairly sure"
		}
		if settings > 1 {
			every = " in every setting"
		}
		return fmt.Sprintf("This is %s: %s significantly worse%s (%s).%s", sure, others(n), every, tests, doubt)
	case worse == 0:
		return fmt.Sprintf("This is not sure: no other method is significantly worse (%s), so these are ties: %s.",
			tests, few(append([]string{name}, a.names(a.rivals)...)))
	}
	if i := slices.IndexFunc(a.rivals, func(r rival) bool { return r.wins > 0 && r.losses == 0 }); i >= 0 {
		return fmt.Sprintf("This is not sure: consider %s, which is significantly better in %s and significantly worse in none (%s).",
			a.names(a.rivals[i : i+1])[0], legible.Count(a.rivals[i].wins, "setting"), tests)
	}
	s := fmt.Sprintf("This is fairly sure: %s significantly worse%s (%s).", others(n), where, tests)
	switch near, doubt := a.near(), a.doubt(false); {
	case worse == n && near > 0:
		s = fmt.Sprintf("This is not sure: %s significantly worse%s (%s), but the average ranks of %d are not significantly different (Nemenyi's test).",
			others(n), where, tests, near)
	case worse == n && doubt != "":
		s = fmt.Sprintf("This is not sure: %s significantly worse%s (%s).%s", others(n), where, tests, doubt)
	case worse < n:
		as := "1 is"
		if n-worse > 1 {
			as = fmt.Sprintf("%d are", n-worse)
		}
		s = fmt.Sprintf("This is not sure: of the other %d, %s not significantly worse%s (%s).", n, as, strings.Replace(where, "at least one", "any", 1), tests)
	}
	if ties := a.names(a.ties()); len(ties) > 0 {
		return s + fmt.Sprintf(" Not significantly different from %s, a tie: %s.", name, few(ties))
	}
	r := a.closest()
	return s + fmt.Sprintf(" The closest is %s: significantly worse in %d of %s.", a.Labels[r.label].Name, r.losses, legible.Count(settings, "setting"))
}

func others(n int) string {
	if n == 1 {
		return "the other method is"
	}
	return fmt.Sprintf("each of the other %d is", n)
}

func (a *recommendation) names(rivals []rival) (names []string) {
	for _, r := range rivals {
		names = append(names, a.Labels[r.label].Name)
	}
	return names
}

// exceptional names the settings in which another method is significantly better, and
// the best one there.
func (a *recommendation) exceptional() string {
	n := len(a.exceptions)
	if n == 0 {
		return ""
	}
	list := a.exceptions
	if n > 3 {
		list = append(slices.Clone(list[:3]), fmt.Sprintf("%d more", n-3))
	}
	return "In " + legible.Count(n, "setting") + " another method is significantly better: " + join(list) + "."
}

// evidence says how many runs the tests have.
func (a *recommendation) evidence() string {
	fewest, most := a.fewest, a.most
	if most == 0 {
		return "Nothing is tested, since no two methods have runs of equal splits."
	}
	runs := legible.Count(fewest, "run")
	if most > fewest {
		runs = fmt.Sprintf("%d to %d runs", fewest, most)
	}
	s := "Each setting has " + runs
	if len(a.Ranking.Columns) == 1 {
		s = "The setting has " + runs
	}
	enough := leastPairs(len(a.rivals))
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
func (a *recommendation) cost(timed *Plan) (sentences []string) {
	candidates := a.ties()
	tied := len(candidates) > 0
	tie := "is as accurate, as far as these tests can tell, and "
	if !tied {
		candidates, tie = []rival{a.closest()}, "is "
	}
	if timed == nil {
		timed = a.Plan
	}
	remark := ""
	if !timed.alone() {
		remark = " (measured with several runs at a time)"
	}
	name := a.Labels[a.best].Name
	i, times := a.cheapest(candidates, timed, func(c *Cell) float64 {
		return c.median(func(r *experiment.Record) float64 { return r.Cost.FitSeconds + r.Cost.CodeSeconds })
	})
	switch {
	case times >= largeRatio:
		sentences = append(sentences, fmt.Sprintf("%s %s%s times as fast as %s to train and test%s.", a.Labels[i].Name, tie, fixed(times, 0), name, remark))
	case times > 0 && tied:
		sentences = append(sentences, fmt.Sprintf("No tied method is more than twice as fast as %s to train and test%s.", name, remark))
	}
	if i, times := a.cheapest(candidates, timed, (*Cell).memory); times >= largeRatio {
		sentences = append(sentences, fmt.Sprintf("%s needs %s %% of the memory of %s.", a.Labels[i].Name, fixed(100/times, 0), name))
	}
	return sentences
}

// cheapest returns the candidate with the smallest measure, as a label of a, and how many
// times as large the measure of the best label is: a geometric mean over the data sets.
func (a *recommendation) cheapest(candidates []rival, timed *Plan, measure func(*Cell) float64) (cheapest int, times float64) {
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
		for _, j := range a.Ranking.Columns {
			data := a.Columns[j].Source.Name
			mine, best := cells[[2]string{a.Labels[r.label].Name, data}], cells[[2]string{a.Labels[a.best].Name, data}]
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
