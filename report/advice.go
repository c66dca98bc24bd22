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

// much is the least ratio of times or memory that is worth telling.
const much = 2

// Advice says in a few sentences which method to take for the data of p, how sure
// that is, and which methods are as accurate and cheaper, by the times of the plan
// timed. It is "" if p has one method.
func (p *Plan) Advice(timed *Plan) string {
	k := &p.Ranking
	switch {
	case len(p.Labels) < 2:
		return ""
	case len(k.Labels) < 2:
		return "No advice yet: too few methods have all their runs in the same settings."
	}
	a := p.advise()
	s := []string{a.choice(), a.certainty(), a.exceptions(), a.evidence()}
	s = append(s, a.cost(timed)...)
	return strings.Join(slices.DeleteFunc(s, func(s string) bool { return s == "" }), " ")
}

// A recommendation compares the best label of a plan with each other ranked one.
type recommendation struct {
	*Plan
	best   int
	others []int               // ranked labels but best, by rank
	result map[int][]comparing // of each of others, by ranked column
}

// A comparing is the result of a label against the best one in a column.
type comparing struct {
	column, pairs int
	difference    float64 // of the label from the best one, in points
	significant   bool
	overlapping   bool // significant only if the overlap of random splits is not allowed for
}

// advise chooses the label with the best average rank, and of equals the one with the
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
		if equalRanks(k.of(i), k.of(order[0])) && mean(i) > mean(order[0])+least {
			order[0], order[n] = order[n], order[0]
		}
	}
	a := &recommendation{Plan: p, best: order[0], others: order[1:], result: map[int][]comparing{}}
	for _, j := range k.Columns {
		var tests []*Comparison
		var of []int
		best := p.Cells[a.best][j]
		for _, i := range a.others {
			if t := compareRuns(p.Cells[i][j].runs, best.runs, len(a.others)); t != nil {
				tests, of = append(tests, t), append(of, i)
			}
		}
		adjust(tests)
		for n, t := range tests {
			i := of[n]
			significant := t.Adjusted <= level
			a.result[i] = append(a.result[i], comparing{
				j, t.Pairs, p.Cells[i][j].Mean - best.Mean, significant,
				significant && t.Test == wilcoxon && !fixedSplit(p.Columns[j]) && t.Overlap > level,
			})
		}
	}
	return a
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
	if k.Friedman != nil && a.near() == len(a.others) {
		take = "Average ranks decide nothing here: no method is significantly different from the first (Nemenyi's test). If you have to choose, take"
	}
	return fmt.Sprintf("%s %s: of %s it has the best average rank, %s, over %s, and the highest rate in %d of them.",
		take, name, legible.Count(len(k.Labels), "method"), fixed(k.of(a.best), 2), legible.Count(len(k.Columns), "setting"), highest)
}

// alike are the labels that differ from the best one significantly in no setting.
func (a *recommendation) alike() (labels []int) {
	for _, i := range a.others {
		if !slices.ContainsFunc(a.result[i], func(c comparing) bool { return c.significant }) {
			labels = append(labels, i)
		}
	}
	return labels
}

// losses is in how many settings label i is significantly worse than the best one.
func (a *recommendation) losses(i int) int { return len(a.lost(i)) }

// lost are the comparisons in which label i is significantly worse than the best one.
func (a *recommendation) lost(i int) (lost []comparing) {
	for _, c := range a.result[i] {
		if c.significant && c.difference < 0 {
			lost = append(lost, c)
		}
	}
	return lost
}

// doubt says for how many of the others, which are all worse than the best one by a test,
// the test that allows for the overlap of random splits confirms that, in all settings
// where they are worse or else in any; "" if for all.
func (a *recommendation) doubt(all bool) string {
	n := 0
	for _, i := range a.others {
		lost := a.lost(i)
		confirmed := len(lost)
		for _, c := range lost {
			if c.overlapping {
				confirmed--
			}
		}
		if confirmed == len(lost) || !all && confirmed > 0 {
			n++
		}
	}
	const test = " The corrected t-test, which allows for the overlap of the random splits, "
	switch {
	case n == len(a.others):
		return ""
	case len(a.others) == 1:
		return test + "does not confirm this."
	case n == 0:
		return test + "confirms this for none of them."
	}
	return test + fmt.Sprintf("confirms this for %d of them.", n)
}

