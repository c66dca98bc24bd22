package dataset

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// A folder as a telephone leaves it: what is no photograph is counted.
func TestPhotographs(t *testing.T) {
	dir := t.TempDir()
	heic, err := os.ReadFile("../heic/testdata/pattern.heic")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{
		"IMG_1.HEIC": string(heic), "IMG_1.MOV": "video", "IMG_1.AAE": "notes", "IMG_1 (1).heic": string(heic),
		"2.pgm": "P2 1 1 9\n5\n", "3.pgm": "P2 1 1 9\n6\n", "clip.mp4": "", "2.pgm.json": "{}", "notes.txt": "",
		".thumbnails/2.jpg": "x", "deep/@eaDir/2.jpg": "x", "deep/4.pgm": "P2 1 1 9\n5\n", ".hidden.jpg": "x",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found, skipped, err := Photographs(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range found {
		rel, err := filepath.Rel(dir, f)
		if err != nil {
			t.Fatal(err)
		}
		found[i] = filepath.ToSlash(rel)
	}
	if want := []string{"2.pgm", "3.pgm", "IMG_1.HEIC"}; !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
	copies := map[string][]string{
		filepath.Join(dir, "2.pgm"):      {filepath.Join(dir, "deep", "4.pgm")},
		filepath.Join(dir, "IMG_1.HEIC"): {filepath.Join(dir, "IMG_1 (1).heic")},
	}
	if want := (Skipped{Videos: 2, Sidecars: 2, Thumbnails: 2, Duplicates: 2, Others: 1, Copies: copies}); !reflect.DeepEqual(skipped, want) {
		t.Errorf("skipped %+v, want %+v", skipped, want)
	}
	if got, want := skipped.String(), "2 videos, 2 sidecar files, 2 thumbnail folders, 2 duplicates, 1 other file"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	skipped = Skipped{Videos: 2, Sidecars: 1, Foreign: "1 JPEG XL file, 1 raw file"}
	if got, want := skipped.String(), "2 videos, 1 sidecar file; and 1 JPEG XL file, 1 raw file that cannot be read: convert them to JPEG"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if s := (Skipped{}).String(); s != "" {
		t.Errorf("nothing is %q", s)
	}
	all, err := ImageFiles(dir)
	if err != nil || len(all) != 5 {
		t.Errorf("%d image files, want 5: %v", len(all), err)
	}
}
