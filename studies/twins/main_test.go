package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/experiment"
)

// drawnPlan is plan.json with these methods and their twins, for drawn faces in place of
// the databases, by the name of one of them.
func drawnPlan(t *testing.T, name string, methods []string) *experiment.Plan {
	t.Helper()
	raw, err := os.ReadFile("plan.json")
	if err != nil {
		t.Fatal(err)
	}
	var plan map[string]any
	if err := json.Unmarshal(raw, &plan); err != nil {
		t.Fatal(err)
	}
	plan["datasets"] = []any{map[string]any{
		"name": name, "title": "drawn", "split": "first:3",
		"synthetic": map[string]any{"people": 6, "per_person": 7, "size": "10x8"},
	}}
	var entries []any
	for _, m := range plan["methods"].([]any) {
		id, _ := m.(string)
		if e, ok := m.(map[string]any); ok {
			command := e["command"].([]any)
			id = command[len(command)-1].(string)
			if only, some := e["datasets"].([]any); some && !slices.Contains(only, any(name)) {
				continue
			}
			delete(e, "datasets")
		}
		if slices.Contains(methods, id) {
			entries = append(entries, m)
		}
	}
	plan["methods"] = entries
	text, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	p, err := experiment.ParsePlan(text, "plan.json")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// withNumPy makes python3 a Python that has NumPy, by a link in dir, or skips the test.
func withNumPy(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		path, err := exec.LookPath(name)
		if err != nil || exec.Command(path, "-c", "import numpy").Run() != nil {
			continue
		}
		if err := os.Symlink(path, filepath.Join(dir, "python3")); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
		return
	}
	t.Skip("there is no python3 with NumPy: apt-get install python3-numpy")
}

// Where the problem has one solution, the twin names every image alike; elsewhere at
// most every sixth otherwise: the starts and the steps differ.
func TestTwinsNameAlike(t *testing.T) {
	dir := t.TempDir()
	withNumPy(t, dir)
	records, seconds := filepath.Join(dir, "twins.jsonl"), filepath.Join(dir, "twins.seconds")
	t.Setenv("TWINS_SECONDS", seconds)
	methods := []string{"procrc", "knrc", "kcrc", "ksrc", "lrsdl"}
	if os.Getenv("NRDL_LONG") != "" {
		methods = append(methods, "dpl", "dlsi", "copar", "d2l2r2")
	}
	p := drawnPlan(t, "yaleb", methods)
	t.Chdir("../..")
	if _, err := (&experiment.Bench{Jobs: 2}).Run(t.Context(), p, records); err != nil {
		t.Fatal(err)
	}
	all, err := experiment.ReadRecordsFile(records, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if r.Error != "" {
			t.Errorf("%s: %s", r.Label, r.Error)
		}
	}
	found := pairs(all)
	if len(found) != len(methods) {
		t.Fatalf("%d pairs", len(found))
	}
	for _, p := range found {
		named := func(r *experiment.Record) string { return fmt.Sprint(r.Missed, r.Confusions) }
		switch p.own.Method {
		case "procrc", "knrc", "kcrc", "ksrc":
			if named(p.own) != named(p.twin) {
				t.Errorf("%s: wrong %s, and its twin %s", p.own.Method, named(p.own), named(p.twin))
			}
		default:
			if apart := math.Abs(p.own.Rate - p.twin.Rate); apart > 1./6 {
				t.Errorf("%s: rate %.2f, and its twin %.2f", p.own.Method, p.own.Rate, p.twin.Rate)
			}
		}
	}
	var table bytes.Buffer
	if err := run(t.Context(), &table, []string{records, seconds}); err != nil {
		t.Fatal(err)
	}
	if rows := strings.Count(table.String(), "| drawn |"); rows != len(methods) {
		t.Errorf("%d rows:\n%s", rows, &table)
	}
}

func TestReadSeconds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "seconds")
	for text, want := range map[string]float64{
		"dpl 240 160 3.5\n":                   3.5,
		"dpl 240 160 3.5\ndpl 240 160 2.25\n": 2.25,
		"dpl 240 3.5\n":                       math.NaN(),
		"dpl 240 160 long\n":                  math.NaN(),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := readSeconds(path)
		if (err != nil) != math.IsNaN(want) || err == nil && got[task{"dpl", 240, 160}] != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}
