package main

import (
	"image"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/cmd/nrdl/internal/photolist"
	"nrdl.example/nrdl/faces"
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

// A name that is not sure enough is not written, and its face is; one whose probability is not known is.
func TestUnsureNames(t *testing.T) {
	box := image.Rect(0, 0, 9, 9)
	g := &tagger{minProbability: 0.9}
	var names []string
	for _, f := range g.of(faces.Result{Faces: []faces.Face{
		{Box: box, Known: true, Name: "Ann", Probability: 0.95},
		{Box: box, Known: true, Name: "Ben", Probability: 0.7},
		{Box: box, Known: true, Name: "Cy", Probability: math.NaN()},
		{Box: box, Probability: 0.99},
	}}) {
		names = append(names, f.Name)
	}
	if want := []string{"Ann", "", "Cy", ""}; !slices.Equal(names, want) || g.doubtful != 1 {
		t.Errorf("%q, %d", names, g.doubtful)
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
