package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"nrdl"
	"nrdl/dataset"
	"nrdl/internal/atomicfile"
	"nrdl/internal/hint"
	"nrdl/method"
)

// trained returns a model of drawn people and the set that it was learnt from.
func trained(t testing.TB, m nrdl.Method, people, perPerson int, in nrdl.Size) (*nrdl.Model, *nrdl.Set) {
	t.Helper()
	s := dataset.DefaultSynthetic
	s.People, s.PerPerson, s.Input = people, perPerson, in
	set, err := s.Draw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	model, err := m.Fit(t.Context(), set, nrdl.Run{})
	if err != nil {
		t.Fatal(err)
	}
	return model, set
}

// A model of samples that are not images cannot see an image.
func TestIdentifyNeedsImages(t *testing.T) {
	_, set := trained(t, method.DefaultCRC, 2, 3, nrdl.Size{Height: 8, Width: 8})
	set.Input = nrdl.Input{}
	model, err := method.DefaultCRC.Fit(t.Context(), set, nrdl.Run{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m.nrdl")
	if _, err := atomicfile.Write(t.Context(), path, model.Save); err != nil {
		t.Fatal(err)
	}
	i := newIdentification(newTestApp(t))
	err = i.run(t.Context(), path, []string{path}, nil)
	if err == nil || !strings.Contains(err.Error(), "not images") || !strings.Contains(hint.Of(err), "nrdl evaluate") {
		t.Errorf("error %v, hint %q", err, hint.Of(err))
	}
}

// The likeliest come first, the first of equals first.
func TestBest(t *testing.T) {
	model, _ := trained(t, method.DefaultCRC, 5, 2, nrdl.Size{Height: 8, Width: 8})
	i := &identification{model: model, identifyFlags: identifyFlags{top: 4}}
	var names []string
	for _, g := range i.best([]float64{0.2, 0.9, 0.2, -1, 0.9}) {
		names = append(names, strings.TrimPrefix(g.Name, "person00"))
	}
	if got := strings.Join(names, " "); got != "2 5 1 3" {
		t.Errorf("the order is %s", got)
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

// BenchmarkIdentifyOne is the way from a decoded image to its name.
func BenchmarkIdentifyOne(b *testing.B) {
	for _, m := range []nrdl.Method{method.DefaultNRDL, method.DefaultNRC} {
		b.Run(m.Name(), func(b *testing.B) {
			model, set := trained(b, m, 40, 6, nrdl.Size{Height: 56, Width: 46})
			i := &identification{model: model, identifyFlags: identifyFlags{top: 5}}
			x := mat.DenseCopyOf(set.X.Slice(0, 56*46, 0, 1))
			one := &nrdl.Set{X: x, Input: set.Input}
			if _, err := model.Recognise(b.Context(), one); err != nil { // prepares the coder
				b.Fatal(err)
			}
			for b.Loop() {
				said, err := model.Recognise(b.Context(), one)
				if err != nil {
					b.Fatal(err)
				}
				if len(i.best(said[0].Scores)) != 5 {
					b.Fatal("not five names")
				}
			}
		})
	}
}
