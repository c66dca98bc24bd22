package methodtest

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/method"
)

// parameters changes one parameter after the other: the scores must change.
func (s *suite) parameters(t *testing.T, exceptions map[string]Exception) {
	of := func(t *testing.T, m classify.Method, warm bool) *mat.Dense {
		t.Helper()
		run := classify.Run{Seed: 3}
		if warm {
			run.Warm = s.fit(t, m, s.fewer(), nil)
		}
		model, err := m.Fit(t.Context(), s.train, run)
		if err != nil {
			t.Fatal(err)
		}
		return scores(t, model, s.probe.X)
	}
	usual := scores(t, s.fitted(t), s.probe.X)
	for _, p := range method.Params(s.m) {
		t.Run(p.Path, func(t *testing.T) {
			e := exceptions[p.Path]
			if e.Skip != "" {
				t.Skip(e.Skip)
			}
			base := Set(t, s.m, e.Params)
			if e.Value == "" {
				e.Value = another(t, p)
			}
			want := usual
			if len(e.Params) > 0 || e.Warm {
				want = of(t, base, e.Warm)
			}
			if mat.Equal(want, of(t, set(t, base, p.Path, e.Value), e.Warm)) {
				t.Errorf("%s = %s changes nothing against %s", p.Path, e.Value, p.Value)
			}
		})
	}
}

// Set returns m with these parameters, by path: a coder before its own.
func Set(t *testing.T, m classify.Method, values map[string]string) classify.Method {
	t.Helper()
	for _, path := range slices.Sorted(maps.Keys(values)) {
		m = set(t, m, path, values[path])
	}
	return m
}

// another returns a value for p other than its own.
func another(t *testing.T, p method.Param) string {
	t.Helper()
	for _, c := range p.Choices {
		if c != p.Value {
			return c
		}
	}
	switch p.Value {
	case "true":
		return "false"
	case "false":
		return "true"
	}
	var v float64
	if _, err := fmt.Sscan(p.Value, &v); err != nil {
		t.Fatalf("no other value known for %s = %s", p.Path, p.Value)
	}
	if v == math.Trunc(v) {
		return fmt.Sprint(v + 1)
	}
	return fmt.Sprint(3 * v)
}

// has reports whether m has a parameter of that path.
func (s *suite) has(path string) bool {
	return slices.ContainsFunc(method.Params(s.m), func(p method.Param) bool { return p.Path == path })
}

// tooMuch asks for more than the 30 samples give. Of atoms that is an error before the first
// pass, which says so; what a number limits from above is then not limited.
func (s *suite) tooMuch(t *testing.T) {
	watch := func(classify.Progress) { t.Error("atoms = 100 is refused after a pass") }
	if s.has("atoms") {
		_, err := set(t, s.m, "atoms", "100").Fit(context.Background(), s.train, classify.Run{Watch: watch})
		if err == nil || !strings.Contains(err.Error(), "atoms = 100") {
			t.Errorf("atoms = 100 for 30 samples: %v", err)
		}
	}
	for _, path := range []string{"sparsity", "coder.sparsity", "neighbours", "coder.neighbours", "common"} {
		if !s.has(path) {
			continue
		}
		all := scores(t, s.fit(t, set(t, s.m, path, "30"), s.train, nil), s.probe.X)
		if !mat.Equal(all, scores(t, s.fit(t, set(t, s.m, path, "100"), s.train, nil), s.probe.X)) {
			t.Errorf("%s = 100 is not 30, of 30 samples", path)
		}
	}
}

// fewAtoms learns fewer atoms per class than there are samples.
func (s *suite) fewAtoms(t *testing.T) {
	if !s.has("atoms") {
		t.Skip("the samples are the atoms")
	}
	few := &suite{m: set(t, s.m, "atoms", "3"), train: s.train, probe: s.probe}
	few.learns(t)
	if k := few.fit(t, few.m, s.train, nil).Parts().Groups[5]; k != 15 {
		t.Errorf("%d atoms for 5 classes of 3", k)
	}
}

func set(t *testing.T, m classify.Method, path, value string) classify.Method {
	t.Helper()
	edited, err := method.Set(m, path, value)
	if err != nil {
		t.Fatalf("%s: %v", m.Name(), err)
	}
	return edited
}
