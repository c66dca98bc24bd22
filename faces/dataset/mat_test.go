package dataset

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/internal/mat5"
)

// matFile writes variables into a new file.
func matFile(t testing.TB, vars ...mat5.Variable) string {
	t.Helper()
	var b bytes.Buffer
	if err := mat5.Write(&b, vars...); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(drawFiles(t, map[string][]byte{"faces.mat": b.Bytes()}), "faces.mat")
}

// numbers are 1, 2, …, n.
func numbers(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(i + 1)
	}
	return v
}

func TestMATInEitherOrientation(t *testing.T) {
	// fea(i,j) = i + 3(j−1): three samples of two features, or the reverse.
	want := mat.NewDense(2, 3, []float64{1, 3, 2, 4, 6, 5})
	for name, vars := range map[string][]mat5.Variable{
		"rows":    {mat5.Double("fea", 3, 2, numbers(6)), mat5.Double("gnd", 3, 1, []float64{0, 7, 0})},
		"uint8":   {mat5.Uint8("X", 3, 2, []uint8{1, 2, 3, 4, 5, 6}), mat5.Int32("y", 1, 3, []int32{-5, 7, -5})},
		"columns": {mat5.Double("X", 2, 3, []float64{1, 4, 2, 5, 3, 6}), mat5.Double("labels", 1, 3, []float64{1, 2, 1})},
		"one-hot": {
			mat5.Double("training_feats", 2, 3, []float64{1, 4, 2, 5, 3, 6}),
			mat5.Double("H_train", 2, 3, []float64{1, 0, 0, 1, 1, 0}), mat5.Double("H_test", 1, 1, []float64{1}),
		},
	} {
		set, warnings := opened(t, matFile(t, vars...), Size{})
		if !mat.Equal(set.X, want) {
			t.Errorf("%s: %v, want %v", name, mat.Formatted(set.X), mat.Formatted(want))
		}
		if set.Frame.Len() != 0 || len(warnings) != map[string]int{"one-hot": 1}[name] {
			t.Errorf("%s: size %v, warnings %q", name, set.Frame, warnings)
		}
		classes := map[string][]string{"rows": {"0", "7"}, "uint8": {"-5", "7"}}[name]
		if classes == nil {
			classes = []string{"1", "2"}
		}
		if !slices.Equal(set.Classes, classes) {
			t.Errorf("%s: people %v, want %v", name, set.Classes, classes)
		}
	}
}

func TestSquareMATHasSamplesInRows(t *testing.T) {
	h := []float64{1, 0, 0, 1}
	set, _ := opened(t, matFile(t, mat5.Double("fea", 2, 2, numbers(4)), mat5.Double("gnd", 2, 1, numbers(2))), Size{})
	if got := mat.Col(nil, 0, set.X); !slices.Equal(got, []float64{1, 3}) {
		t.Errorf("first sample %v, want the first row", got)
	}
	set, _ = opened(t, matFile(t, mat5.Double("training_feats", 2, 2, numbers(4)), mat5.Double("H_train", 2, 2, h)), Size{})
	if got := mat.Col(nil, 0, set.X); !slices.Equal(got, []float64{1, 2}) {
		t.Errorf("first sample %v, want the first column", got)
	}
}

func TestSizeOfMATImages(t *testing.T) {
	gnd := mat5.Double("gnd", 3, 1, []float64{1, 2, 2})
	side := func(name string, v float64) mat5.Variable { return mat5.Double(name, 1, 1, []float64{v}) }
	for _, c := range []struct {
		name     string
		d        int
		sides    []mat5.Variable
		in, want Size
		warnings int
	}{
		{"given", 12, []mat5.Variable{side("height", 4), side("width", 3)}, Size{}, tiny, 0},
		{"square", 64, nil, Size{}, Size{Height: 8, Width: 8}, 1},
		{"too small for images", 49, nil, Size{}, Size{}, 0},
		{"no square", 65, nil, Size{}, Size{}, 0},
		{"asked for", 12, nil, tiny, tiny, 0},
		{"resized", 12, []mat5.Variable{side("height", 4), side("width", 3)}, Size{Height: 8, Width: 9}, Size{Height: 8, Width: 9}, 0},
	} {
		path := matFile(t, append(c.sides, mat5.Double("fea", 3, c.d, numbers(3*c.d)), gnd)...)
		set, warnings := opened(t, path, c.in)
		if set.Frame.Size != c.want || len(warnings) != c.warnings {
			t.Errorf("%s: size %v, want %v; warnings %q", c.name, set.Frame, c.want, warnings)
		}
	}
}

// TestResizingSamplesIsResizingImages holds samples of a file against the same
// image drawn by the image path, and keeps values that are no grey values.
func TestResizingSamplesIsResizingImages(t *testing.T) {
	in := Size{Height: 7, Width: 5}
	m := ramp(20, 16)
	want := sample(m, Frame{Size: in})
	v := column(m)
	for i := range v {
		v[i] /= 1000
	}
	x := &table{x: mat.NewDense(320, 1, v), size: Size{Height: 20, Width: 16}}
	if err := x.resize(Frame{Size: in}); err != nil {
		t.Fatal(err)
	}
	x.x.Scale(1000, x.x)
	// The values are clamped to those of the image here, to 0 … 255 there.
	if d := distance(mat.Col(nil, 0, x.x), want); d > 1 {
		t.Errorf("a pixel is off by %v", d)
	}
}

