package dataset

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
)

// album draws a set of so many images per person, of size tiny.
func album(t testing.TB, names []string, images int) *Images {
	t.Helper()
	x := mat.NewDense(tiny.Len(), len(names)*images, nil)
	var labels []string
	for j := range len(names) * images {
		labels = append(labels, names[j/images])
		x.SetCol(j, column(ramp(tiny.Height, tiny.Width)))
		x.Set(0, j, float64(j%200))
		x.Set(1, j, float64(j/200))
	}
	set, err := NewImages(x, labels, nil, names, Frame{Size: tiny})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func saved(t testing.TB, path string, set *Images) *Images {
	t.Helper()
	if err := Save(t.Context(), path, set); err != nil {
		t.Fatal(err)
	}
	again, warnings := opened(t, path, Size{})
	if len(warnings) > 0 {
		t.Errorf("%s: warnings %q", path, warnings)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, error %v", left, err)
	}
	return again
}

func same(t testing.TB, name string, got, want *Images) {
	t.Helper()
	if !mat.Equal(got.X, want.X) {
		t.Errorf("%s: values changed", name)
	}
	if d := cmp.Diff([]any{want.Classes, want.Groups, want.Frame, want.Grid}, []any{got.Classes, got.Groups, got.Frame, got.Grid}); d != "" {
		t.Errorf("%s: (-want +got)\n%s", name, d)
	}
}

func TestFolderRoundTrip(t *testing.T) {
	set := album(t, []string{"Ann", "bob", "bob 10"}, 12)
	root := filepath.Join(t.TempDir(), "faces")
	if err := Save(t.Context(), root, set); err != nil {
		t.Fatal(err)
	}
	got, _ := opened(t, root, tiny)
	same(t, "folder", got, set)
	if got.IDs[12] != "bob/0001.png" {
		t.Errorf("image 12 is %s", got.IDs[12])
	}
	err := Save(t.Context(), root, set)
	if err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("a folder with images is written over: error %v", err)
	}
	if err := Save(t.Context(), root+".v2/", set); err != nil {
		t.Errorf("a folder with a dot in its name: %v", err)
	}
	empty := t.TempDir()
	if err := Save(t.Context(), empty, set); err != nil {
		t.Errorf("an empty folder is not taken: %v", err)
	}
}

func TestFolderIsWrittenWhollyOrNot(t *testing.T) {
	set := album(t, []string{"a", "b"}, 3)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	if err := Save(ctx, filepath.Join(dir, "faces"), set); err == nil {
		t.Error("no error of a context that is cancelled")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, error %v", entries, err)
	}
}

