package experiment

import (
	"slices"
	"testing"
)

// A plan that is sent to another machine has the same runs there, in whatever order its members are.
func TestSentPlanHasTheSameRuns(t *testing.T) {
	text := "\ufeff" + `{"name": "order", "datasets": [{"name": "a", "path": "a.npz", "split": "first:2"}],
		"methods": [{"method": "nrdl", "params": {"mu": 0.001, "alpha": 2, "lambda": 0.01}, "vary": {"passes": [3, 2], "beta": [1, 0.1]}}]}`
	p, err := ParsePlan([]byte(text), "order.json")
	if err != nil {
		t.Fatal(err)
	}
	sent, err := ParseSentPlan(p.Text(), "order", p.Digests())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p.Keys(), sent.Keys()) {
		t.Errorf("%v, and there %v", p.Keys(), sent.Keys())
	}
}
