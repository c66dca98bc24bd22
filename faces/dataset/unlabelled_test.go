package dataset

import (
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/faces/internal/mat5"
	"nrdl.example/nrdl/internal/kit/npz"
)

// Samples without labels are in the order of the file, whatever the labels and the names of
// the arrays are.
func TestUnlabelledInTheOrderOfTheFile(t *testing.T) {
	rows := func(name string) npz.Array { return npz.Float64(name, []int{3, 2}, []float64{1, 4, 2, 5, 3, 6}) }
	columns := func(name string) npz.Array { return npz.Float64(name, []int{2, 3}, numbers(6)) }
	want := mat.NewDense(2, 3, numbers(6))
	for name, c := range map[string]struct {
		path   string
		arrays Arrays
	}{
		"labels":           {npzFile(t, rows("X"), npz.Int64("y", []int{3}, []int64{2, 1, 2})), Arrays{}},
		"labels, columns":  {npzFile(t, columns("X"), npz.Int64("y", []int{3}, []int64{2, 1, 2})), Arrays{}},
		"none":             {npzFile(t, rows("X")), Arrays{}},
		"none, columns":    {npzFile(t, columns("X")), Arrays{Length: 2}},
		"one array":        {npzFile(t, rows("data")), Arrays{}},
		"named":            {npzFile(t, npz.Float64("X", []int{1}, []float64{7}), rows("data")), Arrays{X: "data"}},
		"optional":         {npzFile(t, rows("X")), Arrays{Optional: true}},
		"test set":         {matFile(t, mat5.Double("testing_feats", 2, 3, []float64{1, 4, 2, 5, 3, 6})), Arrays{}},
		"MATLAB, rows":     {matFile(t, mat5.Double("fea", 3, 2, numbers(6))), Arrays{}},
		"labels elsewhere": {npzFile(t, rows("X"), npz.Int64("target", []int{3}, []int64{2, 1, 2})), Arrays{Y: "target"}},
	} {
		c.arrays.Unlabelled = !c.arrays.Optional
		set, err := Open(t.Context(), c.path, Options{Arrays: c.arrays})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if set.Classes != nil || !mat.Equal(set.X, want) {
			t.Errorf("%s: classes %q, %v", name, set.Classes, mat.Formatted(set.X))
		}
		copied := filepath.Join(t.TempDir(), "copy"+filepath.Ext(c.path))
		if err := Save(t.Context(), copied, set); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if again, err := Open(t.Context(), copied, Options{Arrays: Arrays{Optional: true}}); err != nil || !mat.Equal(again.X, want) {
			t.Errorf("%s: saved and read: %v", name, err)
		}
	}
}

func TestNamedArrays(t *testing.T) {
	path := npzFile(t, npz.Float64("data", []int{4, 1}, []float64{4, 3, 2, 1}),
		npz.Int64("target", []int{4}, []int64{1, 0, 1, 0}), npz.Int64("y", []int{4}, []int64{5, 5, 6, 6}))
	for _, c := range []struct {
		arrays Arrays
		want   []float64
	}{
		{Arrays{X: "data", Y: "target"}, []float64{3, 1, 4, 2}},
		{Arrays{X: "data"}, []float64{4, 3, 2, 1}},
	} {
		set, err := Open(t.Context(), path, Options{Arrays: c.arrays})
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(set.X, mat.NewDense(1, 4, c.want)) {
			t.Errorf("%v: %v", c.arrays, mat.Formatted(set.X))
		}
	}
}
