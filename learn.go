package nrdl

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Learn learns a model of images with method, which sees them as in says: it is
// Training and Fit, and the model keeps the images that are not black, so that it
// can be calibrated and people can be added to it. Grey values that are not whole
// are rounded to single precision first, as a model file keeps them.
func Learn(ctx context.Context, images *Set, in Input, method Method, run Run) (*Model, error) {
	if images.Projection != nil {
		return nil, errProjected
	}
	if err := checkNames(images.Classes); err != nil { // before any work
		return nil, err
	}
	kept := images.NotBlack()
	if len(kept.Classes) == 0 {
		return nil, errors.New("every training image is black")
	}
	if kept.Input.ArePixels() {
		kept = kept.inSinglePrecision()
	}
	samples, err := kept.Training(ctx, in)
	if err != nil {
		return nil, err
	}
	model, err := method.Fit(ctx, samples, run)
	if err != nil {
		return nil, err
	}
	p := model.p
	p.Enrolled = kept
	return NewModel(p)
}

// ErrForgotten is why nobody can be added to a model.
var ErrForgotten = errors.New("the model has forgotten the faces that it learnt from")

// Forget returns m without the images that it keeps.
func (m *Model) Forget() (*Model, error) {
	p := m.p
	p.Enrolled = nil
	return NewModel(p)
}

// inSinglePrecision returns s with its values rounded to what a model file
// keeps. It is s itself where they are that already.
func (s *Set) inSinglePrecision() *Set {
	d, _ := s.X.Dims()
	var x *mat.Dense
	for i := range d {
		for j, v := range s.X.RawRowView(i) {
			r := float64(float32(v))
			if r == v || math.IsInf(r, 0) {
				continue
			}
			if x == nil {
				x = mat.DenseCopyOf(s.X)
			}
			x.Set(i, j, r)
		}
	}
	if x == nil {
		return s
	}
	t := *s
	t.X = x
	return &t
}

// validateEnrolled reports images that the model cannot have been learnt from.
func (p *Parts) validateEnrolled() error {
	s := p.Enrolled
	if s == nil {
		return nil
	}
	if err := s.Validate(); err != nil {
		return fmt.Errorf("enrolled: %w", err)
	}
	if len(s.Classes) != len(p.Classes) {
		return fmt.Errorf("enrolled: %d people, the model has %d", len(s.Classes), len(p.Classes))
	}
	for c, name := range s.Classes {
		if name != p.Classes[c] {
			return fmt.Errorf("enrolled: %q in place of %q", name, p.Classes[c])
		}
	}
	switch made := s.Input.Fixed().String(); {
	case s.Projection != nil:
		return fmt.Errorf("enrolled: %w", errProjected)
	case made != p.Input.Fixed().String() && s.Input.String() != p.Input.Images().String():
		return fmt.Errorf("enrolled: %v are not what %v is made of", s.Input, p.Input)
	}
	return nil
}
