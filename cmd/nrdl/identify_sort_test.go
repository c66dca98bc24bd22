package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nrdl"
)

// sightOf is what the model says of a photograph: names, unknown, or "" for a face
// that is refused.
func sightOf(path string, names ...string) *sight {
	s := &sight{source: source{path: path, found: true}}
	for _, name := range names {
		f := answer{}
		if name != "" {
			f.said = &nrdl.Recognition{Known: name != unknown}
			f.top = []guess{{name, 1}}
		}
		s.faces = append(s.faces, f)
	}
	return s
}

func newTestSorter(t *testing.T, dir string, how int) *sorter {
	t.Helper()
	s, err := newSorter(dir, []string{"Ann", "Bob", "a/b", "unknown"}, func(format string, args ...any) { t.Logf(format, args...) })
	if err != nil {
		t.Fatal(err)
	}
	s.how = how
	return s
}

// Sorted twice, by links or by copies, there is the same as sorted once.
func TestSort(t *testing.T) {
	for how, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			photos := map[string][]string{
				"p/1.jpg": {"Ann"}, "p/q/1.jpg": {"Ann", "Bob", "Ann", unknown}, "p/2.jpg": {unknown, ""}, "p/3.jpg": {}, "p/4.jpg": {""}, "p/r/1.jpg": {"Ann"},
				"p/5.jpg": {"a/b"}, "p/R/1.JPG": {"Ann"},
			}
			paths := []string{"p/1.jpg", "p/q/1.jpg", "p/2.jpg", "p/3.jpg", "p/4.jpg", "p/r/1.jpg", "p/5.jpg", "p/R/1.JPG"}
			for _, path := range paths {
				if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(path+" is the photograph"), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want := []string{
				"Ann/1 (2).jpg", "Ann/1 (3).jpg", "Ann/1 (2).JPG", "Ann/1.jpg", "Bob/1.jpg", "a_b/5.jpg", "no face/3.jpg", "no face/4.jpg", "unknown/2.jpg",
			}
			want[2] = "Ann/1 (4).JPG"
			slices.Sort(want)
			for range 2 {
				s := newTestSorter(t, "sorted/by person", how)
				for _, path := range paths {
					if err := s.place(sightOf(path, photos[path]...)); err != nil {
						t.Fatal(err)
					}
				}
				if got := filesBelow(t, "sorted/by person"); !slices.Equal(got, want) {
					t.Fatalf("there are %q, want %q", got, want)
				}
			}
			for link, path := range map[string]string{"Ann/1.jpg": "p/1.jpg", "Bob/1.jpg": "p/q/1.jpg", "Ann/1 (3).jpg": "p/r/1.jpg"} {
				data, err := os.ReadFile(filepath.Join("sorted/by person", link))
				if err != nil || !strings.HasPrefix(string(data), path) {
					t.Errorf("%s is %q, %v", link, data, err)
				}
			}
			if err := os.Rename("p", "moved"); err != nil {
				t.Fatal(err)
			}
			if err := newTestSorter(t, "sorted", how).place(sightOf("p/1.jpg", "Bob")); err != nil {
				t.Errorf("it vanished: %v", err)
			}
		})
	}
}

// The links are relative: the folders can be moved together.
func TestSortedLinksAreRelative(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a.jpg", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if os.Symlink("a.jpg", "link") != nil {
		t.Skip("no links here")
	}
	if err := newTestSorter(t, "sorted", 0).place(sightOf("a.jpg", "Ann")); err != nil {
		t.Fatal(err)
	}
	if target, err := os.Readlink("sorted/Ann/a.jpg"); target != filepath.FromSlash("../../a.jpg") {
		t.Error(target, err)
	}
}

func filesBelow(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			files = append(files, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	return files
}
