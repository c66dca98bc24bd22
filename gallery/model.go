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

// A Model is a classifier with its gallery and its threshold.
type Model struct {
	*frontend.Model
	Images      *dataset.Images      // that it was learnt from; nil where they are not kept
	Calibration *openset.Calibration // nil where everybody is named
	Data        string               // Hash of the images that it was learnt from; "" where that is not known
}

// ErrForgotten is why nobody can be added to a model.
var ErrForgotten = errors.New("the model has forgotten the faces that it learnt from")

// Learn learns a model of the faces in images, which it keeps, without a
// threshold.
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

// Validate reports parts that do not belong together.
func (m *Model) Validate() error {
	if err := m.Model.Validate(); err != nil {
		return err
	}
	people := m.Parts().Classes
	if err := dataset.CheckNames(people); err != nil {
		return err
	}
	if m.Calibration != nil {
		if err := m.Calibration.Validate(); err != nil {
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

// A Face is what a Model says of a face.
type Face struct {
	frontend.Recognition
	openset.Decision
}

// Identify returns what m says of each of the images. Nobody is named where there
// is no face.
func (m *Model) Identify(ctx context.Context, images *dataset.Images) ([]Face, error) {
	said, err := m.Recognise(ctx, images)
	if err != nil {
		return nil, err
	}
	faces := make([]Face, len(said))
	for j, r := range said {
		faces[j] = Face{r, m.Calibration.Decide(r.Margin)}
		if r.Class < 0 {
			faces[j].Decision = openset.Nobody
		}
	}
	return faces, nil
}
