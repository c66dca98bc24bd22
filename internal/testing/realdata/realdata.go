// Package realdata finds the face databases that tests on real faces read.
// They may not be distributed, so the tests skip where they are absent.
package realdata

import (
	"os"
	"path/filepath"
	"testing"

	"nrdl.example/nrdl/internal/testing/lacking"
)

// Path returns the path of a file or folder below the one that the
// environment variable NRDL_DATA names, and skips the test where there is
// none. A relative NRDL_DATA counts from the root of the module.
func Path(t testing.TB, elem ...string) string {
	t.Helper()
	root := os.Getenv("NRDL_DATA")
	if root == "" {
		lacking.Skip(t, "NRDL_DATA is not set: no real faces to test on")
	}
	if !filepath.IsAbs(root) {
		root = filepath.Join(moduleRoot(t), root)
	}
	path := filepath.Join(append([]string{root}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		lacking.Skip(t, "NRDL_DATA has no ", filepath.Join(elem...), ": no real faces to test on")
	}
	return path
}

func moduleRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
}
