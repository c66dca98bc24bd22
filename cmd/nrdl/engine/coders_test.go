package engine

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/dictionary"
)

// The coders that are listed for an online dictionary are those with which it can be learned.
func TestCoders(t *testing.T) {
	t.Parallel()
	x := mat.NewDense(3, 4, []float64{1, 0, 0, 0.6, 0, 1, 0, 0.8, 0, 0, 1, 0})
	var listed []string
	for _, p := range codec.Params(dictionary.DefaultOnline) {
		if p.Path == "coder" {
			listed = p.Choices
		}
	}
	for _, c := range coding.All {
		o := dictionary.DefaultOnline
		o.Coder, o.Passes = c, 1
		_, _, err := o.Learn(t.Context(), x, mat.DenseCopyOf(x.Slice(0, 3, 0, 3)), classify.Run{})
		if slices.Contains(listed, c.Name()) != (err == nil) {
			t.Errorf("%s: %v; there are %q", c.Name(), err, listed)
		}
	}
}
