package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/method"
)

// trained returns the file of a model of drawn people and the set that it was
// trained on.
func trained(t testing.TB, m classify.Method, people, perPerson int, in dataset.Size) (string, *dataset.Images) {
	t.Helper()
	s := synthetic.Default
	s.People, s.PerPerson, s.Input = people, perPerson, in
	set, err := s.Draw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return saved(t, set, m), set
}

func saved(t testing.TB, set *dataset.Images, m classify.Method) string {
	t.Helper()
	r, err := faces.Train(t.Context(), set, faces.Options{Method: m})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m.nrdl")
	if err := r.Save(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	return path
}

// A model of samples that are not images cannot see an image.
func TestIdentifyNeedsImages(t *testing.T) {
	_, set := trained(t, method.DefaultCRC, 2, 3, dataset.Size{Height: 8, Width: 8})
	path := saved(t, &dataset.Images{Samples: classify.Samples{X: set.X, Groups: set.Groups, Classes: set.Classes}}, method.DefaultCRC)
	i := newIdentification(newTestApp(t))
	err := i.run(t.Context(), path, []string{path}, nil)
	if err == nil || !strings.Contains(err.Error(), "trained on vectors") || !strings.Contains(advice.Text(err), "nrdl evaluate") {
		t.Errorf("error %v, hint %q", err, advice.Text(err))
	}
}

// newIdentification has the flags as they are where none is given.
func newIdentification(a *app) *identification {
	i := &identification{app: a}
	i.register(&cobra.Command{})
	return i
}

func newTestApp(t testing.TB) *app {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { null.Close() })
	return newApp(null, null)
}