// closest is the label that is significantly worse in the fewest settings, of equals
// the one of the best rank.
func (a *recommendation) closest() int {
	return slices.MinFunc(a.others, func(i, j int) int { return cmp.Compare(a.losses(i), a.losses(j)) })
}

// wins is in how many settings label i is significantly better than the best one.
func (a *recommendation) wins(i int) (n int) {
	for _, c := range a.result[i] {
		if c.significant && c.difference > 0 {
			n++
		}
	}
	return n
}

// better is the first label that is significantly better than the best one in a
// setting and worse in none, or −1.
func (a *recommendation) better() int {
	for _, i := range a.others {
		if a.wins(i) > 0 && a.losses(i) == 0 {
			return i
		}
	}
	return -1
}

// near is how many of the others have an average rank that is not significantly
// different from that of the best one, as far as ranks are tested.
func (a *recommendation) near() (n int) {
	k := &a.Ranking
	for _, i := range a.others {
		if k.Friedman != nil && k.of(i)-k.of(a.best) < k.CD {
			n++
		}
	}
	return n
}

// certainty says how many methods are significantly worse than the best one, from
// which it is not significantly different, and which is closest.
func (a *recommendation) certainty() string {
	worse, everywhere := 0, 0
	settings := len(a.Ranking.Columns)
	for _, i := range a.others {
		switch n := a.losses(i); {
		case n == settings:
			everywhere++
			worse++
		case n > 0:
			worse++
		}
	}
	where := ""
	if settings > 1 {
		where = " in at least one setting"
	}
	name, n := a.Labels[a.best].Name, len(a.others)
	tests := fmt.Sprintf("paired tests, level %g", level)
	switch {
	case everywhere == n:
		sure, every, doubt := "sure", "", a.doubt(true)
		if few, _ := a.pairs(); doubt != "" || few < leastPairs(n) {
			sure = "fairly sure"
		}
		if settings > 1 {
			every = " in every setting"
		}
		return fmt.Sprintf("This is %s: %s significantly worse%s (%s).%s", sure, others(n), every, tests, doubt)
	case worse == 0:
		return fmt.Sprintf("This is not sure: no other method is significantly worse (%s), so these are ties: %s.", tests, join(a.names(append([]int{a.best}, a.others...))))
	}
	if i := a.better(); i >= 0 {
		return fmt.Sprintf("This is not sure: consider %s, which is significantly better in %s and significantly worse in none (%s).",
			a.Labels[i].Name, legible.Count(a.wins(i), "setting"), tests)
	}
	s := fmt.Sprintf("This is fairly sure: %s significantly worse%s (%s).", others(n), where, tests)
	switch near, doubt := a.near(), a.doubt(false); {
	case worse == n && near > 0:
		s = fmt.Sprintf("This is not sure: %s significantly worse%s (%s), but the average ranks of %d are not significantly different (Nemenyi's test).",
			others(n), where, tests, near)
	case worse == n && doubt != "":
		s = fmt.Sprintf("This is not sure: %s significantly worse%s (%s).%s", others(n), where, tests, doubt)
	case worse < n:
		s = fmt.Sprintf("This is not sure: only %d of the other %d are significantly worse%s (%s).", worse, n, where, tests)
	}
	if alike := a.names(a.alike()); len(alike) > 0 {
		return s + fmt.Sprintf(" Not significantly different from %s, a tie: %s.", name, join(alike))
	}
	i := a.closest()
	return s + fmt.Sprintf(" The closest is %s: significantly worse in %d of %s.", a.Labels[i].Name, a.losses(i), legible.Count(settings, "setting"))
}

func others(n int) string {
	if n == 1 {
		return "the other method is"
	}
	return fmt.Sprintf("each of the other %d is", n)
}

func (a *recommendation) names(labels []int) (names []string) {
	for _, i := range labels {
		names = append(names, a.Labels[i].Name)
	}
	return names
}

