package metadata

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"nrdl.example/nrdl/internal/testing/lacking"
)

func TestOrientationOf(t *testing.T) {
	turn := func(n byte) Transform { return Transform{Kind: "irot", Code: n} }
	flip := func(n byte) Transform { return Transform{Kind: "imir", Code: n} }
	for _, c := range []struct {
		transforms []Transform
		want       int
	}{
		{nil, 1},
		{[]Transform{flip(1)}, 2},
		{[]Transform{turn(2)}, 3},
		{[]Transform{flip(0)}, 4},
		{[]Transform{turn(1), flip(0)}, 5},
		{[]Transform{turn(3)}, 6},
		{[]Transform{turn(1), flip(1)}, 7},
		{[]Transform{turn(1)}, 8},
	} {
		if got := orientationOf(c.transforms); got != c.want {
			t.Errorf("%v: %d, want %d", c.transforms, got, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, pattern := range []string{"../../../faces/heic/testdata/*", "../../../faces/dataset/testdata/seeds/FuzzDecodeImage/*"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			f.Fatal(pattern, err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Add(append(append([]byte("\xff\xd8"), Segment([]byte("packet"))...), "\xff\xda"...))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := Read(bytes.NewReader(data), int64(len(data)))
		if err == nil && (h.Orientation < 1 || h.Orientation > 8) {
			t.Errorf("%+v", h)
		}
		if h.Kind != "JPEG" {
			return
		}
		p, err := Locate(data)
		if err == nil && (p.Start > p.End || p.End > len(data) || p.Start < 2) {
			t.Errorf("%+v of %d bytes", p, len(data))
		}
	})
}

// The date is the one that exiftool writes: of the photograph, else of its digitisation, else of
// the file.
func TestTaken(t *testing.T) {
	program, err := exec.LookPath("exiftool")
	if err != nil {
		lacking.Skip(t, "exiftool is not installed: apt-get install libimage-exiftool-perl")
	}
	seeds, err := filepath.Glob("../../../faces/dataset/testdata/seeds/FuzzDecodeImage/*")
	if err != nil {
		t.Fatal(err)
	}
	heic, err := filepath.Glob("../../../faces/heic/testdata/*.heic")
	if err != nil || len(heic) == 0 {
		t.Fatal(heic, err)
	}
	var files []string
	read := func(file string) (*File, []byte, error) {
		t.Helper()
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		h, err := Read(bytes.NewReader(data), int64(len(data)))
		return h, data, err
	}
	dir := t.TempDir()
	before := map[string][]byte{}
	for i, path := range append(seeds, heic...) {
		h, data, err := read(path)
		if err != nil || h.Kind == "" {
			continue
		}
		copied := filepath.Join(dir,
			strconv.Itoa(i)+map[string]string{"JPEG": ".jpg", "PNG": ".png", "WebP": ".webp", "TIFF": ".tif", "HEIF": ".heic"}[h.Kind])
		if err := os.WriteFile(copied, data, 0o666); err != nil {
			t.Fatal(err)
		}
		files, before[copied] = append(files, copied), data
	}
	kinds := map[string]bool{}
	for i, tag := range []string{"IFD0:ModifyDate", "ExifIFD:CreateDate", "ExifIFD:DateTimeOriginal"} {
		want := time.Date(1999, time.February, 3+i, 4, 5, 6, 0, time.UTC)
		// One call for all files, as the program starts slowly.
		out, err := exec.Command(program,
			append([]string{"-q", "-overwrite_original", "-" + tag + "=" + want.Format(dateLayout)}, files...)...).CombinedOutput()
		if i == 0 { // of each kind one into which exiftool can write
			files = slices.DeleteFunc(files, func(file string) bool {
				h, now, err := read(file)
				if err != nil {
					t.Errorf("%s as exiftool writes it: %v", file, err)
				}
				if err != nil || bytes.Equal(now, before[file]) || kinds[h.Kind] {
					return true
				}
				kinds[h.Kind] = true
				return false
			})
		} else if err != nil {
			t.Fatalf("%s", out)
		}
		for _, file := range files {
			if h, _, err := read(file); err != nil || !h.Taken.Equal(want) {
				t.Errorf("%s with %s: %v, want %v, %v", file, tag, h.Taken, want, err)
			}
		}
	}
	if len(kinds) != 5 {
		t.Errorf("only %v were written", kinds)
	}
}
