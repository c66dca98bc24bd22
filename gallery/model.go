package gallery

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"nrdl/classify"
	"nrdl/dataset"
	"nrdl/frontend"
	"nrdl/openset"
)

// A Model is a classifier behind a pipeline, with its gallery and its
// threshold.
type Model struct {
	*frontend.Model
	Images      *dataset.Images      // training images; nil if they are not kept
	Calibration *openset.Calibration // nil: every face is named
	OpenSet     *openset.Options     // for the threshold of a model that has too few people for one; nil otherwise
	Data        string               // Hash of the training images; "" if not known
}

// ErrForgotten is returned if a model does not keep its images.
var ErrForgotten = errors.New("the model has forgotten the faces that it learnt from")

// Learn trains a model, without a threshold, on the faces in images, which it
// keeps.
func Learn(ctx context.Context, images *dataset.Images, in frontend.Pipeline, m classify.Method, run classify.Run) (*Model, error) {
	kept, err := Keep(images)
	if err != nil {
		return nil, err
	}
	model, err := frontend.Learn(ctx, kept, in, m, run)
	if err != nil {
		return nil, err
	}
	return &Model{Model: model, Images: kept, Data: kept.Hash()}, nil
}

// Validate reports the first parts that do not agree.
func (m *Model) Validate() error {
	if err := m.Model.Validate(); err != nil {
		return err
	}
	people := m.Parts().Classes
	if err := dataset.CheckNames(people); err != nil {
		return err
	}
	if m.OpenSet != nil {
		if err := m.OpenSet.Validate(); err != nil {
			return err
		}
		if m.Calibration != nil {
			return errors.New("a calibration, and options for one that is missing")
		}
	}
	if m.Calibration != nil {
		if err := m.Calibration.Validate(); err != nil {
			return err
		}
		if err := m.checkLaw(); err != nil {
			return err
		}
	}
	s := m.Images
	if s == nil {
		return nil
	}
	if err := s.Validate(); err != nil {
		return fmt.Errorf("enrolled: %w", err)
	}
	if !slices.Equal(s.Classes, people) {
		return fmt.Errorf("enrolled: %d people, the model has %d, or others", len(s.Classes), len(people))
	}
	if !s.Frame.Same(m.Frame) {
		return fmt.Errorf("enrolled: %v are not what %v is made of", s.Frame, m.Pipeline)
	}
	return nil
}

// A Face is the result of identifying a face.
type Face struct {
	frontend.Recognition
	openset.Decision
	Decisive float64 // the margin that decides, of openset.Calibration
}

// Identify returns a result for each of the images. An image without a face
// gets no name.
func (m *Model) Identify(ctx context.Context, images *dataset.Images) ([]Face, error) {
	said, err := m.Recognise(ctx, images)
	if err != nil {
		return nil, err
	}
	faces := make([]Face, len(said))
	for j, r := range said {
		faces[j].Decision, faces[j].Decisive = m.Decide(&r)
		faces[j].Recognition = r
	}
	return faces, nil
}

// Margins returns the margins that decide of those images that show a face.
func (m *Model) Margins(ctx context.Context, images *dataset.Images) ([]float64, error) {
	faces, err := m.Identify(ctx, images)
	if err != nil {
		return nil, err
	}
	var margins []float64
	for _, f := range faces {
		if f.Class >= 0 {
			margins = append(margins, f.Decisive)
		}
	}
	return margins, nil
}
