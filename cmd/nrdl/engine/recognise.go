package engine

import (
	"cmp"
	"context"
	"errors"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/results"
	"nrdl.example/nrdl/method"
)

// open answers with what a model is: its method, what it takes, its people and its threshold.
func (s *session) open(_ context.Context, f *incoming) (*answer, error) {
	if err := f.only(); err != nil {
		return nil, err
	}
	g, err := s.model(f)
	if err != nil {
		return nil, err
	}
	d, _, _ := g.Dims()
	p := g.Shared()
	a := &answer{header: map[string]any{
		"method": p.Method, "classes": g.Names(), "seed": p.Seed, "features": cmp.Or(g.Frame.Len(), d),
		"sees_images": g.SeesImages(), "faces": !g.Embedding.IsZero() || !g.Frame.Eyes.IsZero(),
		"status": p.Outcome.Status, "passes": p.Outcome.Iter, "residual": p.Outcome.Residual,
	}}
	if g.Frame.Size != (dataset.Size{}) && g.Embedding.IsZero() {
		a.header["image"] = []int{g.Frame.Height, g.Frame.Width}
	}
	if g.Method != nil {
		a.header["params"] = method.Params(g.Method)
	}
	if g.Calibration != nil {
		a.header["options"] = g.Options()
		a.promises(g)
	}
	return a, nil
}

// identify answers with the faces of each image and their names, as the command identify does.
func (s *session) identify(ctx context.Context, f *incoming) (*answer, error) {
	g, err := s.model(f)
	if err == nil {
		err = f.mayName(g)
	}
	if err == nil && !g.SeesImages() {
		err = errors.New("the model was trained on vectors, or on images of an unknown size")
	}
	if err != nil {
		return nil, err
	}
	how := face.Options{Which: cmp.Or(f.Faces, face.Every), Twice: f.Twice}
	if f.Detect != nil {
		how.Detect = *f.Detect
	}
	r, err := faces.Of(g).With(how, faces.Observer{})
	if err != nil {
		return nil, err
	}
	all, top := []results.Object{}, max(f.Top, 1)
	photos := func(yield func(faces.Photo) bool) {
		for _, name := range f.Files {
			if !yield(faces.Photo{Name: name}) {
				return
			}
		}
	}
	for found, err := range r.IdentifyAll(ctx, photos) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		all = append(all, results.New(found, err, top, ""))
	}
	for _, a := range f.arrays {
		if a.Name == modelArray {
			continue
		}
		img, err := picture(a)
		if err != nil {
			return nil, err
		}
		found, err := r.Identify(ctx, img)
		if err != nil {
			return nil, err
		}
		all = append(all, results.New(faces.Result{Faces: found, Size: img.Bounds().Size()}, nil, top, ""))
	}
	return &answer{header: map[string]any{"images": all}}, nil
}
