package method

import (
	"testing"

	"nrdl.example/nrdl/classify"
)

// newTask is what a fit on train starts from, with so many atoms per class.
func newTask(t testing.TB, train *classify.Samples, atoms int) *task {
	t.Helper()
	groups, err := atomGroups(train, atoms)
	if err != nil {
		t.Fatal(err)
	}
	return &task{Samples: train, ctx: t.Context(), x: classify.Unit(train.X), groups: groups}
}
