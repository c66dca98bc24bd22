package smalldisk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"nrdl.example/nrdl/internal/testing/lacking"
)

// Mount mounts an empty disk of so many bytes in memory until the test ends, and returns its folder. A
// test that may not mount one is skipped.
func Mount(t *testing.T, bytes int) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", bytes)); err != nil {
		lacking.Skip(t, "no disk can be mounted, as root can: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// Fill fills a disk.
func Fill(t *testing.T, dir string) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, Filling))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, err = io.Copy(f, zeros{})
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return min(len(b), 1<<12), nil }

// Empty makes room on a disk that Fill has filled.
func Empty(t *testing.T, dir string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, Filling)); err != nil {
		t.Fatal(err)
	}
}
