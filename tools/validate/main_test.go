package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/method"
)

func drawn(t testing.TB) *dataset.Images {
	t.Helper()
	s := synthetic.Default
	s.People, s.PerPerson, s.Input = 5, 8, dataset.Size{Height: 12, Width: 10}
	set, err := s.Draw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func split(t testing.TB, s string) dataset.Split {
	t.Helper()
	p, err := dataset.ParseSplit(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSettings(t *testing.T) {
	axes, err := parseGrid(" a=1,2  b.c=x ")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(settings(axes)); got != "[[a=1 b.c=x] [a=2 b.c=x]]" {
		t.Error(got)
	}
	if got := settings(nil); len(got) != 1 || got[0] != nil {
		t.Error(got)
	}
	for _, text := range []string{"a", "=1", "a="} {
		if _, err := parseGrid(text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

// Nothing of what is found depends on a test image: those of the split hold no
// number at all, which every method refuses.
func TestNoTestImageIsSeen(t *testing.T) {
	for _, name := range []string{"first:4", "random:4"} {
		set := drawn(t)
		axes, err := parseGrid("kappa=0.001,10")
		if err != nil {
			t.Fatal(err)
		}
		s := search{axes: axes, split: split(t, name), folds: 2, repeats: 1}
		results, err := s.run(t.Context(), set, method.DefaultCRC)
		if err != nil {
			t.Fatal(err)
		}
		_, test, err := s.split.Apply(set, 0)
		if err != nil {
			t.Fatal(err)
		}
		d, _ := set.X.Dims()
		for _, j := range test {
			for i := range d {
				set.X.Set(i, j, math.NaN())
			}
		}
		again, err := s.run(t.Context(), set, method.DefaultCRC)
		if err != nil {
			t.Fatal(err)
		}
		for i := range results {
			if fmt.Sprint(results[i].rates()) != fmt.Sprint(again[i].rates()) || len(results[i].runs) != 2 {
				t.Errorf("%s, %v: rates %v, then %v", name, results[i].setting, results[i].rates(), again[i].rates())
			}
		}
	}
}

// The table has a row for every setting, and a setting that cannot be learned
// says why.
func TestTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "faces.mat")
	if err := dataset.Save(t.Context(), path, drawn(t)); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	args := []string{"-data", path, "-split", "first:4", "-method", "nrc", "-set", "coder.solver=admm", "-grid", "coder.rho=0.1,-1,100"}
	if err := run(t.Context(), &out, args); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 8 || !strings.HasPrefix(lines[6], "| -1 | — ") || !strings.Contains(lines[6], "rho") ||
		strings.Count(out.String(), "**") != 2 {
		t.Errorf("table:\n%s", &out)
	}
	if !strings.Contains(lines[0], "4 folds, learning from 15 images and judging by 5") {
		t.Error(lines[0])
	}
	for _, args := range [][]string{
		{"-method", "nrc"},
		{"-data", path, "-method", "none"},
		{"-data", path, "-grid", "nothing=1"},
		{"-data", path, "-preset", "nowhere"},
		{"-data", path, "-method", "nrc", "-grid", "coder.rho=-1"},
		{"-data", path, "-repeats", "0"},
		{"-data", path, "stray"},
	} {
		if err := run(t.Context(), &out, args); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}
