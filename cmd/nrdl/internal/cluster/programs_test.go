//go:build unix

package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"nrdl.example/nrdl/lab/experiment"
)

// programPlan is a plan with a program whose two answers are right or wrong.
func programPlan(t *testing.T, command ...string) string {
	t.Helper()
	words, err := json.Marshal(command)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(
		`{"name": "p", "datasets": [{"name": "d", "synthetic": {"people": 2, "per_person": 2, "size": "10x8"}, "split": ["first:1"]}],
		"methods": [{"command": %s, "label": "Mine", "params": {"k": 1}, "ranges": {"k": {"low": 1, "high": 3, "integer": true}}}]}`, words)
}

// script writes a program that leaves its arguments and surroundings in the file left, and
// answers.
func script(t *testing.T) (path, left string) {
	t.Helper()
	folder := t.TempDir()
	path, left = filepath.Join(folder, "mine"), filepath.Join(folder, "left")
	text := fmt.Sprintf("#!/bin/sh\n/usr/bin/env > %s\necho arguments: $# >> %s\nwhile read -r line; do :; done\necho 0\necho 1\n", left, left)
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path, left
}

// A heard Cluster keeps what its worker warns of.
type heard struct {
	mu       sync.Mutex
	warnings []string
}

func (h *heard) warn(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.warnings = append(h.warnings, err.Error())
}

func (h *heard) wait(t *testing.T, text string, times int) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		h.mu.Lock()
		all := strings.Join(h.warnings, "\n")
		h.mu.Unlock()
		if strings.Count(all, text) >= times {
			return
		}
	}
	t.Fatalf("the worker does not say %q: %q", text, h.warnings)
}

// Whoever may publish starts no program on a worker, by no kind of message: only those that the
// worker was started with are, by their whole command. The work beside is done.
func TestHostilePublisher(t *testing.T) {
	c := served(t)
	evil, left := script(t)
	good, goodLeft := script(t)
	var h heard
	peer, err := Connect(t.Context(), Options{URL: c.URL, Name: "worker", Warn: h.warn})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(peer.Close)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	b := experiment.Bench{Jobs: 16, Version: "v", Programs: map[string]string{"mine": good}}
	var ended sync.WaitGroup
	ended.Go(func() { _ = (&Worker{Cluster: peer, Bench: b}).Run(ctx) })
	defer ended.Wait()
	defer cancel()
	hostile := map[string]func(){
		runs: func() {
			commands := [][]string{{evil}, {"/bin/sh", evil}, {"/bin/sh", "-c", "exec " + evil}, {"mine", "-o", left}, {good}, {"mine "}}
			for i, command := range commands {
				k := joined(t, c)
				path := filepath.Join(t.TempDir(), "x.jsonl")
				b := experiment.Bench{Jobs: 1, Version: "v", Distribute: k.Bench(path, "v", nil)}
				ended.Go(func() { _, _ = b.Run(ctx, parse(t, programPlan(t, command...)), path) })
				h.wait(t, "none of that name is allowed here", i+1)
			}
		},
		fits: func() {
			spec, err := json.Marshal(map[string]any{"method": experiment.ProgramMethod, "params": map[string]any{"command": []string{evil}}})
			if err != nil {
				t.Fatal(err)
			}
			send(t, c, fits, spec)
		},
		photos: func() {
			for _, name := range []string{"Detector", "detector"} {
				spec, err := json.Marshal(map[string]string{name: evil})
				if err != nil {
					t.Fatal(err)
				}
				send(t, c, photos, spec)
			}
		},
	}
	for kind := range kinds {
		if hostile[kind] == nil {
			t.Fatalf("no hostile message of the kind %s", kind)
		}
		hostile[kind]()
	}
	k, piece := photosOf(t, c)
	if err := k.put(t.Context(), "photo", piece); err != nil {
		t.Fatal(err)
	}
	resultsOf(t, k, 1)
	for _, file := range []string{left, goodLeft} {
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s was started", filepath.Dir(file))
		}
	}
}

// send puts a task of a peer into the queue, with a piece.
func send(t *testing.T, c *Cluster, kind string, spec json.RawMessage) {
	t.Helper()
	k, err := c.begin(t.Context(), task{Kind: kind, Spec: spec, Version: "v"}, "peer", false, nil)
	if err == nil {
		err = k.put(t.Context(), "1", []byte("{}"))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A program that the worker was started with gets no argument and nothing of the worker's
// surroundings. Its file need not be where the plan is.
func TestAllowedProgram(t *testing.T) {
	t.Setenv("NRDL_TEST_SECRET", "hush")
	c := served(t)
	path, left := script(t)
	work(t, c, "a", experiment.Bench{Jobs: 1, Version: "v", Programs: map[string]string{"mine": path}})
	k := joined(t, c)
	file := filepath.Join(t.TempDir(), "x.jsonl")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	b := experiment.Bench{Jobs: 1, Version: "v", Distribute: k.Bench(file, "v", nil)}
	if _, err := b.Run(ctx, parse(t, programPlan(t, "mine")), file); err != nil {
		t.Fatal(err)
	}
	for key, r := range records(t, file) {
		if r.Error != "" {
			t.Errorf("%s: %s", key, r.Error)
		}
	}
	content, err := os.ReadFile(left)
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	if strings.Contains(text, "hush") || strings.Contains(text, "HOME=") || !strings.Contains(text, "OMP_NUM_THREADS=") ||
		!strings.Contains(text, "arguments: 0") {
		t.Errorf("the program finds %s", text)
	}
}
