package photolist

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
)

// Whatever the path, what is drawn stays in the folder.
func TestPlaceBelow(t *testing.T) {
	for _, c := range []struct {
		folder, path string
		several      bool
		want         string
	}{
		{"photos", "photos/a/b.jpg", false, "a/b.jpg"},
		{"photos/", "photos/a/b.jpg", true, "photos/a/b.jpg"},
		{"/x/photos", "/x/photos/b.jpg", true, "photos/b.jpg"},
		{".", "b.jpg", false, "b.jpg"},
		{".", "b.jpg", true, "b.jpg"},
		{"..", "../b.jpg", true, "b.jpg"},
		{"", "b.jpg", false, "b.jpg"},
		{"", "a/../b.jpg", false, "b.jpg"},
		{"", "a/b.jpg", false, "a/b.jpg"},
		{"", "/a/b.jpg", false, "a/b.jpg"},
		{"", "../../a/b.jpg", false, "a/b.jpg"},
		{"", "..b.jpg", false, "..b.jpg"},
	} {
		got := placeBelow(filepath.FromSlash(c.folder), filepath.FromSlash(c.path), c.several)
		if filepath.ToSlash(got) != c.want || !filepath.IsLocal(got) {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// What is written does not lie in what is read, whichever links lead there.
func TestOutside(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"photos/a", "photos-drawn"} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	inside := []string{"photos", "photos/a", "photos/a/not/there", "./photos/../photos/a"}
	if os.Symlink("photos", "link") == nil {
		inside = append(inside, "link/a", "link/new")
	}
	for _, dir := range inside {
		for _, o := range []Rules{{Outputs: map[string]string{"draw": dir, "sort": ""}}, {Outputs: map[string]string{"draw": "", "sort": dir}}} {
			if err := o.Outside("photos"); err == nil || advice.Text(err) == "" {
				t.Errorf("%s lies in photos: %v", dir, err)
			}
		}
	}
	for _, dir := range []string{"", "photos-drawn", ".", "..", "new"} {
		if err := (Rules{Outputs: map[string]string{"draw": dir, "sort": dir}}).Outside("photos"); err != nil {
			t.Error(err)
		}
	}
}

// A list is read as it comes: the first image is there before the second line.
func TestListedAsItComes(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	var got []string
	go func() { _, _ = io.WriteString(w, "\na.png\r\n") }()
	for s := range (Rules{}).Listed(t.Context(), []Source{{Path: "first.png"}}, r, quiet) {
		if got = append(got, s.Path); s.Path == "a.png" {
			go func() { _, _ = io.WriteString(w, "b.png"); w.Close() }()
		}
	}
	if !slices.Equal(got, []string{"first.png", "a.png", "b.png"}) {
		t.Errorf("%q", got)
	}
}

// Nothing comes, and nobody waits for it any more.
func TestListedEnds(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	for s := range (Rules{}).Listed(ctx, nil, r, quiet) {
		t.Errorf("%+v", s)
	}
}

// A line that is too long for a path is an error, and no end without a word.
func TestListedTooLong(t *testing.T) {
	var last error
	for s := range (Rules{}).Listed(t.Context(), nil, strings.NewReader("a.png\n\nb.png\n"+strings.Repeat("a", 1<<20)), quiet) {
		last = s.Err
	}
	if last == nil || last.Error() != "read the list of images: line 4 is longer than 65536 bytes" || advice.Text(last) == "" {
		t.Error(last)
	}
}

// Images of a folder come in natural order, and one that cannot be read is counted.
func TestAt(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("p", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"10.png", "9.png", "x.jxl"} {
		if err := os.WriteFile(filepath.Join("p", name), []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var paths []string
	message := ""
	for _, s := range (Rules{}).at("p", false, func(format string, args ...any) { message += fmt.Sprintf(format, args...) }) {
		paths = append(paths, filepath.ToSlash(s.Path))
		if s.Folder == "" {
			t.Error("not found in a folder")
		}
	}
	if !strings.Contains(message, "1 JPEG XL file") || !slices.Equal(paths, []string{"p/9.png", "p/10.png"}) {
		t.Error(message, paths)
	}
	if s := (Rules{}).at("missing.png", false, quiet); len(s) != 1 || s[0].Err == nil || s[0].Path != "missing.png" || s[0].Folder != "" {
		t.Errorf("%+v", s)
	}
	if !dataset.IsImage("9.png") {
		t.Error("not an image")
	}
}

func quiet(string, ...any) {}
