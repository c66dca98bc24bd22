package nrdl

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/explain"
)

// Explain returns the reasons for the identification of f, a face returned by
// Identify. For a network it embeds the face about a hundred times, with parts of it
// covered, which takes about a second.
func (r *Recogniser) Explain(ctx context.Context, f Face) (*explain.Explanation, error) {
	switch {
	case r.m == nil:
		return nil, errEmpty
	case f.Rejected != nil:
		return nil, f.Rejected
	case r.m.Crowd != nil:
		return nil, errors.New("explain: a face among more than 10,000 is not explained; its nearest photographs are in Face.Nearest")
	case f.values == nil || f.by != r.m:
		return nil, errors.New("explain: the face is not one that Identify of this Recogniser found")
	}
	e, err := explain.Of(ctx, r.m, dataset.Unlabelled(mat.NewDense(len(f.values), 1, f.values), r.m.Frame), f.said)
	if err != nil || f.crop == nil {
		return e, err
	}
	return e, explain.DefaultOccluder.Occlude(ctx, r.m, r.m.Embedder, e, f.crop, r.progress("covering parts of the face"))
}
