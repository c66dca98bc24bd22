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
		"#recycle/a.jpg": "x", "@Recycle/a.jpg": "x", "lost+found/#1.jpg": "x", ".Trash-1000/files/a.jpg": "x", "deep/$RECYCLE.BIN/a.jpg": "x",
		"All.photoslibrary/resources/derivatives/5.pgm": "x", "All.photoslibrary/originals/5.pgm": "P2 1 1 9\n7\n",
		"A Previews.lrdata/a.jpg": "x", "thumbs/a.jpg": "x",
		"WhatsApp/Sent/.nomedia": "", "WhatsApp/Sent/a.jpg": "x", "5.pgm~": "P2 1 1 9\n8\n", "deep/5.jpg_original": "x",
		"resources/6.pgm": "P2 1 1 9\n8\n",
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
	if want := []string{"2.pgm", "3.pgm", "All.photoslibrary/originals/5.pgm", "IMG_1.HEIC", "resources/6.pgm"}; !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
	copies := map[string][]string{
		filepath.Join(dir, "2.pgm"):      {filepath.Join(dir, "deep", "4.pgm")},
		filepath.Join(dir, "IMG_1.HEIC"): {filepath.Join(dir, "IMG_1 (1).heic")},
	}
	if want := (Skipped{
		Videos: 2, Sidecars: 2, Thumbnails: 5, Trash: 5, NoMedia: 1, Backups: 2,
		Duplicates: 2, Others: 1, Copies: copies,
	}); !reflect.DeepEqual(skipped, want) {
		t.Errorf("skipped %+v, want %+v", skipped, want)
	}
	if got, want := skipped.String(),
		"2 videos, 2 sidecar files, 5 thumbnail folders, 5 deleted-files folders, 1 .nomedia folder, 2 backup files, 2 "+
			"duplicates, 1 other file"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	skipped = Skipped{Videos: 2, Sidecars: 1, Foreign: "1 JPEG XL file, 1 raw file"}
	if got, want := skipped.String(),
		"2 videos, 1 sidecar file; and 1 JPEG XL file, 1 raw file that cannot be read: convert them to JPEG"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if s := (Skipped{}).String(); s != "" {
		t.Errorf("nothing is %q", s)
	}
	all, err := ImageFiles(dir)
	if err != nil || len(all) != 7 {
		t.Errorf("%d image files, want 7: %v", len(all), err)
	}
	for pattern, want := range map[string]int{"*.PGM": 2, "deep": 6, "all.*/orig*": 6, "none": 7} {
		if all, err = ImageFiles(dir, pattern); err != nil || len(all) != want {
			t.Errorf("%s: %d image files, want %d: %v", pattern, len(all), want, err)
		}
	}
	if _, skipped, err = Photographs(dir, "deep", "2.*"); err != nil || skipped.Patterns != 3 {
		t.Errorf("%+v, %v", skipped, err)
	}
	if _, err = ImageFiles(dir, "["); err == nil {
		t.Error("a bad pattern is no error")
	}
	// What is named is read.
	if all, err = ImageFiles(filepath.Join(dir, "WhatsApp", "Sent")); err != nil || len(all) != 1 {
		t.Errorf("%q, %v", all, err)
	}
	if name := fileName("thumbs"); name != "_thumbs" {
		t.Errorf("a folder for the person thumbs is %q", name)
	}
}
