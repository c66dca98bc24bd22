package dataset

import (
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/kit/npz"
)

// The pixels of rows are in C order, unless the file says another one or an older nrdl wrote it.
func TestOrderOfRows(t *testing.T) {
	byRows := numbers(12) // of two images 2×3: 1 2 3 / 4 5 6
	byColumns := []float64{1, 4, 2, 5, 3, 6, 7, 10, 8, 11, 9, 12}
	y := npz.Text("y", []string{"a", "b"})
	size := []npz.Array{y, npz.Int64("height", nil, []int64{2}), npz.Int64("width", nil, []int64{3})}
	rows := func(data []float64, more ...npz.Array) []npz.Array {
		return append(append([]npz.Array{npz.Float64("X", []int{2, 6}, data)}, size...), more...)
	}
	named := []npz.Array{npz.Text("classes", []string{"a", "b"}), npz.Text("ids", []string{"1", "2"})}
	for name, arrays := range map[string][]npz.Array{
		"three dimensions": {npz.Float64("X", []int{2, 2, 3}, byRows), y},
		"rows":             rows(byRows),
		"order C":          rows(byRows, npz.Text("order", []string{"C"})),
		"order F":          rows(byColumns, npz.Text("order", []string{"F"})),
		"of an older nrdl": rows(byColumns, named...),
		"of nrdl":          rows(byRows, append([]npz.Array{npz.Text("order", []string{"C"})}, named...)...),
		"cut by an older":  rows(byColumns, npz.Text("input", []string{`{"height": 2, "width": 3}`})),
		"cut by nrdl":      rows(byRows, npz.Text("order", []string{"C"}), npz.Text("input", []string{`{"height": 2, "width": 3}`})),
	} {
		set, _ := opened(t, npzFile(t, arrays...), Size{})
		if want := mat.NewDense(2, 6, byColumns).T(); !mat.Equal(set.X, want) || set.Frame.Size != (Size{Height: 2, Width: 3}) {
			t.Errorf("%s: %v, %v", name, set.Frame, mat.Formatted(set.X))
		}
		for _, file := range []string{"x.npz", "x.mat"} {
			if again := saved(t, filepath.Join(t.TempDir(), file), set); !mat.Equal(again.X, set.X) {
				t.Errorf("%s: other pixels from %s", name, file)
			}
		}
	}
	err := refused(t, npzFile(t, rows(byRows, npz.Text("order", []string{"K"}))...))
	if !strings.Contains(err.Error(), "order is not C or F") || advice.Text(err) == "" {
		t.Errorf("order K: %v", err)
	}
}

// For a model of vectors rows stay as they are, and images are refused.
func TestVectorsKeepTheirOrder(t *testing.T) {
	options := Options{Arrays: Arrays{Unlabelled: true, Vectors: true}}
	set, err := Open(t.Context(), npzFile(t, npz.Float64("X", []int{2, 64}, numbers(128))), options)
	if err != nil || set.AreImages() || set.X.At(5, 0) != 6 {
		t.Errorf("rows: %v", err)
	}
	_, err = Open(t.Context(), npzFile(t, npz.Float64("X", []int{2, 8, 8}, numbers(128))), options)
	if err == nil || !strings.Contains(err.Error(), "in which order these have pixels nothing says") || advice.Text(err) == "" {
		t.Errorf("images: %v", err)
	}
}
