package frontend

import (
	"cmp"
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/internal/lin"
)

// A Model is a classifier behind a pipeline: it turns images into scores of
// people. It has no threshold: package openset decides whether a face is
// unknown. It is immutable and safe for concurrent use.
type Model struct {
	Fitted
	*classify.Classifier
}

// Learn fits the pipeline in to images, and trains a classifier on their samples by the
// method m.
func Learn(ctx context.Context, images *dataset.Images, in Pipeline, m classify.Method, run classify.Run) (*Model, error) {
	if err := cmp.Or(classify.NoContext(ctx), classify.NoMethod(m)); err != nil {
		return nil, fmt.Errorf("learn: %w", err)
	}
	fitted, samples, err := in.Fit(ctx, images)
	if err != nil {
		return nil, err
	}
	c, err := m.Fit(ctx, samples, run)
	if err != nil {
		return nil, err
	}
	return &Model{fitted, c}, nil
}

// Validate reports a pipeline whose samples do not fit the classifier.
func (m *Model) Validate() error {
	if err := m.Fitted.Validate(); err != nil {
		return err
	}
	d, _, _ := m.Dims()
	if made := m.Features(); made != 0 && made != d {
		return fmt.Errorf("atoms: a pipeline of %v makes %d features, not %d", m.Pipeline, made, d)
	}
	return nil
}

// A Recognition is the result of a Model for one face.
type Recognition struct {
	Class  int       // the best guess, an index of Classes; -1 for an image without a face
	Scores []float64 // len C; a higher score means more likely

	classify.Evidence // that the face belongs to Class and not to a stranger

	Coded *classify.Result // of this face alone, by RecogniseCoded; else nil
}

// Recognise returns the Recognition of each image.
func (m *Model) Recognise(ctx context.Context, images *dataset.Images) ([]Recognition, error) {
	return m.recognise(ctx, images, false)
}

// RecogniseCoded is Recognise whose results also have the sample and the code of each
// face, for an explanation.
func (m *Model) RecogniseCoded(ctx context.Context, images *dataset.Images) ([]Recognition, error) {
	return m.recognise(ctx, images, true)
}

func (m *Model) recognise(ctx context.Context, images *dataset.Images, keep bool) ([]Recognition, error) {
	var all []Recognition
	err := m.Each(images, func(lo, hi int, x *mat.Dense) error {
		r, err := m.Classify(ctx, x)
		if err != nil {
			return err
		}
		evidence, seen := m.Evidence(&r), make([]float64, hi-lo)
		lin.SquaredColumnNorms(seen, r.Samples)
		for j, class := range classify.Best(r.Scores) {
			if seen[j] == 0 || images.NoFace != nil && images.NoFace[lo+j] {
				class = -1
			}
			one := Recognition{Class: class, Scores: mat.Col(nil, j, r.Scores), Evidence: evidence[j]}
			if keep {
				one.Coded = r.Column(j)
			}
			all = append(all, one)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("recognise: %w", err)
	}
	return all, nil
}

// Scores returns the C×n scores of images.
func (m *Model) Scores(ctx context.Context, images *dataset.Images) (*mat.Dense, error) {
	return m.collect(images, len(m.Parts().Classes), func(x *mat.Dense) (*mat.Dense, error) { return m.Classifier.Scores(ctx, x) })
}

// Transform returns the K×n codes of images.
func (m *Model) Transform(ctx context.Context, images *dataset.Images) (*mat.Dense, error) {
	_, k, _ := m.Dims()
	return m.collect(images, k, func(x *mat.Dense) (*mat.Dense, error) { return m.Classifier.Transform(ctx, x) })
}

// Predict returns, for each image, the class with the largest score, an index
// of Classes; the first of equals.
func (m *Model) Predict(ctx context.Context, images *dataset.Images) ([]int, error) {
	scores, err := m.Scores(ctx, images)
	if err != nil {
		return nil, err
	}
	return classify.Best(scores), nil
}

// collect returns what of makes of the samples of images, so many rows.
func (m *Model) collect(images *dataset.Images, rows int, of func(*mat.Dense) (*mat.Dense, error)) (*mat.Dense, error) {
	if images == nil || images.Len() == 0 {
		return nil, fmt.Errorf("recognise: %w", errNoImages)
	}
	out := mat.NewDense(rows, images.Len(), nil)
	err := m.Each(images, func(lo, hi int, x *mat.Dense) error {
		made, err := of(x)
		if err == nil {
			lin.Set(lin.Cols(out, lo, hi), 1, made)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("recognise: %w", err)
	}
	return out, nil
}
