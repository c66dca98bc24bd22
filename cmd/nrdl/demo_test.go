package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"nrdl/internal/console"
	"nrdl/synthetic"
)

// A demo that is interrupted leaves no folder.
func TestDemoInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := filepath.Join(t.TempDir(), "demo")
	d := demo{app: newTestApp(t), dir: dir, faces: synthetic.Default}
	if err := d.run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is there: %v", err)
	}
}

func TestQuoted(t *testing.T) {
	for path, want := range map[string]string{
		"nrdl-demo/people.nrdl": "nrdl-demo/people.nrdl",
		"a b":                   "'a b'",
		"it's":                  `'it'\''s'`,
		"Gesichter/Jürgen":      "Gesichter/Jürgen",
	} {
		if got := console.Quoted(path); got != want {
			t.Errorf("%q is quoted %s, not %s", path, got, want)
		}
	}
}
