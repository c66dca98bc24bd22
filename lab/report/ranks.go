package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/lab/significance"
	"nrdl.example/nrdl/method"
)

// A Ranking compares the labels of a plan over its columns.
type Ranking struct {
	Columns  []int                      // used for the ranking
	Labels   []int                      // ranked: those complete in all these columns
	Mean     []float64                  // rank of each of these labels, 1 is best
	Friedman *significance.FriedmanTest // nil with fewer than 2 columns or labels
	CD       float64                    // Nemenyi's critical difference; 0 if Friedman is nil
}

// rank ranks the labels that are complete in all ranked columns. A column is ranked if
// more than half of the labels are complete in it.
func (p *Plan) rank() {
	k := &p.Ranking
	for j := range p.Columns {
		complete := 0
		for i := range p.Labels {
			if p.Cells[i][j].Complete() {
				complete++
			}
		}
		if 2*complete > len(p.Labels) {
			k.Columns = append(k.Columns, j)
		}
	}
	if len(k.Columns) == 0 {
		return
	}
	for i := range p.Labels {
		if !slices.ContainsFunc(k.Columns, func(j int) bool { return !p.Cells[i][j].Complete() }) {
			k.Labels = append(k.Labels, i)
		}
	}
	if len(k.Labels) < 2 {
		k.Labels, k.Columns = nil, nil
		return
	}
	rates := k.rates(p)
	for n, row := range rates {
		for l, r := range significance.Ranks(row) {
			p.Cells[k.Labels[l]][k.Columns[n]].Rank = r
		}
	}
	k.test(rates)
	p.Families = p.family()
}

// minRanked is the least number of settings whose ranks have a mean: of one or two it says less than
// the rates.
const minRanked = 3

// averaged reports whether methods are compared by their average ranks.
func (p *Plan) averaged() bool {
	return len(p.Ranking.Labels) > 1 && len(p.Ranking.Columns) >= minRanked
}

// rates returns the mean rates of the ranked labels, a row for each column.
func (k *Ranking) rates(p *Plan) (rates [][]float64) {
	for _, j := range k.Columns {
		row := make([]float64, len(k.Labels))
		for n, i := range k.Labels {
			row[n] = p.Cells[i][j].Mean
		}
		rates = append(rates, row)
	}
	return rates
}

// test sets the mean ranks of the labels and, of two columns or more, the test over them.
func (k *Ranking) test(rates [][]float64) {
	k.Mean = make([]float64, len(k.Labels))
	for _, row := range rates {
		for n, r := range significance.Ranks(row) {
			k.Mean[n] += r / float64(len(rates))
		}
	}
	f, err := significance.Friedman(rates)
	if err != nil { // one column
		return
	}
	if cd, err := significance.CriticalDifference(len(k.Labels), len(rates), level); err == nil {
		k.Friedman, k.CD, k.Mean = &f, cd, f.MeanRanks
	}
}

// meanRank is the mean rank of label i; NaN if it is not ranked.
func (k *Ranking) meanRank(i int) float64 {
	if n := slices.Index(k.Labels, i); n >= 0 {
		return k.Mean[n]
	}
	return math.NaN()
}

// drawnRanks is the ranking without the labels of maps: they may be dozens.
func (p *Plan) drawnRanks() *Ranking {
	k := p.Ranking
	k.Labels, k.Mean = nil, nil
	for n, i := range p.Ranking.Labels {
		if !p.Labels[i].onMap() {
			k.Labels, k.Mean = append(k.Labels, i), append(k.Mean, p.Ranking.Mean[n])
		}
	}
	return &k
}

// near is the number of other labels whose mean rank is worse than that of label i by
// less than the critical difference, or better; 0 if ranks are not tested.
func (k *Ranking) near(i int) (n int) {
	for l, rank := range k.Mean {
		if k.Friedman != nil && k.Labels[l] != i && rank-k.meanRank(i) < k.CD {
			n++
		}
	}
	return n
}

// order returns the ranked labels, the best first; equals keep their order.
func (k *Ranking) order() []int {
	order := slices.Clone(k.Labels)
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := k.meanRank(a), k.meanRank(b); {
		case equalRanks(x, y):
			return 0
		case x < y:
			return -1
		}
		return 1
	})
	return order
}

// equalRanks allows for rounding: mean ranks are multiples of 1/2n.
func equalRanks(x, y float64) bool { return math.Abs(x-y) < 1e-9 }

