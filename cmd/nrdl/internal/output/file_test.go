package output

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/results"
	"nrdl.example/nrdl/internal/kit/atomicfile"
)

// A file of results goes on wherever it was cut, and names what is missing then.
func TestResultsAreGoneOnWith(t *testing.T) {
	var batch []results.Object
	for _, path := range []string{"a.png", "b \"\\\n.png", "c.png", "\xff.png"} {
		batch = append(batch, results.Object{File: dataset.Text(path), Faces: []results.Face{}, Model: "m"})
	}
	batch[2].Error = "cut short"
	write := func(r *File, batch []results.Object) error {
		for _, o := range batch {
			if err := r.add(o); err != nil {
				return err
			}
		}
		return r.Close()
	}
	path := filepath.Join(t.TempDir(), "r")
	whole := func() string {
		r, err := OpenFile(path, 1, "m", false)
		if err != nil {
			t.Fatal(err)
		}
		if err := write(r, batch); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}()
	for cut := range len(whole) + 1 {
		if err := os.WriteFile(path, []byte(whole[:cut]), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := OpenFile(path, 1, "m", true)
		if err != nil {
			t.Fatal(err)
		}
		var missing []results.Object
		for _, o := range batch {
			had := r.states[o.File]
			if o.Error == "" && r.Claim(o.File) == had {
				t.Errorf("%q is there: %v", o.File, had)
			}
			if !had {
				missing = append(missing, o)
			}
		}
		if err := write(r, missing); err != nil {
			t.Fatal(err)
		}
		if data, _ := os.ReadFile(path); string(data) != whole {
			t.Fatalf("cut after %d bytes it becomes %q", cut, data)
		}
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("beside it lie %v", entries)
	}
}

func TestResultsRefuse(t *testing.T) {
	dir := t.TempDir()
	line := `{"file":"a","faces":[],"model":"m"}` + "\n"
	for name, c := range map[string]struct {
		text   string
		resume bool
		want   string
	}{
		"there":       {line, false, "is there already"},
		"other model": {line, true, "written with another model: m, and not n"},
		"other file":  {"hello\n" + line, true, "line 1 is no result"},
		"other json":  {"{}\n", true, "line 1 is no result"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := OpenFile(path, 1, "n", c.resume)
		if err == nil || !strings.Contains(err.Error(), c.want) || advice.Text(err) == "" {
			t.Errorf("%s: %v, hint %q", name, err, advice.Text(err))
		}
		if data, _ := os.ReadFile(path); string(data) != c.text {
			t.Errorf("%s: it was changed to %q", name, data)
		}
	}
	if _, err := OpenFile(dir, 1, "n", false); err == nil {
		t.Error("a folder is no file")
	}
	r, err := OpenFile(filepath.Join(dir, "new"), 1, "n", true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFile(filepath.Join(dir, "new"), 1, "n", true); !errors.Is(err, atomicfile.ErrLocked) {
		t.Errorf("two write one file: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// Without a file everything is to be named.
func TestNoResults(t *testing.T) {
	var r *File
	for range 2 {
		if !r.Claim("a") {
			t.Error("it has something")
		}
	}
}
