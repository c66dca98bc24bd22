package dataset

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"nrdl.example/nrdl/internal/kit/testing/edits"
)

// fuzzPixels keeps fuzzing fast; what lies between it and the bound takes time
// and memory but no other path.
const fuzzPixels = 1 << 20

func FuzzDecodeImage(f *testing.F) {
	in := Size{Height: 5, Width: 4}
	edits.Fuzz(f, "FuzzDecodeImage", func(t *testing.T, data []byte) {
		if kind, err := formatOf(data); err == nil {
			if c, err := kind.config(t.Context(), data); err == nil && c.Width*c.Height > fuzzPixels {
				return
			}
		}
		v, err := DecodeImage(t.Context(), data, "fuzz", Frame{Size: in})
		if err != nil {
			if _, err := DecodePhoto(t.Context(), data, "fuzz"); err == nil {
				t.Error("the photo can be read and the sample cannot")
			}
			return
		}
		if len(v) != in.Len() || !(slices.Min(v) >= 0 && slices.Max(v) <= 255) {
			t.Errorf("%d values %v", len(v), v)
		}
	})
}

func FuzzCSV(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 200 {
			return // takes long to shorten
		}
		rows, err := parseCSV(data)
		if (err == nil) != (len(rows) > 0) {
			t.Errorf("%d rows, error %v", len(rows), err)
		}
		for _, r := range rows {
			if r.path == "" || r.label == "" {
				t.Errorf("row %+v", r)
			}
		}
	})
}

func FuzzMAT(f *testing.F) {
	path := filepath.Join(f.TempDir(), "fuzz.mat") // beside which there are no names
	edits.Fuzz(f, "FuzzMAT", func(t *testing.T, data []byte) {
		set, err := readMAT(bytes.NewReader(data), path, Options{})
		checkFuzzed(t, set, err)
	})
}

func FuzzNPZ(f *testing.F) {
	edits.Fuzz(f, "FuzzNPZ", func(t *testing.T, data []byte) {
		set, err := readNPZ(bytes.NewReader(data), int64(len(data)), "fuzz.npz", Options{})
		checkFuzzed(t, set, err)
	})
}

func checkFuzzed(t *testing.T, set *Images, err error) {
	t.Helper()
	if (set == nil) == (err == nil) {
		t.Fatalf("set %v, error %v", set, err)
	}
	if err == nil && set.Validate() != nil {
		t.Error(set.Validate())
	}
}

func TestFuzzCorporaAreThere(t *testing.T) {
	for _, name := range []string{"FuzzCSV"} {
		entries, err := os.ReadDir(filepath.Join("testdata", "fuzz", name))
		if err != nil || len(entries) < 5 {
			t.Errorf("%s: %d files, error %v", name, len(entries), err)
		}
	}
}
