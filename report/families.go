package report

import (
	"cmp"
	"fmt"
	"slices"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/method"
)

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
	if err != nil {
		return name
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
	s := fmt.Sprintf("One method a family, the one with the best average rank above (which favours families with many members): %s.", few(ranks))
	if k.Friedman != nil {
		s += fmt.Sprintf(" The critical difference of these %s is %s.", legible.Count(len(k.Labels), "method"), fixed(k.CD, 2))
	}
	return s
}

// tells says in plain words what the ranks of one method a family can tell and what not.
func (p *Plan) tells() string {
	k := &p.Families
	if len(k.Labels) == 0 {
		k = &p.Ranking
	}
	if k.Friedman == nil || len(k.Labels) < 3 || !slices.ContainsFunc(k.Columns, func(j int) bool { return p.Columns[j].Title != p.Columns[k.Columns[0]].Title }) {
		return "" // ranks on one set say nothing of others
	}
	order := k.order()
	first := p.Labels[order[0]].Name
	var near, far []string
	for _, i := range order[1:] {
		if k.meanRank(i)-k.meanRank(order[0]) < k.CD {
			near = append(near, p.Labels[i].Name)
		} else {
			far = append(far, p.Labels[i].Name)
		}
	}
	settings := legible.Count(len(k.Columns), "setting")
	can := fmt.Sprintf("What these %s can tell: ", settings)
	if len(far) == 0 {
		can += fmt.Sprintf("nothing about who is first; %s is first here, and chance may have put it there.", first)
	} else {
		can += fmt.Sprintf("%s is better than %s on sets like these, beyond what chance explains.", first, few(far))
	}
	if len(near) == 0 {
		return can
	}
	return can + fmt.Sprintf(" What they cannot tell: whether %s is better than %s. That takes more sets.", first, few(near))
}
