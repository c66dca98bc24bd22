package faces

import (
	"context"
	"errors"
	"fmt"
	"image"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/openset"
)

// A Comparison is the result of a verification (1:1).
type Comparison struct {
	Similarity float64 `json:"similarity"`       // cosine of the samples of both faces
	FMR        float64 `json:"false_match_rate"` // estimated share of impostor pairs that are at least as similar

	Boxes  [2]image.Rectangle `json:"-"` // of the faces that were compared, in pixels of the upright photographs; empty for a crop
	Others [2]int             `json:"-"` // number of other faces in each photograph: the largest was compared
}

// Same reports whether the faces match at this false match rate.
func (c Comparison) Same(fmr float64) bool { return c.FMR <= fmr }

// Verify compares the largest faces of two upright photographs; the people need
// not be enrolled. With the built-in network any r will do, as the network's
// impostor scores were measured. With other features r must have been calibrated on
// three people or more; otherwise it has no impostor scores, which is an error. It is
// also an error if either photograph has no face of sufficient quality.
func (r *Recogniser) Verify(ctx context.Context, a, b image.Image) (Comparison, error) {
	if err := r.checkPhotos(ctx, a, b); err != nil {
		return Comparison{}, fmt.Errorf("verify: %w", err)
	}
	return compare(ctx, r, nil, namedPhoto{"photograph 1", dataset.NewPhoto(a)}, namedPhoto{"photograph 2", dataset.NewPhoto(b)})
}

// Verify compares the largest faces in two image files, as Recogniser.Verify does. If r is nil,
// it compares by frontend.Embedding. If detector is nil, the one of r or the default finds the
// faces. Errors name the file.
func Verify(ctx context.Context, r *Recogniser, detector *face.Search, a, b Photo) (Comparison, error) {
	if err := noContext(ctx); err != nil {
		return Comparison{}, err
	}
	var photos [2]namedPhoto
	for i, p := range []Photo{a, b} {
		data, inner, done, err := p.load(ctx)
		if err != nil {
			return Comparison{}, err
		}
		photo, err := dataset.DecodeColour(inner, data, p.Name)
		done()
		if err != nil {
			return Comparison{}, err
		}
		photos[i] = namedPhoto{p.Name, photo}
	}
	return compare(ctx, r, detector, photos[:]...)
}

// A namedPhoto is a photograph with its name in errors.
type namedPhoto struct {
	name  string
	photo *dataset.Photo
}

// compare compares photos with r, or with frontend.Embedding if r is nil.
func compare(ctx context.Context, r *Recogniser, detector *face.Search, photos ...namedPhoto) (Comparison, error) {
	if r == nil {
		in := frontend.Embedding
		in.Frame = in.Embedder.Frame()
		look := func(ctx context.Context, photo *dataset.Photo) ([]Face, error) {
			seen, err := face.In(ctx, photo, face.Largest, cutFor(in, detector))
			return facesOf(nil, seen), err
		}
		return verify(ctx, &frontend.Fitted{Pipeline: in}, fmrOf(in.Law()), look, classify.Unit, photos)
	}
	if err := r.checkPhotos(ctx); err != nil {
		return Comparison{}, fmt.Errorf("verify: %w", err)
	}
	if detector != nil {
		t := *r
		t.detect.Search = detector
		r = &t
	}
	if l := r.m.Impostors(); l != nil {
		return verify(ctx, &r.m.Fitted, fmrOf(l), r.findFaces, classify.Unit, photos)
	}
	c := r.m.Calibration
	if c == nil || c.Pairs == nil {
		return Comparison{},
			advice.Add(errors.New(
				"verify: the model does not know how similar different people are: it has two people, no threshold, or was written by an older nrdl"),
				"%v, if it keeps the faces of three people or more; %v needs no model", advice.Calibrate, advice.Compare)
	}
	return verify(ctx, &r.m.Fitted, c.Pairs.FMR, r.findFaces, r.m.Centred, photos)
}

// fmrOf is the false match rate of a cosine of two photographs.
func fmrOf(l *openset.Impostors) func(float64) float64 {
	return func(cosine float64) float64 { return l.FMR(1, cosine) }
}

// verify compares the faces that look finds in photos by the cosine of what centred
// makes of their samples.
func verify(ctx context.Context, in *frontend.Fitted, fmr func(float64) float64, look func(context.Context,
	*dataset.Photo) ([]Face, error), centred func(*mat.Dense) *mat.Dense, photos []namedPhoto,
) (Comparison, error) {
	var c Comparison
	x := mat.NewDense(in.Frame.Len(), len(photos), nil)
	for j, p := range photos {
		faces, err := look(ctx, p.photo)
		if err != nil {
			return Comparison{}, err
		}
		err = face.ErrNoFace
		if len(faces) > 0 {
			err = faces[0].Rejection
		}
		if err != nil {
			return Comparison{}, fmt.Errorf("verify: %s: %w", p.name, err)
		}
		x.SetCol(j, faces[0].values)
		c.Boxes[j], c.Others[j] = faces[0].Box, faces[0].neighbours
	}
	err := in.Each(dataset.Unlabelled(x, in.Frame), func(_, _ int, x *mat.Dense) error {
		u := centred(x)
		c.Similarity = max(-1, min(mat.Dot(u.ColView(0), u.ColView(1)), 1)) // rounding may exceed 1
		c.FMR = fmr(c.Similarity)
		return context.Cause(ctx)
	})
	return c, err
}
