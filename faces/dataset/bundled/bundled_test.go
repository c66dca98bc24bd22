package bundled_test

import (
	"strings"
	"testing"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/dataset/bundled"
)

func TestBundledSetsOpen(t *testing.T) {
	want := map[string]struct {
		images, features int
		white            float64
	}{"digits": {1797, 64, 16}, "fashion": {1000, 784, 255}}
	for _, name := range bundled.Names() {
		set, err := dataset.Open(t.Context(), bundled.Prefix+name, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		d, n := set.X.Dims()
		w := want[name]
		if n != w.images || d != w.features || len(set.Classes) != 10 || !set.AreImages() || !dataset.IsMatrix(bundled.Prefix+name) {
			t.Errorf("%s: %d images of %d features in %d classes", name, n, d, len(set.Classes))
		}
		largest := 0.0
		for i := range d {
			for _, v := range set.X.RawRowView(i) {
				largest = max(largest, v)
			}
		}
		if largest != w.white {
			t.Errorf("%s: values up to %v, want %v", name, largest, w.white)
		}
	}
	if len(bundled.Names()) != len(want) {
		t.Errorf("names %v", bundled.Names())
	}
}

func TestUnknownBundledSet(t *testing.T) {
	for _, path := range []string{"bundled:digit", "bundled:", "bundled:../digits"} {
		if _, err := dataset.Open(t.Context(), path, dataset.Options{}); err == nil ||
			!strings.Contains(err.Error(), "unknown bundled data set") {
			t.Errorf("%q: %v", path, err)
		}
	}
}
