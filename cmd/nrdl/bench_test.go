package main

import (
	"bufio"
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"nrdl.example/nrdl/lab/experiment"
)

// The plan of the kills, of methods with a closed form, tuned and not, its runs,
// and how often it is killed.
const (
	killPlan = `{"name": "kills", "seed": 1, "repeats": 8, "datasets": [
		{"name": "drawn", "synthetic": {"people": 8, "per_person": 8, "size": "16x16"}, "split": "random:4", "noise": [0, 0.02]},
		{"name": "covered", "synthetic": {"people": 8, "per_person": 8, "size": "16x16"}, "split": "random:4", "occlusion": [0.1]}],
		"methods": ["lrc", "crc", "nrc", {"method": "crc", "label": "tuned", "tune": {"budget": 4, "folds": 2}, "datasets": ["drawn"]}]}`
	killRuns = 8 * (2*4 + 3)
)

// kills is how often bench is killed.
func kills() int {
	if os.Getenv("NRDL_LONG") != "" {
		return 20
	}
	return 4
}

// records returns those of a file by key. Each line has a key of its own, and
// only the last may be cut, where that is allowed.
func records(t testing.TB, path string, mayBeCut bool) map[string]experiment.Record {
	t.Helper()
	cut := false
	all, err := experiment.ReadRecordsFile(path, func(string) { cut = true })
	if err != nil || cut && !mayBeCut {
		t.Fatalf("%s: cut %v, %v", path, cut, err)
	}
	text, err := os.ReadFile(path)
	if err != nil || bytes.Count(text, []byte{'\n'}) != len(all) {
		t.Fatalf("%s: %d keys in %d lines, %v", path, len(all), bytes.Count(text, []byte{'\n'}), err)
	}
	byKey := map[string]experiment.Record{}
	for _, r := range all {
		byKey[r.Key] = r
	}
	return byKey
}

// differences tells how got is not want.
func differences(want, got map[string]experiment.Record) (lines []string) {
	for key, r := range want {
		if g, ok := got[key]; !ok || !r.Same(g) {
			lines = append(lines, r.Label+" on "+r.Dataset.Name+" repeat "+strconv.Itoa(r.Repeat)+" differs or is lost")
		}
	}
	for key, r := range got {
		if _, ok := want[key]; !ok {
			lines = append(lines, r.Label+" on "+r.Dataset.Name+" is too many")
		}
	}
	return lines
}

// finish runs bench to its end and returns its output.
func finish(t *testing.T, args ...string) string {
	t.Helper()
	status, results, story := nrdlIn(t, ".", append([]string{"bench"}, args...)...)
	if status != succeeded {
		t.Fatalf("%d\n%s", status, story)
	}
	return results + story
}