// exceptions names the settings in which another method is significantly better, and
// the best one there.
func (a *recommendation) exceptions() string {
	var says []string
	for _, j := range a.Ranking.Columns {
		best, most := -1, 0.0
		for _, i := range a.others {
			for _, c := range a.result[i] {
				if c.column == j && c.significant && c.difference > most {
					best, most = i, c.difference
				}
			}
		}
		if best >= 0 {
			says = append(says, fmt.Sprintf("%s on %s (by %s points)", a.Labels[best].Name, a.Columns[j], tenths(most)))
		}
	}
	if says == nil {
		return ""
	}
	settings := legible.Count(len(says), "setting")
	if len(says) > 3 {
		says = append(says[:3], fmt.Sprintf("%d more", len(says)-3))
	}
	return "In " + settings + " another method is significantly better: " + join(says) + "."
}

// pairs is on how many pairs of runs the tests rest, at least and at most.
func (a *recommendation) pairs() (fewest, most int) {
	fewest = math.MaxInt
	for _, all := range a.result {
		for _, c := range all {
			fewest, most = min(fewest, c.pairs), max(most, c.pairs)
		}
	}
	return fewest, most
}

// evidence says on how many runs the tests rest.
func (a *recommendation) evidence() string {
	fewest, most := a.pairs()
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
	enough := leastPairs(len(a.others))
	switch {
	case most < enough:
		return s + ": few, so that only large differences are significant, and other splits may give another order."
	case fewest < enough:
		return s + "; where they are few, only large differences are significant, and other splits may give another order."
	}
	return s + "."
}

// cost says which of the methods that tie with the best one, or whether the closest if
// none ties, takes much less time or memory, by the cells of timed, or of the plan
// itself if that is nil.
func (a *recommendation) cost(timed *Plan) (says []string) {
	labels := a.alike()
	tie := "is as accurate, as far as these tests can tell, and "
	if len(labels) == 0 {
		labels, tie = []int{a.closest()}, "is "
	}
	if timed == nil {
		timed = a.Plan
	}
	how := ""
	if !timed.alone() {
		how = " (measured with several runs at a time)"
	}
	name := a.Labels[a.best].Name
	i, times := a.cheapest(labels, timed, func(c *Cell) float64 {
		return c.median(func(r *experiment.Record) float64 { return r.Cost.FitSeconds + r.Cost.CodeSeconds })
	})
	switch {
	case times >= much:
		says = append(says, fmt.Sprintf("%s %s%s times as fast as %s to train and test%s.", a.Labels[i].Name, tie, fixed(times, 0), name, how))
	case times > 0 && len(a.alike()) > 0:
		says = append(says, fmt.Sprintf("None of the ties is %d times as fast as %s to train and test%s.", much, name, how))
	}
	if i, times := a.cheapest(labels, timed, (*Cell).memory); times >= much {
		says = append(says, fmt.Sprintf("%s needs %s %% of the memory of %s.", a.Labels[i].Name, fixed(100/times, 0), name))
	}
	return says
}

// cheapest returns the one of labels of which a measure is the least part of that of
// the best label, and how many times that is: a geometric mean over the data sets.
func (a *recommendation) cheapest(labels []int, timed *Plan, measure func(*Cell) float64) (cheapest int, times float64) {
	cells := map[[2]string]*Cell{}
	for i, l := range timed.Labels {
		for j, c := range timed.Columns {
			if key := [2]string{l.Name, c.Source.Name}; cells[key] == nil && timed.Cells[i][j].N > 0 {
				cells[key] = timed.Cells[i][j]
			}
		}
	}
	for _, i := range labels {
		sum, n := 0.0, 0
		for _, j := range a.Ranking.Columns {
			data := a.Columns[j].Source.Name
			mine, best := cells[[2]string{a.Labels[i].Name, data}], cells[[2]string{a.Labels[a.best].Name, data}]
			if mine == nil || best == nil {
				continue
			}
			if x, y := measure(mine), measure(best); x > 0 && y > 0 {
				sum += math.Log(y / x)
				n++
			}
		}
		if t := math.Exp(sum / float64(n)); n > 0 && t > times {
			cheapest, times = i, t
		}
	}
	return cheapest, times
}
