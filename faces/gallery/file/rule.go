package file

import (
	"fmt"

	"nrdl.example/nrdl/classify"
)

// rule is the rule of a name, with what the tensors hold of it.
func (c *contents) rule(name string, weight float64) (classify.Rule, error) {
	var rule classify.Rule
	var l classify.Learned
	for _, r := range classify.Untrained {
		if r.Name() == name {
			rule = r
		}
	}
	for _, r := range classify.Trained {
		if r.Name() == name {
			l = r.Learned()
			l.Matrix, l.Weight = c.rules[l.Name], weight
			trained := r.With(l)
			rule, l = trained, trained.Learned()
		}
	}
	if rule == nil {
		return nil, fmt.Errorf("unknown rule %q", name)
	}
	for other := range c.rules {
		if other != l.Name {
			return nil, fmt.Errorf("rule %q has no use for %s", name, other)
		}
	}
	if l.Weight != weight {
		return nil, fmt.Errorf("rule %q has no use for a weight", name)
	}
	return rule, nil
}