// untilRun starts bench and returns it once it tells of run n or a later one.
func untilRun(t *testing.T, n int, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("nrdl", append([]string{"bench"}, args...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if n == 0 {
		return cmd
	}
	for story := bufio.NewScanner(stderr); story.Scan(); {
		number, _, ok := strings.Cut(story.Text(), " of ")
		if i, err := strconv.Atoi(number); ok && err == nil && i >= n {
			go func() { // nobody waits for a reader
				for story.Scan() {
				}
			}()
			return cmd
		}
	}
	t.Fatalf("it ended before run %d: %v", n, cmd.Wait())
	return nil
}

// Killed at any moments, bench makes the same records as undisturbed: none is
// lost, none is there twice.
func TestBenchSurvivesKills(t *testing.T) {
	t.Parallel()
	plan, runs := filepath.Join(t.TempDir(), "kills.json"), killRuns
	if err := os.WriteFile(plan, []byte(killPlan), 0o600); err != nil {
		t.Fatal(err)
	}
	whole, broken := filepath.Join(t.TempDir(), "whole.jsonl"), filepath.Join(t.TempDir(), "broken.jsonl")
	finish(t, plan, "-o", whole)
	want := records(t, whole, false)
	if len(want) != runs {
		t.Fatalf("%d records of %d runs", len(want), runs)
	}
	for _, r := range want {
		if r.Cost.Threads != 1 {
			t.Errorf("%s on %s has %d threads", r.Label, r.Dataset.Name, r.Cost.Threads)
		}
	}
	rng := rand.New(rand.NewPCG(1, 0))
	moments := []int{0} // that is, before there is a run
	for len(moments) < kills() {
		moments = append(moments, 1+rng.IntN(runs/2))
	}
	slices.Sort(moments)
	killed := 0
	for _, n := range moments {
		cmd := untilRun(t, n, plan, "-o", broken)
		_ = cmd.Process.Kill()
		if cmd.Wait() == nil { // it finished before it was killed, on a busy machine: half of it is lost
			text, err := os.ReadFile(broken)
			if err == nil {
				err = os.WriteFile(broken, text[:len(text)/2], 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		} else {
			killed++
		}
		if _, err := os.Stat(broken); err == nil {
			records(t, broken, true)
		}
	}
	if killed == 0 {
		t.Fatal("no process was killed, not even the one that had just begun")
	}
	finish(t, plan, "-o", broken)
	if d := differences(want, records(t, broken, false)); d != nil {
		t.Fatalf("%q", d)
	}

	// Cut at any byte of the last line, as a crash may leave it.
	text, err := os.ReadFile(broken)
	if err != nil {
		t.Fatal(err)
	}
	last := 1 + bytes.LastIndexByte(text[:len(text)-1], '\n')
	for _, at := range []int{last + 1, last + rng.IntN(len(text)-last-1) + 1} {
		if err := os.WriteFile(broken, text[:at], 0o600); err != nil {
			t.Fatal(err)
		}
		if output := finish(t, plan, "-o", broken); !strings.Contains(output, "nrdl: warning: "+broken+": the last line is cut short") ||
			!strings.Contains(output, ", 1 made now") {
			t.Errorf("cut at %d: it tells\n%s", at-last, output)
		}
		if d := differences(want, records(t, broken, false)); d != nil {
			t.Fatalf("cut at %d: %q", at-last, d)
		}
	}
}

// One bench at a time has a file.
func TestBenchesDoNotShareAFile(t *testing.T) {
	t.Parallel()
	const plan = `{"datasets": [{"name": "d", "synthetic": {"people": 4, "per_person": 6, "size": "8x8"}, "split": "half"}],
		"methods": ["crc", {"method": "nrdl", "params": {"tol": 0, "passes": 100000000}}]}`
	path, out := filepath.Join(t.TempDir(), "endless.json"), filepath.Join(t.TempDir(), "r.jsonl")
	if err := os.WriteFile(path, []byte(plan), 0o600); err != nil {
		t.Fatal(err)
	}
	first := untilRun(t, 1, path, "-o", out, "-j", "1")
	status, _, story := nrdlIn(t, ".", "bench", path, "-o", out)
	if status == succeeded || !regexp.MustCompile(`(?m)^nrdl: error: records .*: another process is writing to `+
		`it\nnrdl: hint: `).MatchString(story) {
		t.Errorf("the second: %d\n%s", status, story)
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait()
	if n := len(records(t, out, false)); n != 1 {
		t.Errorf("%d records", n)
	}
}

// samerecords FILE FILE2 wants the same records in two files, in any order,
// apart from what they cost.
func sameRecords(ts *testscript.TestScript, _ bool, args []string) {
	var both [2]map[string]experiment.Record
	for i := range both {
		all, err := experiment.ReadRecordsFile(ts.MkAbs(args[i]), func(w string) { ts.Fatalf("%s", w) })
		ts.Check(err)
		both[i] = map[string]experiment.Record{}
		for _, r := range all {
			both[i][r.Key] = r
		}
	}
	if d := differences(both[0], both[1]); d != nil {
		ts.Fatalf("%s and %s: %q", args[0], args[1], d)
	}
}

// wholelines FILE wants a file, if there is one, to end with a line end.
func wholeLines(ts *testscript.TestScript, _ bool, args []string) {
	if text := ts.ReadFile(args[0]); text != "" && !strings.HasSuffix(text, "\n") {
		ts.Fatalf("%s ends with %q", args[0], text[max(0, len(text)-40):])
	}
}
