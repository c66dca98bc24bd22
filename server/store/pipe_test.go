//go:build unix

package store

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"nrdl.example/nrdl/internal/kit/regular"
)

// Pipes in the place of the database, or of what SQLite has beside it, are refused and not waited for.
func TestPipesBesideTheDatabase(t *testing.T) {
	for _, suffix := range besides {
		at := filepath.Join(t.TempDir(), "nrdl.db")
		if err := os.WriteFile(at, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if suffix == "" {
			os.Remove(at)
		}
		if err := syscall.Mkfifo(at+suffix, 0o600); err != nil {
			t.Skip(err)
		}
		if err := ownFile(at); !errors.Is(err, regular.ErrNot) {
			t.Errorf("%q: %v", suffix, err)
		}
		if _, err := BackupFile(t.Context(), at, at+".copy"); !errors.Is(err, regular.ErrNot) {
			t.Errorf("%q: backup: %v", suffix, err)
		}
	}
}
