package dataset

import (
	"bytes"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/kit/npz"
)

func npzFile(t testing.TB, arrays ...npz.Array) string {
	t.Helper()
	var b bytes.Buffer
	if err := npz.Write(&b, arrays...); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(drawFiles(t, map[string][]byte{"faces.npz": b.Bytes()}), "faces.npz")
}

func TestNPZInEitherOrientation(t *testing.T) {
	rows := npz.Float64("X", []int{3, 2}, []float64{1, 4, 2, 5, 3, 6}) // samples 1 4, 2 5, 3 6
	columns := npz.Float64("X", []int{2, 3}, numbers(6))
	for name, c := range map[string]struct {
		classes []string
		first   []float64
		arrays  []npz.Array
	}{
		"rows, text":       {[]string{"ann", "bob"}, []float64{2, 5}, []npz.Array{rows, npz.Text("y", []string{"bob", "ann", "bob"})}},
		"columns, numbers": {[]string{"-1", "12"}, []float64{2, 5}, []npz.Array{columns, npz.Int64("y", []int{3}, []int64{12, -1, 12})}},
		"reals":            {[]string{"0", "1"}, []float64{1, 4}, []npz.Array{rows, npz.Float64("y", []int{3, 1}, []float64{0, 1, 1})}},
	} {
		set, warnings := opened(t, npzFile(t, c.arrays...), Size{})
		if got := mat.Col(nil, 0, set.X); !slices.Equal(set.Classes, c.classes) || !slices.Equal(got, c.first) || len(warnings) > 0 {
			t.Errorf("%s: people %v, first sample %v, warnings %q", name, set.Classes, got, warnings)
		}
	}
}

// TestNPZOfImages reads N×height×width, whose pixels lie row after row.
func TestNPZOfImages(t *testing.T) {
	m := ramp(tiny.Height, tiny.Width)
	x := npz.Uint8("X", []int{2, tiny.Height, tiny.Width}, slices.Concat(ramp(tiny.Width, tiny.Height).Pix, m.Pix))
	set, _ := opened(t, npzFile(t, x, npz.Text("y", []string{"a", "b"})), Size{})
	if got := mat.Col(nil, 1, set.X); !slices.Equal(got, column(m)) || set.Frame.Size != tiny {
		t.Errorf("sample %v of size %v, want %v", got, set.Frame, column(m))
	}
}

func TestBadNPZSaysWhat(t *testing.T) {
	x := npz.Float64("X", []int{3, 2}, numbers(6))
	y := npz.Text("y", []string{"a", "b", "a"})
	for _, c := range []struct {
		want, hint string
		arrays     []npz.Array
	}{
		{"it has none of the pairs", "X (3×2 float64), z (3 text)", []npz.Array{x, npz.Text("z", []string{"a", "b", "a"})}},
		{"X[1, 0] is NaN", "", []npz.Array{npz.Float64("X", []int{3, 2}, []float64{1, 2, math.NaN(), 4, 5, 6}), y}},
		{"does not go with 2 labels", "", []npz.Array{npz.Float64("X", []int{3, 4}, numbers(12)), npz.Text("y", []string{"a", "b"})}},
		{"array X is text, not numbers", "", []npz.Array{npz.Text("X", []string{"a", "b", "a"}), y}},
		{"more than three dimensions", "", []npz.Array{npz.Float64("X", []int{3, 1, 1, 2}, numbers(6)), y}},
		{"y[1, 0] is 0.5", "", []npz.Array{x, npz.Float64("y", []int{3}, []float64{1, 0.5, 2})}},
	} {
		err := refused(t, npzFile(t, c.arrays...))
		if !strings.Contains(err.Error(), c.want) || !strings.Contains(advice.Text(err), c.hint) {
			t.Errorf("error %q, hint %q; want %q, %q", err, advice.Text(err), c.want, c.hint)
		}
	}
	root := drawFiles(t, map[string][]byte{"x.npz": []byte("PK nothing"), "x.mat": []byte("nothing"), "e.mat": {}})
	for _, name := range []string{"x.npz", "x.mat", "e.mat"} {
		if err := refused(t, filepath.Join(root, name)); !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestNPZRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "faces.npz")
	set := album(t, []string{"bob 10", "Ann", "bob 9", "Zoë <x>"}, 12)
	same(t, "bytes", saved(t, path, set), set)
	set.X.Set(3, 3, 0.25)
	set.Frame, set.Grid = Frame{}, classify.Grid{}
	got := saved(t, path, set)
	same(t, "numbers", got, set)
	again := saved(t, path, got)
	if !slices.Equal(got.IDs, again.IDs) || got.IDs[13] != "sample 2 of class Ann" {
		t.Errorf("image 13 is %s, then %s", got.IDs[13], again.IDs[13])
	}
}