func TestFolderRefusesWhatIsNoGreyImage(t *testing.T) {
	for want, edit := range map[string]func(*Images){
		"not 0 and 255":  func(s *Images) { s.X.Set(0, 0, -3) },
		"all black":      func(s *Images) { s.X.Scale(1./256, s.X) },
		"known size":     func(s *Images) { s.Frame, s.Grid = Frame{}, classify.Grid{} },
		"feature 0 is N": func(s *Images) { s.X.Set(0, 0, math.NaN()) },
	} {
		set := album(t, []string{"a", "b"}, 3)
		edit(set)
		err := Save(t.Context(), filepath.Join(t.TempDir(), "faces"), set)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if err := Save(t.Context(), "faces.xyz", album(t, []string{"a", "b"}, 3)); err == nil {
		t.Error("a file of unknown kind is written")
	}
}

func TestNamesBecomeFolders(t *testing.T) {
	names := []string{"Ann", "ann", "a?b", "CON", "lpt1.txt", "COM².x", "x.", strings.Repeat("é", 100), "Thumbs.db", "a:b", "name", "conin$"}
	got := fileNames(names)
	want := []string{
		"Ann", "ann_2", "a_b", "_CON", "_lpt1.txt", "_COM².x", "x", strings.Repeat("é", 100),
		"_Thumbs.db", "a_b_2", "name", "_conin$",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	set := album(t, slices.Compact(names), 1)
	root := filepath.Join(t.TempDir(), "faces")
	if err := Save(t.Context(), root, set); err != nil {
		t.Fatal(err)
	}
	back, warnings := opened(t, root, tiny)
	if len(back.Classes) != len(names) || len(warnings) > 0 {
		t.Errorf("people %q, warnings %q", back.Classes, warnings)
	}
}

func TestDescribe(t *testing.T) {
	set := album(t, []string{"a", "b", "c"}, 4)
	twin := mat.Col(nil, 0, set.X)
	set.X.SetCol(2, twin)                   // of the same person
	set.X.SetCol(6, mat.Col(nil, 3, set.X)) // of another
	set.X.SetCol(7, make([]float64, tiny.Len()))
	set.X.SetCol(8, slices.Repeat([]float64{9}, tiny.Len()))
	got := Describe(set)
	want := Info{
		People: 3, Images: 12, Features: 12, Frame: Frame{Size: tiny}, MinImages: 4, MaxImages: 4, Lowest: 0,
		Highest: mat.Max(set.X), Integers: true,
		Blank: []int{7}, Constant: []int{8}, Duplicates: [][]int{{0, 2}, {3, 6}}, Conflicts: [][]int{{3, 6}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	set.X.Set(0, 0, 0.5)
	if Describe(set).Integers {
		t.Error("0.5 is taken for an integer")
	}
}

// A MATLAB file that cannot be written leaves the names beside the old one.
func TestMATKeepsOldNames(t *testing.T) {
	set := album(t, []string{"a", "b"}, 2)
	dir := t.TempDir()
	path, names := filepath.Join(dir, "x.mat"), filepath.Join(dir, "x.names.txt")
	if err := os.WriteFile(names, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Save(ctx, path, set); err == nil {
		t.Error("no error of a context that is cancelled")
	}
	if text, _ := os.ReadFile(names); string(text) != "mine" {
		t.Errorf("the names became %q", text)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

// Files keep names as they are.
func TestNamesAreKept(t *testing.T) {
	names := []string{"CON", "a: c?", "ann", "Ann", "x.", "é|é", "a b", "a_b", "=1", "'t"}
	set := album(t, names, 2)
	for _, ext := range []string{".npz", ".mat"} {
		path := filepath.Join(t.TempDir(), "x"+ext)
		if d := cmp.Diff(names, saved(t, path, set).Classes); d != "" {
			t.Errorf("%s: (-want +got)\n%s", ext, d)
		}
		if losses := Losses(path, set); len(losses) > 0 {
			t.Errorf("%s: losses %q", ext, losses)
		}
	}
}

func TestBlank(t *testing.T) {
	for _, c := range []struct {
		sample []float64
		want   bool
	}{
		{[]float64{0, 0}, true},
		{[]float64{90, 90 + 1e-13}, true},
		{[]float64{255, 255 - 9e-7}, true},
		{[]float64{0, 1}, false},
		{[]float64{90, 90.001}, false},
		{[]float64{1e-9, 2e-9}, false},
		{[]float64{-1, 1}, false},
	} {
		if got := Blank(c.sample); got != c.want {
			t.Errorf("%v: blank %v", c.sample, got)
		}
	}
}

// The warning about zero samples is in the words for samples, and names each once.
func TestZeroSamplesAreCalledThat(t *testing.T) {
	x := mat.NewDense(2, 4, []float64{0, 1, 0, 0, 0, 2, 0, 0})
	set, err := NewImages(x, []string{"a", "a", "b", "b"}, nil, nil, Frame{})
	if err != nil {
		t.Fatal(err)
	}
	err = refuseBlank(set, Options{})
	if hint := fmt.Sprint(err, advice.Of(err)); err == nil || strings.Contains(hint, "image") || strings.Contains(hint, "person") ||
		!strings.Contains(hint, "add samples of \"b\" that are not zero") {
		t.Errorf("%s", hint)
	}
	x.Set(0, 2, 1)
	x.Set(0, 3, 1)
	warned := ""
	if err := refuseBlank(set, Options{Warn: func(text string) { warned = text }}); err != nil || warned != "sample 1 of class a is zero" {
		t.Errorf("%v, warned %q", err, warned)
	}
}
