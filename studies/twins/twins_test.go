// Package twins compares nine methods with their twins in NumPy, programs that were
// written from the equations of the papers alone (twins.py): the script run does so on
// the databases, and the tests on drawn faces.
package twins

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/experiment"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/studies/internal/cputime"
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
	records, seconds := filepath.Join(dir, "twins.jsonl"), filepath.Join(dir, "twins.txt")
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
	lines, err := os.ReadFile(seconds)
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^BenchmarkTwins/method=\w+/train=\d+/test=\d+/program=numpy 1 \d+ cpu-ns/op$`)
	if n := len(line.FindAll(lines, -1)); n != len(methods) {
		t.Errorf("%d lines for benchstat:\n%s", n, lines)
	}
}

// A pair is a method and its twin on a database, at one split.
type pair struct{ own, twin *experiment.Record }

// pairs returns the methods whose twin has a record too, in the order of the records. Of
// the twin's records the last counts: those before are of a program that has changed.
func pairs(records []experiment.Record) (all []pair) {
	for i := range records {
		p := pair{own: &records[i]}
		for j := range records {
			if twin := &records[j]; p.own.Error == "" && twin.Error == "" && p.own.Method == twinOf(twin) &&
				p.own.Dataset.Name == twin.Dataset.Name && p.own.SplitHash == twin.SplitHash {
				p.twin = twin
			}
		}
		if p.twin != nil {
			all = append(all, p)
		}
	}
	return all
}

// twinOf returns the name of the method that r repeats, which is the last word of its
// command; "" if r is not of a twin.
func twinOf(r *experiment.Record) string {
	var p experiment.Program
	if r.Method != experiment.ProgramMethod || json.Unmarshal(r.Params, &p) != nil || len(p.Command) == 0 {
		return ""
	}
	return p.Command[len(p.Command)-1]
}

// BenchmarkTwins repeats the runs of the methods in the records that TWINS_RECORDS names:
// learning and recognising, under the names by which twins.py prints its times.
func BenchmarkTwins(b *testing.B) {
	path := os.Getenv("TWINS_RECORDS")
	if path == "" {
		b.Skip("studies/twins/run makes the records")
	}
	records, err := experiment.ReadRecordsFile(path, nil)
	if err != nil {
		b.Fatal(err)
	}
	sets := &experiment.Databases{Roots: []string{os.Getenv("NRDL_DATA")}}
	for _, p := range pairs(records) {
		b.Run(fmt.Sprintf("method=%s/train=%d/test=%d/program=nrdl", p.own.Method, p.own.Train, p.own.N), func(b *testing.B) {
			again, err := experiment.Replay(b.Context(), sets, *p.own)
			if err != nil {
				b.Fatal(err)
			}
			if again.Record.Wrong != p.own.Wrong {
				b.Fatalf("wrong %d times, and %d times when repeated", p.own.Wrong, again.Record.Wrong)
			}
			m, err := method.Named(p.own.Method)
			if err == nil {
				m, err = method.Unmarshal(m, p.own.Params)
			}
			if err != nil {
				b.Fatal(err)
			}
			start := cputime.Used()
			for b.Loop() {
				model, err := m.Fit(b.Context(), &again.Train.Samples, classify.Run{Seed: p.own.Seed})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := model.Predict(b.Context(), again.Test.X); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((cputime.Used()-start).Nanoseconds())/float64(b.N), "cpu-ns/op")
		})
	}
}