func TestBadMATSaysWhat(t *testing.T) {
	fea := mat5.Double("fea", 3, 2, numbers(6))
	gnd := mat5.Double("gnd", 3, 1, []float64{1, 2, 2})
	bad := func(at int, v float64) []float64 {
		x := numbers(6)
		x[at] = v
		return x
	}
	for _, c := range []struct {
		want, hint string
		vars       []mat5.Variable
	}{
		{
			"it has none of the pairs fea and gnd, X and y", "fea (3×2 double), id (3×1 double)",
			[]mat5.Variable{fea, mat5.Double("id", 3, 1, numbers(3))},
		},
		{"fea(2,2) is NaN", "", []mat5.Variable{mat5.Double("fea", 3, 2, bad(4, math.NaN())), gnd}},
		{"fea(1,1) is +Inf", "", []mat5.Variable{mat5.Double("fea", 3, 2, bad(0, math.Inf(1))), gnd}},
		{"gnd(2,1) is 1.5: a label is an integer", "", []mat5.Variable{fea, mat5.Double("gnd", 3, 1, []float64{1, 1.5, 2})}},
		{"gnd(3,1) is NaN", "", []mat5.Variable{fea, mat5.Double("gnd", 3, 1, []float64{1, 1, math.NaN()})}},
		{"gnd 3×2 holds the labels and is no vector", "", []mat5.Variable{fea, mat5.Double("gnd", 3, 2, numbers(6))}},
		{"fea 3×2 does not go with 4 labels", "", []mat5.Variable{fea, mat5.Double("gnd", 4, 1, numbers(4))}},
		{
			"column 2 of H_train 2×3 is not a single 1", "",
			[]mat5.Variable{mat5.Double("training_feats", 2, 3, numbers(6)), mat5.Double("H_train", 2, 3, []float64{1, 0, 1, 1, 0, 1})},
		},
		{"height is 2.5", "", []mat5.Variable{fea, gnd, mat5.Double("height", 1, 1, []float64{2.5}), mat5.Double("width", 1, 1, []float64{1})}},
		{
			"height 5 and width 3 make 15 pixels, the samples have 2", "",
			[]mat5.Variable{fea, gnd, mat5.Int32("height", 1, 1, []int32{5}), mat5.Int32("width", 1, 1, []int32{3})},
		},
		{"is empty", "", []mat5.Variable{mat5.Double("fea", 0, 0, nil), gnd}},
	} {
		err := refused(t, matFile(t, c.vars...))
		if !strings.Contains(err.Error(), c.want) || !strings.Contains(advice.Text(err), c.hint) {
			t.Errorf("error %q, hint %q; want %q, %q", err, advice.Text(err), c.want, c.hint)
		}
	}
}

func TestNamesBesideMAT(t *testing.T) {
	vars := []mat5.Variable{mat5.Double("fea", 3, 2, numbers(6)), mat5.Double("gnd", 3, 1, []float64{2, 1, 2})}
	for _, c := range []struct {
		list, person, id, warning string
	}{
		{"0\t2\tzoe/1.pgm\r\n1\t1\tann/1.pgm\r\n2\t2\tzoe/2.pgm\r\n", "ann", "ann/1.pgm", ""},
		{"zoe/1.pgm\nann/1.pgm\nzoe/2.pgm", "ann", "ann/1.pgm", ""},
		{"zoe/1.pgm\nann/1.pgm\nbob/2.pgm", "1", "ann/1.pgm", ""}, // label 2 is zoe and bob
		{"a/1.pgm\na/2.pgm\na/3.pgm", "1", "a/2.pgm", ""},
		{"x.pgm\ny.pgm\nz.pgm", "1", "y.pgm", ""},
		{"x.pgm\ny.pgm\n", "1", "sample 1 of class 1", "2 lines for 3 samples"},
		{"0\t1\ta/1\n1\t1\tb\n2\t2\tc\n", "1", "sample 1 of class 1", "line 1 has label 1, the sample has 2"},
	} {
		path := matFile(t, vars...)
		if err := os.WriteFile(namesFile(path), []byte(c.list), 0o644); err != nil {
			t.Fatal(err)
		}
		set, warnings := opened(t, path, Size{})
		if set.Classes[0] != c.person || set.ID(0) != c.id || set.X.At(0, 0) != 2 {
			t.Errorf("%q: people %v, image 0 is %s", c.list, set.Classes, set.ID(0))
		}
		if len(warnings) != min(1, len(c.warning)) || !strings.Contains(strings.Join(warnings, ""), c.warning) {
			t.Errorf("%q: warnings %q, want %q", c.list, warnings, c.warning)
		}
	}
}

func TestMATRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "faces.mat")
	set := album(t, []string{"bob 10", "Ann", "bob 9"}, 12) // an order that is not natural
	same(t, "bytes", saved(t, path, set), set)
	set.X.Set(3, 3, 0.25)
	got := saved(t, path, set)
	same(t, "numbers", got, set)
	if got.IDs[13] != "Ann/0002" {
		t.Errorf("image 13 is %s", got.IDs[13])
	}
	got.IDs[0], got.IDs[1], got.IDs[2] = "../a.pgm", "/b\t\n.pgm", ""
	same(t, "odd sources", saved(t, path, got), set)
}

func TestFolderToMATToFolder(t *testing.T) {
	root := drawFiles(t, map[string][]byte{"s10/1.pgm": pgm(1), "s2/sub/10.pgm": pgm(2), "s2/2.pgm": pgm(3)})
	set, _ := opened(t, root, tiny)
	dir := t.TempDir()
	mid := saved(t, filepath.Join(dir, "x.mat"), set)
	same(t, "mat", mid, set)
	if !slices.Equal(mid.IDs, set.IDs) {
		t.Errorf("images %v, want %v", mid.IDs, set.IDs)
	}
	if err := Save(t.Context(), filepath.Join(dir, "y"), mid); err != nil {
		t.Fatal(err)
	}
	end, _ := opened(t, filepath.Join(dir, "y"), tiny)
	same(t, "folder", end, set)
}
