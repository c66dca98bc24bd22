package metadata

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
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
	for _, pattern := range []string{"../../heic/testdata/*", "../../dataset/testdata/seeds/FuzzDecodeImage/*"} {
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
