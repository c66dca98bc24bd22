package gallery

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/face"
	"nrdl.example/nrdl/frontend"
	"nrdl.example/nrdl/openset"

	"golang.org/x/text/unicode/norm"
)

// A Model is a classifier behind a pipeline, with its gallery and its
// threshold.
type Model struct {
	*frontend.Model
	Enrolled    *Enrolled            // training images; nil if they are not kept
	Calibration *openset.Calibration // nil: every face is named
	OpenSet     *openset.Options     // for the threshold of a model that has too few people for one; nil otherwise
	Search      *face.Search         // by which the faces were found; nil: face.DefaultSearch, or the images were used as they are
	Data        string               // Hash of the training images that are not kept; "" if not known
	All         bool                 // however many faces there are, it gets no Crowd; not stored
	Crowd       Crowd                // the people of a large gallery, who are in no other part of the Model; else nil
}

// A Crowd holds the people of a gallery that is too large for a Model. Its Model has the
// pipeline, the method and the threshold only, and two people who do not exist, since a
// classifier needs two classes.
type Crowd interface {
	Names() []string           // in natural order
	CountOf(person string) int // of faces; 0 for somebody else
	Whole() (*Model, error)    // a Model of all faces, which takes much memory
}

// Whole returns m with all people as a Model has them: m itself unless it has a Crowd.
func (m *Model) Whole() (*Model, error) {
	if m.Crowd != nil {
		return m.Crowd.Whole()
	}
	return m, nil
}

// Names returns the names of the people in the order of the classes.
func (m *Model) Names() []string {
	if m.Crowd != nil {
		return m.Crowd.Names()
	}
	return m.Parts().Classes
}

// Images returns the training images, which must not be changed; nil if they are not
// kept.
func (m *Model) Images() *dataset.Images {
	if m.Enrolled == nil {
		return nil
	}
	return m.Enrolled.Images()
}

// Hash returns Hash of the training images; "" if not known.
func (m *Model) Hash() string {
	if m.Data == "" && m.Enrolled != nil {
		return m.Enrolled.Images().Hash()
	}
	return m.Data
}

// Spelt returns name as m spells it, if they differ only in how Unicode writes
// accents (composed or decomposed).
func (m *Model) Spelt(name string) string {
	if m.Faces(name) > 0 {
		return name
	}
	people := m.Names()
	if slices.Contains(people, name) {
		return name
	}
	plain := norm.NFC.String(name)
	for _, p := range people {
		if norm.NFC.String(p) == plain {
			return p
		}
	}
	return name
}

// Forget returns m without its images.
func (m *Model) Forget() *Model {
	t := *m
	t.Data, t.Enrolled = m.Hash(), nil
	return &t
}

// Divide returns m with its images divided by person, so that few people can be
// changed fast. It is m itself where by, which trained m, does not learn the people
// one by one, or where the images are not vectors of a network.
func (m *Model) Divide(by classify.Method) *Model {
	s, ok := by.(classify.Separable)
	if !ok || m.Enrolled == nil || !m.Projection.IsZero() {
		return m
	}
	t := *m
	t.Enrolled = m.Enrolled.divided(s)
	return &t
}

// With returns what Learn returns for the images of e, which were made of those of m,
// with the pipeline of m. What was divided stays divided.
func (m *Model) With(ctx context.Context, e *Enrolled, by classify.Method, run classify.Run) (*Model, error) {
	if e.by == nil {
		t, err := Learn(ctx, e.Images(), m.Pipeline, by, run)
		if err != nil {
			return nil, err
		}
		t.Search = m.Search
		return t.Divide(by), nil
	}
	e = e.joined(m.Enrolled)
	c, err := e.by.Join(e.atoms, e.Classes, run)
	if err != nil {
		return nil, err
	}
	return &Model{Model: &frontend.Model{Fitted: m.Fitted, Classifier: c}, Enrolled: e, Search: m.Search}, context.Cause(ctx)
}

// ErrForgotten is returned if a model does not keep its images.
var ErrForgotten = errors.New("the model does not keep the faces that it was trained on")

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
	return &Model{Model: model, Enrolled: Enrolling(kept)}, nil
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
	s := m.Images()
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

// Transform returns the codes of images over all faces.
func (m *Model) Transform(ctx context.Context, images *dataset.Images) (*mat.Dense, error) {
	m, err := m.Whole()
	if err != nil {
		return nil, err
	}
	return m.Model.Transform(ctx, images)
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
	return m.identify(ctx, images, (*frontend.Model).Recognise)
}

// IdentifyCoded is Identify that keeps each face's sample and code, for its
// explanation.
func (m *Model) IdentifyCoded(ctx context.Context, images *dataset.Images) ([]Face, error) {
	return m.identify(ctx, images, (*frontend.Model).RecogniseCoded)
}

func (m *Model) identify(ctx context.Context, images *dataset.Images, recognise func(*frontend.Model, context.Context, *dataset.Images) ([]frontend.Recognition, error)) ([]Face, error) {
	m, err := m.Whole()
	if err != nil {
		return nil, err
	}
	said, err := recognise(m.Model, ctx, images)
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
