package main

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"nrdl"
	"nrdl/dataset"
	"nrdl/internal/significance"
)

// The tests are those of package significance, on the rates counted.
func TestConclusions(t *testing.T) {
	s := study{splits: 4, comparisons: []comparison{
		{Idea: "a", Train: 200, N: 100, BaseWrong: []int{20, 22, 19, 21}, Wrong: []int{10, 11, 9, 12}},
		{Idea: "b", Train: 200, N: 100, BaseWrong: []int{20, 22, 19, 21}, Wrong: []int{20, 23, 18, 21}},
		{Idea: "c", Train: 1, N: 100, BaseWrong: []int{10, 11, 9, 12}, Wrong: []int{20, 22, 19, 21}},
	}}
	r, err := s.results()
	if err != nil {
		t.Fatal(err)
	}
	a := r.Comparisons[0]
	want, err := significance.PairedT([]float64{90, 89, 91, 88}, []float64{80, 78, 81, 79})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(a.P-want.P) > 1e-12 || a.Difference != 10 || a.Rate != 89.5 || a.PHolm < a.P || a.PCorrected < a.P {
		t.Errorf("%+v", a)
	}
	for i, verdict := range []string{"better", "no difference shown", "worse on these faces"} {
		if r.Comparisons[i].Verdict != verdict {
			t.Errorf("%s: %q, not %q", r.Comparisons[i].Idea, r.Comparisons[i].Verdict, verdict)
		}
	}
}

// The command tries an idea and keeps what it counted.
func TestRun(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "sets"), 0o777); err != nil {
		t.Fatal(err)
	}
	faces := dataset.DefaultSynthetic
	faces.People, faces.PerPerson, faces.Input = 4, 10, nrdl.Size{Height: 32, Width: 32}
	set, err := faces.Draw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	small := databases[0]
	if err := dataset.Save(t.Context(), filepath.Join(root, small.Path), set); err != nil {
		t.Fatal(err)
	}
	opened, in, err := small.open(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	i, err := named("fusion")
	if err != nil {
		t.Fatal(err)
	}
	s := study{ideas: i, splits: 2, progress: io.Discard}
	if err := s.judge(t.Context(), small, opened, in); err != nil {
		t.Fatal(err)
	}
	r, err := s.results()
	if err != nil {
		t.Fatal(err)
	}
	c := r.Comparisons[0]
	if len(r.Comparisons) != 1 || c.N != 8 || c.Train != 32 || len(c.Wrong) != 2 || len(c.BaseWrong) != 2 {
		t.Errorf("%+v", r)
	}
	var table, kept strings.Builder
	r.table(&table)
	if !strings.Contains(table.String(), "| LFW 32×32 | ") || !strings.Contains(table.String(), "**fusion**") {
		t.Error(table.String())
	}
	if err := r.write(&kept); err != nil {
		t.Fatal(err)
	}
	var again results
	if err := json.Unmarshal([]byte(kept.String()), &again); err != nil || !reflect.DeepEqual(again, r) {
		t.Errorf("%v: %+v is kept as %+v", err, r, again)
	}
	for _, args := range [][]string{
		{},
		{"-data", root, "-splits", "1"},
		{"-data", root, "-only", "nothing"},
		{"-data", root, "stray"},
		{"-data", filepath.Join(root, "none"), "-only", "rbf"},
	} {
		t.Setenv("NRDL_DATA", "")
		if err := run(t.Context(), io.Discard, io.Discard, args); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}
