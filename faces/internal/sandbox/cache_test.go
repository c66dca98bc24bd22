//go:build !slim

package sandbox

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

func compiles(t *testing.T) {
	t.Helper()
	runtime, _, err := compile(t.Context(), []byte(looping))
	if err != nil {
		t.Fatal(err)
	}
	runtime.Close(t.Context())
}

func keepIn(t *testing.T, folder string) {
	t.Helper()
	KeepCode(folder)
	t.Cleanup(func() { keptIn.Store(nil) })
}

// Machine code is kept for this user only, used again while it is as it was, and made
// again when it is damaged.
func TestKeepCode(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "above", "code")
	keepIn(t, folder)
	compiles(t)
	files := kept(folder)
	if len(files) != 1 {
		t.Fatalf("kept: %q", files)
	}
	info, err := os.Stat(folder)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("mode of the folder: %v, %v", info.Mode(), err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	first, err := os.Stat(files[0])
	if err != nil {
		t.Fatal(err)
	}
	compiles(t)
	if second, err := os.Stat(files[0]); err != nil || !os.SameFile(first, second) {
		t.Error("the code is compiled again")
	}
	for _, damaged := range [][]byte{
		nil, data[:len(data)/2], append(slices.Clone(data[:len(data)-1]), data[len(data)-1]^1),
		append([]byte("WAZEVO\xff"), data[7:]...),
	} {
		if err := os.WriteFile(files[0], damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		compiles(t)
		if again, err := os.ReadFile(files[0]); err != nil || string(again) != string(data) {
			t.Errorf("%d bytes after damage: %v", len(again), err)
		}
	}
}

// Where the folder cannot be private or cannot be written, nothing is kept and files are decoded.
func TestKeepNothing(t *testing.T) {
	shared := t.TempDir()
	if err := os.Chmod(shared, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(shared, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	private := filepath.Join(shared, "private")
	if err := os.Mkdir(private, 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(shared, "link")
	folders := []string{file, filepath.Join(file, "below")}
	if runtime.GOOS != "windows" {
		if err := os.Symlink(private, link); err != nil {
			t.Fatal(err)
		}
		folders = append(folders, shared, link)
		if os.Geteuid() != 0 {
			folders = append(folders, "/nrdl-code")
		}
	}
	for _, folder := range folders {
		keepIn(t, folder)
		compiles(t)
		if files := kept(folder); len(files) > 0 {
			t.Errorf("%s: %q are kept", folder, files)
		}
	}
}

// The number of files is bounded, and those of the last use stay.
func TestKeepFew(t *testing.T) {
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	before := filepath.Join(folder, "wazero-before")
	if err := os.Mkdir(before, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 2 * maxKept {
		if err := os.WriteFile(filepath.Join(before, string(rune('a'+i))+unfinished), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	keepIn(t, folder)
	for range 2 {
		compiles(t)
	}
	if files := kept(folder); len(files) > maxKept+1 || !slices.ContainsFunc(files, func(f string) bool { return filepath.Ext(f) == "" }) {
		t.Errorf("kept: %q", files)
	}
}
