//go:build unix

package people

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"nrdl.example/nrdl/internal/kit/regular"
)

// An original that is a pipe by now, or a link to one, is no original: nobody waits for whoever
// would write into it.
func TestOriginalIsPipe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.jpg")
	if err := os.WriteFile(path, []byte("a photograph"), 0o666); err != nil {
		t.Fatal(err)
	}
	pipe := func(name string) {
		t.Helper()
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o666); err != nil {
			t.Skip(err)
		}
	}
	pipe("pipe.jpg")
	if err := os.Symlink("pipe.jpg", filepath.Join(dir, "link.jpg")); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	o := &originals{root: root}
	if n, err := o.scan(t.Context()); n != 1 || err != nil {
		t.Fatalf("%d photographs, %v", n, err)
	}
	found := o.originals["a.jpg"]
	if f, _, err := o.open(t.Context(), found.digests[0]); err != nil {
		t.Fatal(err)
	} else {
		f.Close()
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	pipe("a.jpg")
	if err := os.Chtimes(path, time.Now(), found.modTime); err != nil {
		t.Fatal(err)
	}
	if f, _, err := o.open(t.Context(), found.digests[0]); !errors.Is(err, error(errNoOriginal)) {
		t.Errorf("opened %v, %v", f, err)
	}
	for _, name := range []string{"a.jpg", "link.jpg"} {
		if _, err := o.examine(t.Context(), name); !errors.Is(err, regular.ErrNot) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
