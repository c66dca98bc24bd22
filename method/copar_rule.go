package method

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// The rules of COPAR.
const (
	globalRule = "global"
	localRule  = "local"
)

func (m COPAR) ruleIsKnown() error {
	if m.Rule != globalRule && m.Rule != localRule {
		return fmt.Errorf("rule = %q is neither %q nor %q", m.Rule, globalRule, localRule)
	}
	return nil
}

func (s *coparState) codes() (*mat.Dense, error) {
	if s.Rule == globalRule {
		return s.S, nil
	}
	rows, groups := s.withCommon()
	_, n := s.S.Dims()
	own, all := s.atoms[len(s.atoms)-1], mat.NewDense(len(rows), n, nil)
	for c := range s.classes() {
		for i := groups[c]; i < groups[c+1]; i++ {
			from, to := 0, n
			if rows[i] >= own { // a common atom serves the samples of its copy's class
				from, to = s.samples[c], s.samples[c+1]
			}
			copy(all.RawRowView(i)[from:to], s.S.RawRowView(rows[i])[from:to])
		}
	}
	return all, nil
}

// withCommon returns, for each class, the rows of its atoms and of the common ones, and
// the groups of these.
func (s *coparState) withCommon() (rows, groups []int) {
	groups = []int{0}
	for c := range s.classes() {
		rows = append(rows, s.shared(c)...)
		groups = append(groups, len(rows))
	}
	return rows, groups
}
