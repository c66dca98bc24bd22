package gallery

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/openset"
)

// Calibrate returns g with a threshold for opt. Strangers are faces of people who are not
// enrolled; may be nil. Where g shortlists, the threshold follows from faces of g that are
// held out. Otherwise, if g has Impostors, it follows from these, and nothing is trained.
// Otherwise it follows from cross-validation: each fold trains without some people, who stand
// for strangers, and without some faces of the others.
//
// If only the rate or the strangers change, nothing is held out again. Progress is called
// after each step; may be nil. Equal galleries and options give equal results. The error wraps
// openset.ErrNoStrangers if people are too few, and ErrForgotten if g keeps no images.
func (g *Gallery) Calibrate(ctx context.Context, opt openset.Options, strangers *dataset.Images, progress func(done, total int)) (*Gallery, error) {
	if err := cmp.Or(g.ready(ctx), opt.Validate()); err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	t := *g
	if g.Shortlists() {
		t.OpenSet = &opt
		t.whole = sync.OnceValues(t.fitWhole)
		return &t, t.calibrateByHeldOut(ctx, strangers, progress)
	}
	var given []float64
	if strangers != nil {
		var err error
		if given, err = g.Margins(ctx, strangers); err != nil {
			return nil, err
		}
	}
	c, err := g.Calibration, error(nil)
	switch {
	case c != nil && c.DiffersInRate(opt) && (c.Pairs != nil || c.FollowsLaw() || g.Enrolled == nil):
		c, err = g.recalibrated(opt.FPIR, given)
	case g.Impostors() != nil:
		c, err = g.byLaw(opt, given)
	default:
		c, err = g.byHeldOut(ctx, opt, given, progress)
	}
	if err = cmp.Or(context.Cause(ctx), err); err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	t.Calibration, t.OpenSet = c, nil
	return &t, nil
}

// byHeldOut calibrates g by cross-validation.
func (g *Gallery) byHeldOut(ctx context.Context, opt openset.Options, given []float64, progress func(done, total int)) (*openset.Calibration, error) {
	f, err := newCrossValidation(ctx, g, opt.Folds, opt.Numbers().Turns)
	if err != nil {
		return nil, err
	}
	c := &openset.Calibration{FPIR: opt.FPIR, Prior: opt.Prior, Folds: f.folds, FoldsOption: opt.Folds, Strangers: given, Assumptions: opt.Assumptions}
	people := len(f.images.Classes)
	if people > classify.LeastClasses {
		c.People = people
	}
	f.pairs = &openset.Pairs{}
	for k := range f.folds {
		err := f.fold(ctx, k, func(r HeldOutResult) { c.Add(r.Margin, r.Spread, r.Stranger, r.Right) })
		if err != nil {
			return nil, fmt.Errorf("fold %d of %d: %w", k+1, f.folds, err)
		}
		if progress != nil {
			progress(k+1, f.folds)
		}
	}
	if f.pairs.Impostor.N > 1 {
		c.Pairs = f.pairs
	}
	return c, c.Fit(people, g.strangersLaw())
}

// recalibrated is the calibration of g for another FPIR. Unless given is nil, it replaces
// the margins of the strangers given before.
func (g *Gallery) recalibrated(fpir float64, given []float64) (*openset.Calibration, error) {
	again := *g.Calibration
	again.FPIR = fpir
	if given != nil {
		again.Strangers = given
	}
	if l := g.Impostors(); l != nil && again.FollowsLaw() {
		return &again, again.FitByLaw(l)
	}
	return &again, again.Fit(g.Len(), g.strangersLaw())
}

// Rates returns identification rates on the held-out faces of g: for each target FPIR of
// openset.Offered and for the present one, at the threshold that Calibrate would compute. It is
// nil if g has no calibration, or if no face could be held out.
func (g *Gallery) Rates() []openset.Rates {
	if g.Calibration == nil {
		return nil
	}
	return g.Calibration.RatesAt(g.Len(), g.strangersLaw())
}

// strangersLaw returns the law of the margins of strangers in g.
func (g *Gallery) strangersLaw() openset.Law {
	p := g.Shared()
	_, byResidual := p.Rule.(classify.Residual)
	switch {
	case p.Coder != coding.Coder(coding.DefaultStopped) || !byResidual || g.Pipeline.Features.String() != frontend.Faces96.Features.String():
		return openset.UnknownLaw
	case g.Projection.IsZero():
		return openset.PlainLaw
	}
	return openset.ProjectedLaw
}
