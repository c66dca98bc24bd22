//go:build linux

package atomicfile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A file that is replaced keeps its owner, group, mode and extended attributes, and no attribute comes
// from the folder.
func TestReplacedFilesKeepTheirOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jpg")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	uid, gid := os.Getuid(), os.Getgid()
	if uid == 0 {
		uid, gid = 12345, 54321
	} else {
		t.Log("not root: the owner is not changed")
	}
	attributes := unix.Setxattr(path, "user.nrdl.test", []byte("value"), 0) == nil
	if err := errors.Join(os.Chown(path, uid, gid), os.Chmod(path, 0o600)); err != nil {
		t.Fatal(err)
	}
	var w Writer
	if lost, err := w.Change(context.Background(), Change{Path: path, Old: []byte("old"), New: []byte("new")}); err != nil || lost != nil {
		t.Fatal(lost, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	s := info.Sys().(*syscall.Stat_t)
	if int(s.Uid) != uid || int(s.Gid) != gid || info.Mode() != 0o600 || content(t, path) != "new" {
		t.Errorf("owner %d, group %d, mode %v", s.Uid, s.Gid, info.Mode())
	}
	value := make([]byte, 10)
	if n, err := unix.Getxattr(path, "user.nrdl.test", value); attributes && (err != nil || string(value[:n]) != "value") {
		t.Error(err)
	}
	// A new file beside it is its owner's too.
	sidecar := path + ".xmp"
	if _, err := w.Change(context.Background(), Change{Path: sidecar, New: []byte("new"), Original: path}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(sidecar); err != nil || int(info.Sys().(*syscall.Stat_t).Uid) != uid || info.Mode() != 0o600 {
		t.Error(info.Mode(), err)
	}
}

// What another program wrote meanwhile stays.
func TestChangedMeanwhile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.xmp")
	for _, c := range []struct{ now, old string }{{"other", "old"}, {"old and more", "old"}, {"ol", "old"}, {"other", ""}} {
		if err := os.WriteFile(path, []byte(c.now), 0o666); err != nil {
			t.Fatal(err)
		}
		change := Change{Path: path, New: []byte("new")}
		if c.old != "" {
			change.Old = []byte(c.old)
		}
		if _, err := new(Writer).Change(context.Background(), change); !errors.Is(err, ErrChanged) || content(t, path) != c.now {
			t.Errorf("%+v: %v, and it has %q", c, err, content(t, path))
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := new(Writer).Change(context.Background(),
		Change{Path: path, Old: []byte("old"), New: []byte("new")}); !errors.Is(err, ErrChanged) || !missing(path) {
		t.Errorf("a deleted file: %v", err)
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) > 0 {
		t.Errorf("%v is left", entries)
	}
}

// Nothing is written where links lead out of a folder.
func TestWithinAFolder(t *testing.T) {
	top := t.TempDir()
	in, out := filepath.Join(top, "in"), filepath.Join(top, "out")
	if err := errors.Join(os.MkdirAll(filepath.Join(in, "sub"), 0o777), os.Mkdir(out, 0o777),
		os.WriteFile(filepath.Join(out, "there"), []byte("old"), 0o666),
		os.WriteFile(filepath.Join(in, "there"), []byte("old"), 0o666), os.Symlink("../out/there", filepath.Join(in, "leaves")),
		os.Symlink("../out/new", filepath.Join(in, "dangles")),
		os.Symlink("../out", filepath.Join(in, "folder")), os.Symlink("there", filepath.Join(in, "stays")),
		os.Symlink("sub", filepath.Join(in, "within"))); err != nil {
		t.Fatal(err)
	}
	for name, ok := range map[string]bool{
		"leaves": false, "dangles": false, "folder/new": false,
		"folder/there": false, "there": true, "stays": true, "within/new": true, "new": true,
	} {
		c := Change{Path: filepath.Join(in, name), New: []byte("new"), Folder: in}
		if old, err := os.ReadFile(c.Path); err == nil {
			c.Old = old
		}
		if _, err := new(Writer).Change(context.Background(), c); (err == nil) != ok || err != nil && !errors.Is(err, ErrOutside) {
			t.Errorf("%s: %v", name, err)
		}
	}
	entries, _ := os.ReadDir(out)
	if names := slices.Collect(func(yield func(string) bool) {
		for _, e := range entries {
			if !yield(e.Name()) {
				return
			}
		}
	}); strings.Join(names, " ") != "there" || content(t, filepath.Join(out, "there")) != "old" {
		t.Errorf("%v outside", names)
	}
}

// A link to no file, beside a photograph, makes no file elsewhere.
func TestLinksToNoFile(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out", "a.xmp")
	link := filepath.Join(in, "a.jpg.xmp")
	if err := errors.Join(os.Mkdir(in, 0o777), os.Mkdir(filepath.Dir(out), 0o777), os.Symlink(out, link)); err != nil {
		t.Skip(err)
	}
	if _, err := new(Writer).Change(t.Context(), Change{Path: link, New: []byte("new")}); !errors.Is(err, ErrOutside) {
		t.Error(err)
	}
	if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
