package nrdl

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/mat"

	"nrdl/dataset"
	"nrdl/explain"
)

// Explain returns the reasons for the identification of f, a face returned by
// Identify.
func (r *Recogniser) Explain(ctx context.Context, f Face) (*explain.Explanation, error) {
	switch {
	case f.Rejected != nil:
		return nil, f.Rejected
	case f.values == nil || f.by != r.m:
		return nil, errors.New("explain: the face is not one that Identify of this Recogniser found")
	}
	return explain.New(ctx, r.m, dataset.Unlabelled(mat.NewDense(len(f.values), 1, f.values), r.m.Frame))
}
