package faces_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nrdl.example/nrdl/faces"
)

// A history has the latest changes in their order and what the model was then, and Discard leaves nothing
// beside the model.
func TestHistory(t *testing.T) {
	t.Parallel()
	r := trained(t, crops(t, 4, 3), options())
	path := filepath.Join(t.TempDir(), "people.model")
	if err := r.Save(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if all, err := faces.History(path); len(all) != 0 || err != nil {
		t.Fatalf("%v, %v of a model without changes", all, err)
	}
	const changes = 103
	for i := range changes {
		if err := r.Record(t.Context(), path, fmt.Sprintf("change %d\nof 李", i)); err != nil {
			t.Fatal(err)
		}
	}
	all, err := faces.History(path)
	if err != nil || len(all) != 100 {
		t.Fatalf("%d changes, %v", len(all), err)
	}
	for i, c := range all {
		if want := fmt.Sprintf("change %d\nof 李",
			i+changes-100); c.What != want || c.People != r.Model().Len() || c.Faces != r.Model().Images().Len() || c.Time.IsZero() {
			t.Errorf("change %d is %+v, want %q", i, c, want)
		}
	}
	if err := r.Record(t.Context(), path, strings.Repeat("\x00", 1<<20)); err != nil {
		t.Fatal(err)
	}
	if _, err := faces.History(path); err != nil {
		t.Errorf("after a long text: %v", err)
	}
	if err := r.Replace(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second has nothing to delete
		if err := faces.Discard(path); err != nil {
			t.Fatal(err)
		}
	}
	if files, err := os.ReadDir(filepath.Dir(path)); len(files) != 1 || err != nil {
		t.Errorf("%v, %v beside the model", files, err)
	}
}

// A history that cannot be read is not replaced.
func TestBrokenHistory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "people.model")
	if err := os.WriteFile(path+".history", []byte("none\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if all, err := faces.History(path); err == nil {
		t.Errorf("%v of a broken file", all)
	}
	if err := trained(t, crops(t, 4, 3), options()).Record(t.Context(), path, "change"); err == nil {
		t.Error("a broken history was replaced")
	}
}
