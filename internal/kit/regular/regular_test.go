//go:build unix

package regular_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"nrdl.example/nrdl/internal/kit/regular"
)

// Nothing but a regular file is opened: a pipe that nobody writes into would wait for ever.
func TestOnlyRegularFiles(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.WriteFile(in("file"), []byte("content"), 0o666), syscall.Mkfifo(in("pipe"), 0o666), os.Mkdir(in("folder"), 0o777),
		os.Symlink("/dev/zero", in("device")), os.Symlink("pipe", in("link to a pipe")), os.Symlink("file", in("link"))); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, name := range []string{"pipe", "folder", "device", "link to a pipe"} {
		if _, _, err := regular.Open(in(name)); !errors.Is(err, regular.ErrNot) {
			t.Errorf("%s: %v", name, err)
		}
		if _, _, err := regular.OpenIn(root, name); err == nil {
			t.Errorf("%s in a root: no error", name)
		}
	}
	for _, name := range []string{"file", "link"} {
		if data, err := regular.ReadFile(in(name), 7); err != nil || string(data) != "content" {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	if _, err := regular.ReadFile(in("file"), 6); !errors.Is(err, regular.ErrTooLarge) {
		t.Errorf("one byte too many: %v", err)
	}
	if _, _, err := regular.Open(in("none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// A pipe that takes the place of the file after its mode was asked is not waited for either.
func TestAPipeInPlaceOfTheFile(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "file"), nil, 0o666),
		syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o666)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := regular.OpenIn(exchanged{dir}, "file"); !errors.Is(err, regular.ErrNot) {
		t.Error(err)
	}
}

// exchanged opens the pipe where the file was asked about.
type exchanged struct{ dir string }

func (e exchanged) Stat(name string) (fs.FileInfo, error) { return os.Stat(filepath.Join(e.dir, name)) }

func (e exchanged) OpenFile(_ string, flag int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(filepath.Join(e.dir, "pipe"), flag, mode)
}

// A file that is larger than its size, as those of /proc, is read whole.
func TestReadFileReadsWhatIsThere(t *testing.T) {
	want, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Skip(err)
	}
	if got, err := regular.ReadFile("/proc/self/mountinfo", 1<<20); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d of %d bytes, %v", len(got), len(want), err)
	}
}
