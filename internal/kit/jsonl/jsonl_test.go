package jsonl

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nrdl.example/nrdl/internal/kit/atomicfile"
)

// maxBytes bounds the lines of the tests.
const maxBytes = 1 << 10

// opened opens the file at path and returns what was in it.
func opened(t *testing.T, path string) (*File, string) {
	t.Helper()
	var old strings.Builder
	f, err := Open(path, maxBytes, func(_ int, line []byte) error {
		old.Write(line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return f, old.String()
}

// holds fails where the file at path does not hold want.
func holds(t *testing.T, path, want string) {
	t.Helper()
	if text, err := os.ReadFile(path); err != nil || string(text) != want {
		t.Errorf("the file holds %q, %v, want %q", text, err, want)
	}
}

// A file that was cut anywhere has its whole lines, and goes on after them.
func TestFileGoesOnWhereItWasCut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	const whole, more = "{\"a\":1}\n{\"b\":2}\n", "{}\n"
	for n := range len(whole) + 1 {
		if err := os.WriteFile(path, []byte(whole[:n]), 0o600); err != nil {
			t.Fatal(err)
		}
		kept := whole[:strings.LastIndex(whole[:n], "\n")+1]
		f, old := opened(t, path)
		if old != kept || f.Cut != (len(kept) < n) {
			t.Errorf("cut after %d bytes it has %q, cut: %v", n, old, f.Cut)
		}
		holds(t, path, kept) // a shorter line would not cover the rest
		if err := f.Append([]byte(more + more)); err != nil {
			t.Error(err)
		}
		holds(t, path, kept+more+more) // before Close
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("beside it lie %v, %v", entries, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	wrong := errors.New("wrong")
	for text, each := range map[string]func(int, []byte) error{
		"{}\n{}\n{": func(n int, _ []byte) error { return []error{nil, nil, wrong}[n] },
		strings.Repeat("x", maxBytes+1<<17) + "\n": func(int, []byte) error {
			t.Error("a long line is read")
			return nil
		},
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path, maxBytes, each)
		if f != nil || err == nil || !strings.HasPrefix(err.Error(), "read "+path+": ") || text[0] == '{' && !errors.Is(err, wrong) {
			t.Errorf("%.10q: %v", text, err)
		}
		holds(t, path, text)
	}
	if _, err := Open(dir, maxBytes, nil); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Error(err)
	}
	if _, err := Open(filepath.Join(dir, "no", "f"), maxBytes, nil); err == nil {
		t.Error("a file in no folder")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("something was made: %v, %v", entries, err)
	}
}

func TestFileHasOneHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	f, _ := opened(t, path)
	if _, err := Open(path, maxBytes, nil); !errors.Is(err, atomicfile.ErrLocked) {
		t.Errorf("a second holder: %v", err)
	}
	if err := errors.Join(f.Append([]byte("{}\n")), f.Close()); err != nil { // the refused one has changed nothing
		t.Error(err)
	}
	f, old := opened(t, path)
	if old != "{}\n" {
		t.Errorf("it has %q", old)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// A failed write leaves the file as it was.
func TestAppendFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	f, _ := opened(t, path)
	writable := f.file
	var err error
	if f.file, err = os.Open(path); err != nil { // to read alone
		t.Fatal(err)
	}
	if err := f.Append([]byte("{}\n")); err == nil || !strings.Contains(err.Error(), "write "+path) {
		t.Error(err)
	}
	f.file.Close()
	f.file = writable
	if err := errors.Join(f.Append([]byte("7\n")), f.Close()); err != nil {
		t.Error(err)
	}
	holds(t, path, "7\n")
}

// A device has no past, and takes what it is given.
func TestDevice(t *testing.T) {
	f, old := opened(t, os.DevNull)
	if err := errors.Join(f.Append([]byte("{}\n")), f.Close()); err != nil || old != "" {
		t.Error(old, err)
	}
}

// endless gives zeros without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestALongLineIsRefused(t *testing.T) {
	if _, _, err := Read(endless{}, maxBytes, nil); err == nil || !strings.Contains(err.Error(), "line 1 has more than") {
		t.Error(err)
	}
}

// FuzzRead: what is read are the whole lines, numbered from 1, or an error
// where one is too long.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"", "\n", "{}", "{}\n{}\n{", "\r\n\x00\xff\n", strings.Repeat("x", maxBytes) + "\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var got []byte
		last := 0
		whole, cut, err := Read(bytes.NewReader(text), maxBytes, func(n int, line []byte) error {
			if last++; n != last || bytes.IndexByte(line, '\n') != len(line)-1 || len(line) > maxBytes {
				t.Errorf("line %d after %d lines: %q", n, last-1, line)
			}
			got = append(got, line...)
			return nil
		})
		if err != nil {
			if len(text) < maxBytes || strings.Contains(err.Error(), "\n") {
				t.Error(err)
			}
			return
		}
		if end := bytes.LastIndexByte(text, '\n') + 1; whole != int64(end) || cut != (end < len(text)) || !bytes.Equal(got, text[:end]) {
			t.Errorf("%d of %d bytes, cut: %v", whole, len(text), cut)
		}
	})
}
