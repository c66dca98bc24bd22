package faces

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/explain"
)

// Explain returns the reasons for the identification of f, a face returned by
// Identify. For a network it embeds the face about a hundred times, with parts of it
// covered, which takes about a second: as explain.DefaultOccluder does, or the one that is
// given; explain.Occluder{} covers nothing, which is enough for the sentence. Where r
// shortlists (Options.ShortlistAbove), the reasons are about the people of the shortlist,
// f.Ranked.
func (r *Recogniser) Explain(ctx context.Context, f Face, covering ...explain.Occluder) (*explain.Explanation, error) {
	switch {
	case r.m == nil:
		return nil, errEmpty
	case ctx == nil:
		return nil, noContext(ctx)
	case f.Rejection != nil:
		return nil, f.Rejection
	case f.values == nil || f.gallery != r.m || f.result.Gallery == nil:
		return nil, errors.New("explain: the face is not one that Identify of this Recogniser found")
	}
	m := f.result.Gallery
	e, err := explain.Of(ctx, m, dataset.Unlabelled(mat.NewDense(len(f.values), 1, f.values), m.Frame), f.result)
	if err != nil || f.crop == nil {
		return e, err
	}
	o := explain.DefaultOccluder
	if len(covering) > 0 {
		o = covering[0]
	}
	if o == (explain.Occluder{}) {
		return e, nil
	}
	return e, o.Occlude(ctx, m, m.Embedder, e, f.crop, r.progress("covering parts of the face"))
}
