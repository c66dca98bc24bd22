package experiment

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestDataSetsOfAPlan(t *testing.T) {
	const text = `{"name": "p", "about": "", "seed": 1, "repeats": 1, "methods": [{"method": "nrc", "label": "NRC"}], "datasets": [
		{"name": "here", "about": "", "path": "here.npz", "split": ["half"]},
		{"name": "gone", "about": "", "path": "gone.npz", "split": ["half"]},
		{"name": "drawn", "about": "", "synthetic": {"people": 3, "per_person": 4, "size": "8x8"}, "split": ["half"]}]}`
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "here.npz"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	names := func(p *Plan) (all []string) {
		for i := range p.data {
			all = append(all, p.data[i].name)
		}
		return all
	}
	read := func() *Plan {
		p, err := ParsePlan([]byte(text), "p.json")
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := read()
	if missing := p.WithoutMissing(&Databases{Roots: []string{dir}}); len(missing) != 1 || !slices.Equal(names(p), []string{"here", "drawn"}) {
		t.Errorf("%q are missing of %q", missing, names(p))
	}
	p = read()
	if err := p.Only([]string{"GONE"}); err != nil || !slices.Equal(names(p), []string{"gone"}) {
		t.Errorf("only gone: %q, %v", names(p), err)
	}
	if missing := p.WithoutMissing(&Databases{}); len(missing) != 1 || len(p.data) != 1 {
		t.Errorf("the plan keeps %q if none is there, and says %q", names(p), missing)
	}
	if err := p.Only([]string{"here"}); err == nil {
		t.Error("a data set that the plan does not have")
	}
}
