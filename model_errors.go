package nrdl

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"nrdl/coding"
	"nrdl/internal/hint"
	"nrdl/internal/lin"
)

// Errors returns the d×n errors that a robust coder finds in the columns of x,
// samples in any scale, which are coded at unit norm: an element is 0 where the
// dictionary explains the feature, and what it leaves over where something else
// is there, such as a scarf. Of samples that are projected they are the errors
// of the projected ones. A coder that finds no errors is an error.
func (m *Model) Errors(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	_, n := x.Dims()
	d, k := m.p.D.Dims()
	out := mat.NewDense(d, n, nil)
	err := m.each(ctx, x, func(over coding.Coding, lo, hi int, y *mat.Dense) error {
		c, ok := over.(coding.ErrorCoding)
		if !ok {
			return hint.Add(fmt.Errorf("the coder %s finds none", m.p.Coder.Name()),
				"learn with the coder %s", coding.DefaultRobust.Name())
		}
		return c.CodeWithErrors(ctx, mat.NewDense(k, hi-lo, nil), lin.Cols(out, lo, hi), y)
	})
	if err != nil {
		return nil, fmt.Errorf("errors of samples: %w", err)
	}
	return out, nil
}