// leftOut names the labels and columns that are not ranked, and the reason.
func (p *Plan) leftOut() string {
	var labels, columns []string
	for i, l := range p.Labels {
		if len(p.Ranking.Columns) > 0 && !slices.Contains(p.Ranking.Labels, i) {
			labels = append(labels, l.Name)
		}
	}
	for j, c := range p.Columns {
		if !slices.Contains(p.Ranking.Columns, j) {
			columns = append(columns, c.String())
		}
	}
	var s []string
	if len(columns) > 0 {
		s = append(s, "Not ranked over, since half of the methods or more lack runs there: "+strings.Join(columns, "; ")+".")
	}
	if len(labels) > 0 {
		s = append(s, "Not ranked, since they lack runs in a setting: "+strings.Join(labels, "; ")+".")
	}
	return strings.Join(s, " ")
}

// ranked is the number of data sets of the ranked columns.
func (p *Plan) ranked() int {
	data := map[string]bool{}
	for _, j := range p.Ranking.Columns {
		data[p.Columns[j].Source.Name] = true
	}
	return len(data)
}

// overall describes the test over columns.
func (p *Plan) overall() string {
	k := &p.Ranking
	if k.Friedman == nil {
		return ""
	}
	f := k.Friedman
	s := fmt.Sprintf("Friedman's test over %s and %s: χ² = %.2f, p %s; Iman and Davenport: %s, p %s. ",
		legible.Count(len(k.Columns), "setting"), legible.Count(len(k.Labels), "method"), f.ChiSquared,
		relation(f.P), fValue(f.F), relation(f.PF))
	s += fmt.Sprintf("Nemenyi's critical difference of average ranks at level %g: %.2f.", level, k.CD)
	if p.ranked() < len(k.Columns) {
		s += " Settings of one data set are not independent, as the test takes them to be: its p-values are too small."
	}
	return s
}

func fValue(f float64) string {
	if math.IsInf(f, 1) {
		return "F = ∞"
	}
	return fmt.Sprintf("F = %.2f", f)
}

// minP is the smallest p-value that is written as a number.
const minP = 1e-4

// pValue formats p with two digits, or as a bound.
func pValue(p float64) string {
	if p < minP {
		return fmt.Sprintf("< %.4f", minP)
	}
	return fmt.Sprintf("%.2g", p)
}

// relation formats p with a relation: "= 0.03" or "< 0.0001".
func relation(p float64) string {
	if p < minP {
		return pValue(p)
	}
	return "= " + pValue(p)
}

// family ranks the best label of each family of methods. Methods that differ little take
// ranks from each other, and every further one makes the critical difference larger.
func (p *Plan) family() Ranking {
	k := &p.Ranking
	of := Ranking{Columns: k.Columns}
	seen := map[string]bool{}
	for _, i := range k.order() {
		if name := p.familyOf(i); !seen[name] {
			seen[name] = true
			of.Labels = append(of.Labels, i)
		}
	}
	if len(of.Labels) < 3 || len(of.Labels) == len(k.Labels) {
		return Ranking{}
	}
	slices.Sort(of.Labels)
	of.test(of.rates(p))
	return of
}

// familyOf is the family of the method of label i, or the method itself.
func (p *Plan) familyOf(i int) string {
	name := p.Labels[i].Method
	m, err := method.Named(name)
	if err != nil { // programs are methods of their own, and have one name for all
		return p.Labels[i].Name
	}
	return cmp.Or(classify.TraitsOf(m).Family, name)
}

// familyRanks lists the ranks of the families, the best first.
func (p *Plan) familyRanks() string {
	k := &p.Families
	if len(k.Labels) == 0 {
		return ""
	}
	var ranks []string
	for _, i := range k.order() {
		ranks = append(ranks, fmt.Sprintf("%s %s", p.Labels[i].Name, fixed(k.meanRank(i), 2)))
	}
	s := fmt.Sprintf(
		"A family is methods that are variants of one another: %s. The one with the best average rank above stands for "+
			"its family, which favours families with many members. Ranked again among these %d: %s.", p.families(), len(k.Labels), few(ranks))
	if k.Friedman != nil {
		s += fmt.Sprintf(" The critical difference of these %s is %s.", legible.Count(len(k.Labels), "method"), fixed(k.CD, 2))
	}
	return s
}

// families lists the families with several of the ranked methods, the best first.
func (p *Plan) families() string {
	members := map[string][]string{}
	var names, lists []string
	for _, i := range p.Ranking.order() {
		name := p.familyOf(i)
		if len(members[name]) == 0 {
			names = append(names, name)
		}
		members[name] = append(members[name], p.Labels[i].Name)
	}
	for _, name := range names {
		if m := members[name]; len(m) > 1 {
			lists = append(lists, strings.Join(m, " and "))
		}
	}
	return strings.Join(lists, "; ")
}
