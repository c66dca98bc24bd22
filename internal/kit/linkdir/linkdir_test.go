package linkdir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/kit/atomicfile"
)

// unknown is the folder of photographs with a face that nobody has.
const unknown = "unknown"

// place places a photograph of names, unknown, or "" for a face that is
// refused.
func place(s *Sorter, path string, names ...string) error {
	var people []string
	other := "no face"
	for _, name := range names {
		switch name {
		case "":
		case unknown:
			other = name
		default:
			people = append(people, name)
		}
	}
	return s.Place(path, people, other)
}

func newTestSorter(t *testing.T, dir string, how int) *Sorter {
	t.Helper()
	people := []string{"Ann", "Bob", "a/b", "unknown"}
	s, err := New(dir, people, []string{"Ann", "Bob", "a_b", "unknown_2"}, func(format string, args ...any) { t.Logf(format, args...) })
	if err != nil {
		t.Fatal(err)
	}
	s.current = how
	return s
}

// Sorted twice, by links or by copies, there is the same as sorted once.
func TestSort(t *testing.T) {
	for how, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			photos := map[string][]string{
				"p/1.jpg": {"Ann"}, "p/q/1.jpg": {"Ann", "Bob", "Ann", unknown}, "p/2.jpg": {unknown, ""},
				"p/3.jpg": {}, "p/4.jpg": {""}, "p/r/1.jpg": {"Ann"},
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
				"Ann/1 (2).jpg", "Ann/1 (3).jpg", "Ann/1 (2).JPG", "Ann/1.jpg", "Bob/1.jpg", "a_b/5.jpg",
				"no face/3.jpg", "no face/4.jpg", "unknown/2.jpg",
			}
			want[2] = "Ann/1 (4).JPG"
			slices.Sort(want)
			for range 2 {
				s := newTestSorter(t, "sorted/by person", how)
				for _, path := range paths {
					if err := place(s, path, photos[path]...); err != nil {
						t.Fatal(err)
					}
				}
				s.Unlock()
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
			if err := place(newTestSorter(t, "elsewhere", how), "p/1.jpg", "Bob"); !errors.Is(err, fs.ErrNotExist) {
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
	if err := place(newTestSorter(t, "sorted", 0), "a.jpg", "Ann"); err != nil {
		t.Fatal(err)
	}
	if target, err := os.Readlink("sorted/Ann/a.jpg"); target != filepath.FromSlash("../../a.jpg") {
		t.Error(target, err)
	}
}

// A link to the photograph that is there already is enough, whoever made it and
// however it is written. A link of the same name to another photograph is not.
func TestSortFindsLinks(t *testing.T) {
	for _, c := range []struct {
		name   string
		before func() error // the sorter looks into the folder
		after  func() error
		want   []string
	}{
		{"relative", func() error { return os.Symlink("../../p/1.jpg", "sorted/Ann/1.jpg") }, nil, []string{"Ann/1.jpg"}},
		{"absolute", func() error { return os.Symlink(Real("p/1.jpg"), "sorted/Ann/1.jpg") }, nil, []string{"Ann/1.jpg"}},
		{"of another name", func() error { return os.Symlink(Real("p/1.jpg"), "sorted/Ann/z.jpg") }, nil, []string{"Ann/z.jpg"}},
		{"by way of a link", func() error { return os.Symlink("../../links/1.jpg", "sorted/Ann/1.jpg") }, nil, []string{"Ann/1.jpg"}},
		{"hard", func() error { return os.Link("p/1.jpg", "sorted/Ann/1.jpg") }, nil, []string{"Ann/1.jpg"}},
		{"made meanwhile", nil, func() error { return os.Symlink("../../p/1.jpg", "sorted/Ann/1.jpg") }, []string{"Ann/1.jpg"}},
		{"to another", func() error { return os.Symlink("../../p/2.jpg", "sorted/Ann/1.jpg") }, nil, []string{"Ann/1 (2).jpg", "Ann/1.jpg"}},
		{
			"to another, made meanwhile", nil, func() error { return os.Symlink("../../p/2.jpg", "sorted/Ann/1.jpg") },
			[]string{"Ann/1 (2).jpg", "Ann/1.jpg"},
		},
		{"to nothing", func() error { return os.Symlink("gone.jpg", "sorted/Ann/1.jpg") }, nil, []string{"Ann/1 (2).jpg", "Ann/1.jpg"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for _, dir := range []string{"p", "links", "sorted/Ann"} {
				if err := os.MkdirAll(dir, 0o777); err != nil {
					t.Fatal(err)
				}
			}
			for _, path := range []string{"p/1.jpg", "p/2.jpg"} {
				if err := os.WriteFile(path, []byte(path), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if os.Symlink("../p/1.jpg", "links/1.jpg") != nil {
				t.Skip("no links here")
			}
			for range 2 {
				if c.before != nil {
					if err := c.before(); err != nil && !errors.Is(err, fs.ErrExist) {
						t.Fatal(err)
					}
				}
				s := newTestSorter(t, "sorted", 0)
				if _, err := s.open(filepath.Join(s.dir, "Ann")); err != nil {
					t.Fatal(err)
				}
				if c.after != nil {
					if err := c.after(); err != nil && !errors.Is(err, fs.ErrExist) {
						t.Fatal(err)
					}
				}
				if err := place(s, "p/1.jpg", "Ann"); err != nil {
					t.Fatal(err)
				}
				s.Unlock()
				if got := filesBelow(t, "sorted"); !slices.Equal(got, c.want) {
					t.Fatalf("there are %q, want %q", got, c.want)
				}
			}
		})
	}
}

// One process at a time sorts into a folder, and leaves nothing else in it.
func TestSortLocks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sorted")
	s := newTestSorter(t, dir, 0)
	if _, err := New(dir, nil, nil, t.Logf); !errors.Is(err, atomicfile.ErrLocked) || advice.Text(err) == "" {
		t.Errorf("the second sorter: %v", err)
	}
	s.Unlock()
	if left := filesBelow(t, dir); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	newTestSorter(t, dir, 0).Unlock()
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
