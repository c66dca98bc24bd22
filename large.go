package nrdl

import (
	"context"
	"errors"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/frontend"
	"nrdl.example/nrdl/gallery"
	"nrdl.example/nrdl/gallery/large"
	"nrdl.example/nrdl/openset"
)

// large returns the gallery of r if it is a large one, or nil.
func (r *Recogniser) large() *large.Gallery {
	if r.m == nil {
		return nil
	}
	g, _ := r.m.Crowd.(*large.Gallery)
	return g
}

// with is r with another gallery.
func (r *Recogniser) with(g *large.Gallery) *Recogniser {
	return r.of(g.Model())
}

// trainLarge is Train on more faces than a Model should have. It is nil if these are fewer,
// or cannot be searched.
func trainLarge(ctx context.Context, images *dataset.Images, in frontend.Pipeline, o Options) (*Recogniser, error) {
	if o.Forget || o.All || images.Len() <= large.Faces || images.Frame.Embedding.IsZero() || len(images.Classes) < classify.LeastClasses {
		return nil, nil
	}
	first := make([]int, images.Groups[classify.LeastClasses])
	for j := range first {
		first[j] = j
	}
	m, err := gallery.Learn(ctx, images.Select(first), in, o.Method, classify.Run{Seed: o.Seed})
	if err != nil || !large.Suits(m, o.Method) {
		return nil, nil //nolint:nilerr // Train tells of it
	}
	m.Search = o.search(images)
	return newLarge(ctx, m, images, o)
}

// newLarge returns a Recogniser of a large gallery of images with the pipeline of m; nil if
// they cannot be searched.
func newLarge(ctx context.Context, m *gallery.Model, images *dataset.Images, o Options) (*Recogniser, error) {
	g, err := large.New(ctx, m, o.Method, images)
	if err != nil {
		return nil, context.Cause(ctx) // vectors that have no unit norm
	}
	if o.OpenSet != nil {
		c, err := g.Calibrate(ctx, *o.OpenSet, nil, o.progress("calibrating"))
		if err == nil {
			g = c
		}
		if errors.Is(err, openset.ErrNoStrangers) {
			err = o.namesEverybody(advice.Add(err, "to enable unknown, give photographs of other people: %v", calibrateByStrangers))
		}
		if err != nil {
			return nil, err
		}
	}
	return o.recogniser(g.Model()), nil
}

// shrunk is r with another gallery, or with a Model of all faces if these are few enough.
func (r *Recogniser) shrunk(ctx context.Context, g *large.Gallery) (*Recogniser, error) {
	next := r.with(g)
	if _, faces := g.Len(); faces > large.Faces {
		return next, nil
	}
	m, err := g.Whole()
	if err != nil {
		return nil, err
	}
	t := r.of(m)
	by, err := t.method()
	if err != nil {
		return nil, err
	}
	return t.decided(ctx, Options{Method: by, OpenSet: g.How(), Observer: r.Observer})
}

// nameAmong fills in what g says of faces, which images are of.
func nameAmong(ctx context.Context, g *large.Gallery, faces []*Face, images *dataset.Images) error {
	said, err := g.Identify(ctx, images)
	if err != nil {
		return err
	}
	for j, f := range faces {
		s := &said[j]
		if s.Of == nil { // without features
			f.Probability = s.Probability
			continue
		}
		f.by = s.Of
		f.set(&s.Face, s.Of.Parts().Classes)
		kept, err := s.Of.Kept(images.Select([]int{j}))
		if err != nil {
			return err
		}
		if kept[0] >= 0 {
			f.Trained = s.Of.Enrolled.ID(kept[0])
		}
	}
	return nil
}
