package dataset

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nrdl.example/nrdl/internal/kit/npz"
	"nrdl.example/nrdl/internal/legible"
)

// Names that CheckName refuses are refused in data sets of every kind, and
// the error says where.
func TestNamesAreRefused(t *testing.T) {
	for _, name := range []string{
		"unknown", "Unknown", "..", "../../x", `a\b`, "a\nb", "a\tb",
		"a\x1b[31mb", "a\u202eb", "a\u200bb", " a", "a\xffb",
	} {
		bad := CheckName(name)
		if bad == nil {
			t.Fatalf("%q is a name", name)
		}
		paths := map[string]string{}
		if !strings.ContainsAny(name, "/.") {
			root := t.TempDir()
			if err := os.MkdirAll(filepath.Join(root, name), 0o755); err != nil {
				t.Skipf("%q cannot be a folder here: %v", name, err)
			}
			for _, folder := range []string{name, "ann"} {
				if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(root, folder, "1.pgm"), pgm(1), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			paths["folder"] = root
		}
		if !strings.Contains(name, "\xff") && strings.TrimSpace(name) == name { // another error, and trimmed
			list := fmt.Sprintf("1.pgm,\"%s\"\n2.pgm,ann\n", name)
			paths["line 1"] = filepath.Join(drawFiles(t, map[string][]byte{"list.csv": []byte(list), "1.pgm": pgm(1), "2.pgm": pgm(2)}), "list.csv")
			x := npz.Float64("X", []int{2, 2}, []float64{1, 4, 2, 5})
			paths["npz"] = npzFile(t, x, npz.Text("y", []string{name, "ann"}))
		}
		if !strings.ContainsAny(name, "/\n\t") { // of a line of a list
			path := filepath.Join(t.TempDir(), "faces.mat")
			if err := Save(t.Context(), path, album(t, []string{"ann", "bob"}, 1)); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(namesFile(path), []byte("0\t1\t"+name+"/1\n1\t2\tann/1\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			paths["names.txt"] = path
		}
		for kind, path := range paths {
			if err := refused(t, path); !strings.Contains(err.Error(), bad.Error()) {
				t.Errorf("%s with %q: %v", kind, name, err)
			}
		}
	}
}

// Names that are numbers are names, in every kind of data set.
func TestNumbersAreNames(t *testing.T) {
	var names []string
	for n := range 40 {
		names = append(names, fmt.Sprint(n+1))
	}
	for _, file := range []string{"x.mat", "x.npz"} {
		same(t, file, saved(t, filepath.Join(t.TempDir(), file), album(t, names, 2)), album(t, names, 2))
	}
}

// What tables write of names and files, lists read.
func TestListOfCells(t *testing.T) {
	names := []string{"=1+1", "-ann", "'@", "'t Hooft"}
	files := map[string][]byte{}
	var list strings.Builder
	for i, name := range names {
		file := []string{"=1.pgm", "-2.pgm", "a\x1b[3.pgm", "4.pgm"}[i]
		files[file] = pgm(i)
		fmt.Fprintf(&list, "\"%s\",\"%s\"\n", strings.ReplaceAll(legible.Field(file), `"`, `""`), legible.Field(name))
	}
	files["list.csv"] = []byte(list.String())
	set, warnings := opened(t, filepath.Join(drawFiles(t, files), "list.csv"), tiny)
	if len(warnings) > 0 || len(set.Classes) != len(names) {
		t.Errorf("people %q, warnings %q", set.Classes, warnings)
	}
	for c, name := range []string{"'@", "'t Hooft", "-ann", "=1+1"} {
		if set.Classes[c] != name {
			t.Errorf("person %d is %q", c, set.Classes[c])
		}
	}
}
