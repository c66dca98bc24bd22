package atomicfile

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// After an error, or when the context has ended, the old file is still there
// and nothing else.
func TestWriteIsAtomic(t *testing.T) {
	errFill := errors.New("fill failed")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
		fail error
		want error
	}{
		{"error", t.Context(), errFill, errFill},
		{"cancelled", cancelled, nil, context.Canceled},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f")
			if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Write(c.ctx, path, func(w io.Writer) error {
				_, _ = w.Write(make([]byte, 3<<20))
				return c.fail
			})
			if !errors.Is(err, c.want) {
				t.Errorf("error %v", err)
			}
			if text, err := os.ReadFile(path); err != nil || string(text) != "old" {
				t.Errorf("the file is %q, %v", text, err)
			}
			alone(t, path)
		})
	}
}

func TestWriteReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for i, text := range []string{"one", "two"} {
		size, err := Write(t.Context(), path, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
		if err != nil || size != 3 {
			t.Fatalf("%d bytes, %v", size, err)
		}
		if i == 0 {
			if err := os.Chmod(path, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != 0o666 {
		t.Errorf("the mode became %v", info.Mode())
	}
	if text, _ := os.ReadFile(path); string(text) != "two" {
		t.Errorf("the file is %q", text)
	}
	alone(t, path)
}

// Replace keeps the file as it was beside the new one, and both as they were where it
// fails.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path, backup := filepath.Join(dir, "f"), filepath.Join(dir, "f.bak")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	files := func(want ...string) {
		t.Helper()
		for i, p := range []string{path, backup} {
			if text, _ := os.ReadFile(p); string(text) != want[i] {
				t.Errorf("%s is %q, not %q", p, text, want[i])
			}
		}
	}
	fill := func(text string, err error) func(io.Writer) error {
		return func(w io.Writer) error { _, _ = io.WriteString(w, text); return err }
	}
	failure := errors.New("failure")
	if _, err := Replace(t.Context(), path, backup, fill("half", failure)); !errors.Is(err, failure) {
		t.Error(err)
	}
	files("old", "")
	if size, err := Replace(t.Context(), path, backup, fill("newer", nil)); err != nil || size != 5 {
		t.Errorf("%d bytes, %v", size, err)
	}
	files("newer", "old")
	if _, err := Replace(t.Context(), path, filepath.Join(dir, "missing", "f"), fill("lost", nil)); err == nil {
		t.Error("it replaces a file that it cannot keep")
	}
	files("newer", "old")
	if _, err := Replace(t.Context(), path, "", fill("newest", nil)); err != nil {
		t.Error(err)
	}
	files("newest", "old")
}

// What is prepared is not there before Commit, and never after Discard.
func TestPrepare(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"old", "new"} {
		p, err := Prepare(t.Context(), path, func(w io.Writer) error {
			_, err := io.WriteString(w, "new")
			return err
		})
		if err != nil || p.Size != 3 {
			t.Fatalf("%d bytes, %v", p.Size, err)
		}
		if text, _ := os.ReadFile(path); string(text) != "old" {
			t.Errorf("before Commit it is %q", text)
		}
		if want == "new" {
			if err := p.Commit(); err != nil {
				t.Error(err)
			}
		}
		p.Discard()
		if text, _ := os.ReadFile(path); string(text) != want {
			t.Errorf("it is %q, not %q", text, want)
		}
		alone(t, path)
	}
}

// checkWritable leaves no file.
func TestCheckWritable(t *testing.T) {
	dir := t.TempDir()
	if err := Check(filepath.Join(dir, "f")); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{dir, filepath.Join(dir, "no", "f")} {
		if err := Check(bad); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Errorf("it left %v", entries)
	}
}

// alone wants no file beside path.
func alone(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("beside it lie %v, %v", entries, err)
	}
}
