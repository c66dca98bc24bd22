//go:build unix

package experiment

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What a program has started ends with it at the time limit.
func TestTimeLimitEndsAllProcesses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	var text []byte
	for limit := 0.3; len(text) == 0; limit *= 4 { // of seconds, in which the program writes its child's number
		text = limited(t, file, limit)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	runs := func() bool { // on Linux, one that ended may wait for its parent
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return syscall.Kill(pid, 0) == nil && (err != nil || !strings.Contains(string(state), ") Z "))
	}
	for begun := time.Now(); runs(); time.Sleep(10 * time.Millisecond) { // it is killed, and ends when it gets a processor
		if time.Since(begun) > time.Minute {
			t.Fatalf("process %d still runs", pid)
		}
	}
}

// limited runs a program that would take minutes within a limit, and returns what it wrote.
func limited(t *testing.T, file string, limit float64) []byte {
	t.Helper()
	p := parse(t,
		fmt.Sprintf(`{"name": "x", "time_limit": %g, "datasets": [{"name": "d", "synthetic": {"people": 3, "per_person": 4, "size": "8x8"}, "split": "first:2"}],
		"methods": [{"command": ["sh", "-c", "sleep 300 & echo $! >%s; sleep 300"]}]}`, limit, file))
	got, _ := benched(t, Bench{Jobs: 1}, p, filepath.Join(t.TempDir(), "x.jsonl"))
	if r := firstOf(got); !strings.Contains(r.Error, "time limit") {
		t.Fatalf("error %q", r.Error)
	}
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return text
}

// A changed program has no records.
func TestChangedProgramIsAnotherContestant(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.sh")
	keys := func(text string) string {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(parse(t, fmt.Sprintf(`{"name": "x", "datasets": [{"name": "d", "synthetic": {}, "split": "first:2"}],
			"methods": [{"command": ["sh", %q]}]}`, file)).Keys())
	}
	first := keys("echo 1")
	if keys("echo 2") == first || keys("echo 1") != first {
		t.Error("the keys do not follow the content of the program")
	}
}
