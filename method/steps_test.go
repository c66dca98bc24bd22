package method_test

import (
	"testing"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/method/methodtest"
)

// D and S of a fit, without its multipliers, are a start of the next one in the same order.
func TestGoesOnFromAFit(t *testing.T) {
	train := methodtest.Cones(4, 6, 40, 1)
	x, y := train.X, make([]string, train.Len())
	for j := range y {
		y[j] = train.Classes[train.ClassOf(j)]
	}
	m := method.DefaultFDDL
	m.Passes = 8
	fit, err := classify.Learn(t.Context(), x, y, m, classify.LearnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o := classify.LearnOptions{Start: classify.Start{D: fit.D, S: fit.S}}
	next, err := classify.Learn(t.Context(), x, y, m, o)
	if err != nil {
		t.Fatal(err)
	}
	if end := fit.Objective[7]; next.Objective[0] > end*(1+1e-9) || fit.Objective[0] <= end {
		t.Errorf("the first fit goes from %v to %v, the next one begins with %v", fit.Objective[0], end, next.Objective[0])
	}
}

// Parameters under which the state of a method has more than by default, such as samples
// that keep their codes, leave it complete.
func TestGoesOnFromItsState(t *testing.T) {
	few := map[string]string{"atoms": "3", "sparsity": "4", "init.sparsity": "2", "min_uses": "7", "passes": "12"}
	keeping := map[string]string{"monotone": "true", "min_uses": "2"}
	for _, name := range []string{"ksvd", "dksvd", "lcksvd1", "lcksvd2"} {
		m, err := method.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		m = methodtest.Set(t, m, few)
		t.Run(name, func(t *testing.T) { methodtest.GoesOn(t, m) })
		t.Run(name+" that keeps codes", func(t *testing.T) { methodtest.GoesOn(t, methodtest.Set(t, m, keeping)) })
	}
	for name, values := range map[string]map[string]string{
		"dpl": {"atoms": "3"}, "dlsi": {"atoms": "3"}, "nrdl": {"atoms": "3"}, "lcle": {"atoms": "3", "coder.sparsity": "2"},
		"nrdl-online": {"atoms": "3", "online.batch": "7", "online.idle": "1", "online.coder.l1": "0.3"},
	} {
		m, err := method.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { methodtest.GoesOn(t, methodtest.Set(t, m, values)) })
	}
}
