package frontend

import (
	"context"
	"errors"
	"fmt"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/internal/lin"
)

// A Prepared is a set of training images with their samples before the projection. These
// do not depend on training, so they are computed once for all parts of the set that are
// trained on or tested. It is immutable.
type Prepared struct {
	Pipeline
	Samples    *classify.Samples // of the images and, if Mirror is set, of their mirror images
	fitSamples *classify.Samples // those to which the projection is fitted; may be Samples
	groups     []int             // of the images
}

// Prepare makes the samples of images and of their mirror images. These follow the
// images of their person and have "(mirror image)" after their ID.
func (in Pipeline) Prepare(images *dataset.Images) (*Prepared, error) {
	if in.Mirror || in.Shift != 0 {
		if !images.AreImages() {
			return nil, fmt.Errorf("there are no mirror or shifted images of %v", images.Frame)
		}
		if _, err := in.makerFor(images); err != nil { // before any work
			return nil, err
		}
	}
	p := &Prepared{Pipeline: in, groups: images.Groups}
	if in.Mirror {
		images = withMirrorImages(images)
	}
	var err error
	if p.Samples, err = in.Samples(images); err != nil {
		return nil, err
	}
	if p.fitSamples = p.Samples; in.Shift != 0 {
		p.fitSamples, err = in.Samples(withShifted(images, in.Shift))
	}
	return p, err
}

// Select returns the part of p for the images at these columns. It equals the result of
// Prepare for these images.
func (p *Prepared) Select(columns []int) *Prepared {
	t := &Prepared{Pipeline: p.Pipeline, Samples: p.Samples.Select(p.copies(p.Samples, columns))}
	if t.fitSamples = t.Samples; p.fitSamples != p.Samples {
		t.fitSamples = p.fitSamples.Select(p.copies(p.fitSamples, columns))
	}
	t.groups = make([]int, len(t.Samples.Groups))
	times := p.Samples.Len() / p.groups[len(p.groups)-1]
	for c, n := range t.Samples.Groups {
		t.groups[c] = n / times
	}
	return t
}

// copies returns the columns of s, made of the images of p, for the images at columns
// and their copies.
func (p *Prepared) copies(s *classify.Samples, columns []int) (all []int) {
	times := s.Len() / p.groups[len(p.groups)-1]
	for _, j := range columns {
		c := p.classOf(j)
		n := p.groups[c+1] - p.groups[c]
		for k := range times {
			all = append(all, s.Groups[c]+k*n+j-p.groups[c])
		}
	}
	return all
}

// classOf returns the class of image j.
func (p *Prepared) classOf(j int) int {
	return (&classify.Samples{Groups: p.groups}).ClassOf(j)
}

// Originals returns the samples of the images at these columns, without those of mirror
// images: recognition makes the same samples.
func (p *Prepared) Originals(columns []int) *classify.Samples {
	at := make([]int, len(columns))
	for i, j := range columns {
		c := p.classOf(j)
		at[i] = p.Samples.Groups[c] + j - p.groups[c]
	}
	return p.Samples.Select(at)
}

// Compressed replaces the samples X that will be projected by R of X = QR. The columns
// of R have the same inner products as those of X, so that projected samples change only
// by rounding, and R has at most as many rows as columns. It returns p itself if R is not
// smaller.
func (p *Prepared) Compressed() *Prepared {
	d, n := p.Samples.X.Dims()
	if p.Projection.IsZero() || p.fitSamples != p.Samples || n >= d {
		return p
	}
	small := *p.Samples
	small.X, small.Grid = lin.FactorQR(classify.Unit(small.X)).R(), classify.Grid{}
	return &Prepared{Pipeline: Pipeline{Projection: p.Projection}, Samples: &small, fitSamples: &small, groups: p.groups}
}

// Fit fits the projection of p, if it has one. Samples that are zero are left out of that.
// It returns the pipeline with the fitted projection, and Samples as it projects them: all of
// them, in their order.
func (p *Prepared) Fit(ctx context.Context) (Fitted, *classify.Samples, error) {
	if p.Projection.IsZero() {
		return Fitted{Pipeline: p.Pipeline}, p.Samples, nil
	}
	of := p.fitSamples
	switch seen := classify.NonZero(of.X); len(seen) {
	case of.Len():
	case 0:
		return Fitted{}, nil, errors.New("every training image is black")
	default:
		of = of.Select(seen)
	}
	basis, err := p.Projection.Fit(ctx, classify.Unit(of.X), of.Groups)
	if err != nil {
		return Fitted{}, nil, err
	}
	if v := lin.MaxAbs(basis.P); !(v <= classify.DivergenceBound) {
		err := fmt.Errorf("the projection %v holds %.3g: the training samples hardly vary", p.Projection, v)
		return Fitted{}, nil, advice.Add(err, "give more and other images of each person, or take a larger ridge")
	}
	t := *p.Samples
	t.X = basis.Apply(classify.Unit(t.X))
	t.Grid, t.Projection = classify.Grid{}, p.Projection.String()
	return Fitted{p.Pipeline, basis}, &t, nil
}

// Fit fits in to the training images. It returns the fitted pipeline and the training
// samples, as Prepare and Prepared.Fit make them.
func (in Pipeline) Fit(ctx context.Context, images *dataset.Images) (Fitted, *classify.Samples, error) {
	p, err := in.Prepare(images)
	if err != nil {
		return Fitted{}, nil, err
	}
	return p.Fit(ctx)
}

// PredictSamples is Predict for samples before the projection.
func (m *Model) PredictSamples(ctx context.Context, s *classify.Samples) ([]int, error) {
	fromSamples := Model{Fitted{Pipeline{Projection: m.Projection}, m.Basis}, m.Classifier}
	return fromSamples.Predict(ctx, &dataset.Images{Samples: *s})
}
