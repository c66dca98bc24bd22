//go:build unix

package tags_test

import (
	"context"
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"nrdl.example/nrdl/faces/tags"
	"nrdl.example/nrdl/internal/kit/regular"
)

// A pipe in the place of a sidecar, of the JSON file of Takeout or of a photograph is refused: opening
// it would wait for ever.
func TestPipesBesidePhotographs(t *testing.T) {
	for _, name := range []string{"a.jpg.xmp", "a.xmp", "a.jpg.XMP", "a.jpg.json", "a.jpg.supplemental-metadata.json", "a.jpg"} {
		dir := t.TempDir()
		photo := filepath.Join(dir, "a.jpg")
		if name != "a.jpg" {
			photograph(t, dir, "a.jpg", 1)
		}
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o666); err != nil {
			t.Fatal(err)
		}
		_, read := tags.Read(photo)
		_, takeout := new(tags.Takeout).Names(photo)
		_, write := new(tags.Writer).Write(context.Background(), photo, []tags.Face{{Name: "Ann"}})
		_, remove := new(tags.Writer).Remove(context.Background(), photo)
		json := filepath.Ext(name) == ".json"
		for step, err := range map[string]error{"read": read, "write": write, "remove": remove} {
			if errors.Is(err, regular.ErrNot) == json {
				t.Errorf("%s, %s: %v", name, step, err)
			}
		}
		if errors.Is(takeout, regular.ErrNot) != json {
			t.Errorf("%s, takeout: %v", name, takeout)
		}
	}
}
