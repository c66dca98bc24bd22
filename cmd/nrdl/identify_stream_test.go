package main

import (
	"context"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nrdl.example/nrdl/cmd/nrdl/internal/output"
	"nrdl.example/nrdl/cmd/nrdl/internal/photolist"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/method"
)

// newNaming returns an identification by a model of drawn people, and the file
// of its results.
func newNaming(t *testing.T) (*identification, *os.File) {
	t.Helper()
	path, _ := trained(t, method.DefaultCRC, 3, 3, dataset.Size{Height: 16, Width: 16})
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	i := newIdentification(newApp(out, newTestApp(t).Err))
	if err := i.openModel(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	i.results = output.Lines(i.Results, 0)
	return i, out
}

// An endless list is named as it comes, a bounded number of images ahead, until
// it is interrupted.
func TestStreamIsBounded(t *testing.T) {
	i, _ := newNaming(t)
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	err := i.stream(ctx, func(yield func(photolist.Source) bool) {
		for ; yield(photolist.Source{Path: "gone.png", Folder: "."}); n++ {
			if n == 10*64 {
				cancel()
			}
		}
	}, 0)
	if !errors.Is(err, context.Canceled) || n > 12*64 {
		t.Errorf("%v after %d images", err, n)
	}
}

// Of a folder that changes, what has vanished is left out; a file that was asked
// for by its name has failed.
func TestStreamWithoutWhatVanished(t *testing.T) {
	i, out := newNaming(t)
	dir := t.TempDir()
	there := filepath.Join(dir, "a,b.png")
	f, err := os.Create(there)
	if err != nil {
		t.Fatal(err)
	}
	m := image.NewGray(image.Rect(0, 0, 16, 16))
	for k := range m.Pix {
		m.Pix[k] = byte(k)
	}
	if err := errors.Join(png.Encode(f, m), f.Close()); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(dir, "missing.png")
	sources := []photolist.Source{
		{Path: missing, Folder: "."},
		{Path: there, Folder: "."},
		{Path: missing},
		{Err: errors.New("x.heic cannot be read")},
	}
	err = i.stream(t.Context(), func(yield func(photolist.Source) bool) {
		for _, s := range sources {
			if !yield(s) {
				return
			}
		}
	}, len(sources))
	if err != nil {
		t.Fatal(err)
	}
	if want := (tally{files: 3, failedFiles: 2, namedFaces: 1}); i.tally != want {
		t.Errorf("%+v, want %+v", i.tally, want)
	}
	text, err := os.ReadFile(out.Name())
	if err != nil || !strings.HasPrefix(string(text), `"`+there+`",person00`) || strings.Count(string(text), "\n") != 1 {
		t.Errorf("%q, %v", text, err)
	}
}

// Whoever ends a run that keeps nothing learns which commands go on where they stopped.
func TestInterruptionIsTold(t *testing.T) {
	i, _ := newNaming(t)
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	i.app = newApp(out, out)
	i.html, i.sort = "names.html", "sorted"
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	i.tellInterruption(ctx)
	text, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"names.html was not written", "sorted has the photographs so far",
		"hint: these go on where they stopped: album",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is missing in %q", want, text)
		}
	}
}
