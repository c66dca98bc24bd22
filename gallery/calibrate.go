package gallery

import (
	"context"
	"errors"
	"fmt"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/frontend"
	"nrdl.example/nrdl/openset"
)

// Calibrate estimates a threshold for m, which was trained by method: from its
// Impostors if it has them, and then nothing is trained, or else by cross-validation. In each fold, method trains without some people, who then
// are strangers, and without some faces of the others. Given are the margins of
// other strangers in m; may be nil. Progress is called after each fold; may be
// nil. Equal models and options give equal results. The error wraps
// openset.ErrNoStrangers if there are only two people and given is empty, and
// ErrForgotten if m keeps no images.
func (m *Model) Calibrate(ctx context.Context, method classify.Method, opt openset.Options, given []float64, progress func(done, total int)) (*openset.Calibration, error) {
	if err := opt.Validate(); err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	if m.Impostors() != nil {
		c, err := m.byLaw(opt, given)
		if err != nil {
			return nil, fmt.Errorf("calibrate: %w", err)
		}
		return c, context.Cause(ctx)
	}
	f, err := newCrossValidation(ctx, m, method, opt.Folds)
	if err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	c := &openset.Calibration{FPIR: opt.FPIR, Prior: opt.Prior, Folds: f.folds, Asked: opt.Folds, Given: given}
	if len(m.Enrolled.Classes) > classify.LeastClasses {
		c.People = len(m.Enrolled.Classes)
	}
	f.pairs = &openset.Pairs{}
	for g := range f.folds {
		err := f.fold(ctx, g, func(r HeldOutResult) { c.Add(r.Margin, r.Spread, r.Stranger, r.Right) })
		if err != nil {
			return nil, fmt.Errorf("calibrate: fold %d of %d: %w", g+1, f.folds, err)
		}
		if progress != nil {
			progress(g+1, f.folds)
		}
	}
	if f.pairs.Impostor.N > 1 {
		c.Pairs = f.pairs
	}
	if err := c.Fit(len(m.Enrolled.Classes), lawOf(m.Model)); err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	return c, nil
}

// Recalibrate returns the calibration of m for another FPIR.
// Unless given is nil, it replaces the margins of the strangers given before.
func (m *Model) Recalibrate(fpir float64, given []float64) (*openset.Calibration, error) {
	if m.Calibration == nil {
		return nil, errors.New("recalibrate: the model has no calibration")
	}
	again := *m.Calibration
	again.FPIR = fpir
	if given != nil {
		again.Given = append([]float64(nil), given...)
	}
	if err := (openset.Options{FPIR: again.FPIR, Prior: again.Prior, Folds: again.Folds}).Validate(); err != nil {
		return nil, fmt.Errorf("recalibrate: %w", err)
	}
	if l := m.Impostors(); l != nil && again.Alike != nil {
		if err := again.FitByLaw(l); err != nil {
			return nil, fmt.Errorf("recalibrate: %w", err)
		}
		return &again, nil
	}
	if err := again.Fit(len(m.Parts().Classes), lawOf(m.Model)); err != nil {
		return nil, fmt.Errorf("recalibrate: %w", err)
	}
	return &again, nil
}

// Rates returns how many faces of the people of m would be named with each target FPIR
// of openset.Offered, and with the present one, as far as the held-out faces tell. It
// is nil if m has no calibration, or if no face could be held out. With Recalibrate the
// threshold for another rate is the one that is said here.
func (m *Model) Rates() []openset.Rates {
	if m.Calibration == nil {
		return nil
	}
	return m.Calibration.RatesAt(len(m.Parts().Classes), lawOf(m.Model))
}

// lawOf returns the law of strangers in m.
func lawOf(m *frontend.Model) openset.Law {
	p := m.Parts()
	_, byResidual := p.Rule.(classify.Residual)
	switch {
	case p.Coder != coding.Coder(coding.DefaultStopped) || !byResidual || m.Pipeline.Features.String() != frontend.Faces96.Features.String():
		return openset.UnknownLaw
	case m.Pipeline.Projection.IsZero():
		return openset.PlainLaw
	}
	return openset.ProjectedLaw
}
