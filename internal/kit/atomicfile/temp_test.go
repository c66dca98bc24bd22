package atomicfile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestMain is also the process that startWriter starts.
func TestMain(m *testing.M) {
	if path := os.Getenv("WRITE_SLOWLY"); path != "" {
		writeSlowly(path)
		return
	}
	os.Exit(m.Run())
}

// writeSlowly writes a file, and a folder beside it, in two halves. It tells when
// it has half of both, and goes on when its standard input ends.
func writeSlowly(path string) {
	half := strings.Repeat("x", 1<<20)
	err := WriteFolder(path+".folder", func(folder string) error {
		if err := os.WriteFile(filepath.Join(folder, "half"), nil, 0o666); err != nil {
			return err
		}
		_, err := Write(context.Background(), path, func(w io.Writer) error {
			_, _ = io.WriteString(w, half)
			fmt.Println("half")
			_, _ = io.ReadAll(os.Stdin)
			_, err := io.WriteString(w, half)
			return err
		})
		return err
	})
	if err != nil {
		panic(err)
	}
}

// startWriter starts a process that has half of the file at path.
func startWriter(t *testing.T, path string) (*exec.Cmd, io.Closer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self)
	c.Env = append(os.Environ(), "WRITE_SLOWLY="+path)
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "half\n" {
		t.Fatalf("it says %q, %v", line, err)
	}
	return c, in
}

// The next writer removes what a killed process left. What a living process is
// writing stays, and so does every other file.
func TestKilledWriter(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("removes old files only")
	}
	dir := t.TempDir()
	others := []string{
		".nrdl-0123456789abcdef.tmp.jpg", ".nrdl-0123456789abcde.tmp", ".nrdl-0123456789abcdeg.tmp", "nrdl-0123456789abcdef.tmp",
		".photo.0123abcd.tmp", ".nrdl-lock", ".nrdl-fedcba9876543210.tmp/mine", ".nrdl-fedcba9876543210.d/mine",
	}
	for _, name := range others {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	before := names(t, dir)
	killed, _ := startWriter(t, filepath.Join(dir, "killed"))
	after := names(t, dir)
	if len(after) != len(before)+3 { // a file, and a folder with its file
		t.Fatalf("while it writes there are %q", after)
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := killed.Wait(); err == nil {
		t.Fatal("it was not killed")
	}
	living, in := startWriter(t, filepath.Join(dir, "living"))
	for _, name := range names(t, dir) {
		if !slices.Contains(before, name) && slices.Contains(after, name) {
			t.Errorf("%s is still there", name)
		}
	}
	during := names(t, dir)
	if _, err := Write(t.Context(), filepath.Join(dir, "new"), func(io.Writer) error { return nil }); err != nil {
		t.Fatal(err)
	}
	during = append(during, "new")
	slices.Sort(during)
	if got := names(t, dir); !slices.Equal(got, during) {
		t.Errorf("beside a living process there are %q, want %q", got, during)
	}
	in.Close()
	if err := living.Wait(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "living")); err != nil || info.Size() != 2<<20 {
		t.Errorf("the living process wrote %v, %v", info, err)
	}
	want := append(slices.Clone(before), "living", "living.folder", "new")
	slices.Sort(want)
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("in the end there are %q, want %q", got, want)
	}
}

// A Writer looks for what killed processes left once in a folder, Write always.
func TestWriterLooksOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("removes old files only")
	}
	dir, left := t.TempDir(), ".nrdl-0123456789abcdef.tmp"
	many := new(Writer)
	for _, c := range []struct {
		write func(context.Context, string, func(io.Writer) error) (int64, error)
		stays bool
	}{{many.Write, false}, {many.Write, true}, {Write, false}, {new(Writer).Write, false}} {
		if err := os.WriteFile(filepath.Join(dir, left), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := c.write(t.Context(), filepath.Join(dir, "f"), func(io.Writer) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if stays := slices.Contains(names(t, dir), left); stays != c.stays {
			t.Errorf("what is left stays: %v, want %v", stays, c.stays)
		}
	}
}

func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A name may be as long as the file system allows.
func TestLongNames(t *testing.T) {
	for _, name := range []string{strings.Repeat("n", 250), strings.Repeat("é", 120), strings.Repeat("顔", 80)} {
		path := filepath.Join(t.TempDir(), name)
		unlock, err := Lock(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := Check(path); err != nil {
			t.Error(err)
		}
		if _, err := Write(t.Context(), path, func(io.Writer) error { return nil }); err != nil {
			t.Error(err)
		}
		unlock()
		alone(t, path)
		if err := WriteFolder(path+"f", func(string) error { return nil }); err != nil {
			t.Error(err)
		}
	}
}

// What is written to a link is written where it leads, near or far, and whether
// there is a file or not.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "far"), 0o777); err != nil {
		t.Fatal(err)
	}
	link, second, target := filepath.Join(dir, "link"), filepath.Join(dir, "far", "second"), filepath.Join(dir, "far", "target")
	if os.Symlink("far/second", link) != nil {
		t.Skip("no links here")
	}
	if err := os.Symlink("target", second); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "two"} {
		if err := Check(link); err != nil {
			t.Error(err)
		}
		unlock, err := Lock(link)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Lock(target); err == nil {
			t.Error("the file behind the link is not locked")
		}
		_, err = Write(t.Context(), link, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
		unlock()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(target); err != nil || string(got) != text {
			t.Errorf("behind the link there is %q, %v", got, err)
		}
		if got := names(t, dir); !slices.Equal(got, []string{"far", "link"}) {
			t.Errorf("beside the link there are %q", got)
		}
		if got := names(t, filepath.Join(dir, "far")); !slices.Equal(got, []string{"second", "target"}) {
			t.Errorf("where it leads there are %q", got)
		}
	}
	for name, to := range map[string]string{"nowhere": "no/target", "circle": "circle"} {
		path := filepath.Join(dir, name)
		if err := os.Symlink(to, path); err != nil {
			t.Fatal(err)
		}
		if err := Check(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Lock(path); err == nil {
			t.Errorf("%s was locked", name)
		}
	}
}

// A folder appears whole or not at all, and replaces an empty one only.
func TestWriteFolder(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	fill := func(folder string) error { return os.WriteFile(filepath.Join(folder, "a"), nil, 0o666) }
	for _, fail := range []error{os.ErrNotExist, os.ErrInvalid} {
		err := WriteFolder(path, func(folder string) error { return errors.Join(fill(folder), fail) })
		if err == nil || len(names(t, dir)) > 0 {
			t.Errorf("after %v there are %q", err, names(t, dir))
		}
	}
	if err := os.Mkdir(path, 0o777); err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		if err := WriteFolder(path, fill); (err == nil) != (n == 0) {
			t.Errorf("time %d: %v", n+1, err)
		}
		if got := names(t, path); !slices.Equal(got, []string{"a"}) {
			t.Errorf("there are %q", got)
		}
		alone(t, path)
	}
}
