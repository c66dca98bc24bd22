package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nrdl.example/nrdl/cmd/nrdl/internal/photolist"
	"nrdl.example/nrdl/faces/tags"
)

// What is no JPEG file is counted, and has no line of its own.
func TestEmbedInOthers(t *testing.T) {
	err := os.ErrInvalid
	complain := func(e error) { err = e }
	g := &tagger{}
	g.Embed = true
	for range 3 {
		g.count(tags.Outcome{}, tags.ErrNotJPEG, false, complain)
	}
	a := newApp(os.Stdout, os.Stderr)
	if end := g.end(a); err != os.ErrInvalid || end == nil || !strings.HasPrefix(end.Error(), "3 photographs not tagged") ||
		!strings.Contains(a.Complaint(end), "--tags instead of --tags=embed") {
		t.Errorf("%v, %v", err, end)
	}
}

// A folder into which nothing can be written is found before the work.
func TestMayWrite(t *testing.T) {
	there := filepath.Join(t.TempDir(), "a.jpg")
	for path, want := range map[string]bool{there: true, filepath.Join(there, "..", "gone", "a.jpg"): false} {
		if err := new(tagger).mayWrite([]photolist.Source{{Path: there, Copies: []string{path}}}); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}
