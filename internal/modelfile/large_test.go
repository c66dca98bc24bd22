package modelfile

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nrdl.example/nrdl/gallery/index"
)

// A file of faces whose other parts are no large gallery is refused with the reason.
func TestOpenLargeRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.nrdl")
	x, err := index.New(2, 1).With(&index.Person{Name: "ann", IDs: []string{"ann/1"}, Info: []float64{1}, Vectors: []float32{1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	for _, meta := range []string{"", "{}", strings.Repeat("x", 100)} {
		if err := x.Save(t.Context(), path, []byte(meta), []byte("{}")); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenLarge(path, nil); err == nil || !strings.Contains(err.Error(), "model") {
			t.Errorf("meta %q: %v", meta, err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !IsLarge(bytes.NewReader(data)) || IsLarge(bytes.NewReader(data[:5])) || IsLarge(bytes.NewReader(nil)) {
		t.Error("a large gallery is known by its first bytes")
	}
	if _, err := OpenLarge(filepath.Join(t.TempDir(), "none"), nil); err == nil {
		t.Error("no file")
	}
}
