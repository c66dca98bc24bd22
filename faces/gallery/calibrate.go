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

// A calibrator is how a gallery finds its threshold and measures itself.
type calibrator interface {
	// calibrate finds a threshold for opt; strangers and progress may be nil.
	calibrate(ctx context.Context, opt openset.Options, strangers *dataset.Images, progress func(done, total int)) (*Gallery, error)
	// eachHeldOut identifies each face without using it.
	eachHeldOut(ctx context.Context, progress func(done, total int)) ([]HeldOutResult, error)
}

// The calibrators are a Gallery each, so that what they need of it is at hand. They are scorers too.
type (
	byLaw        struct{ *Gallery }  // the scores are cosines, whose distribution for strangers is known: Impostors
	byMargins    struct{ *Gallery }  // of a cross-validation
	byShortlists struct{ shortlist } // faces that are held out are compared with the people of their shortlists

	// ofShortlist is for the people of one shortlist, with the threshold of all.
	ofShortlist struct {
		calibrator
		shortlist
	}
)

// calibrator is the one of g. It follows from the parts that Learn chose and a model file stores: this
// is the only place that chooses.
func (g *Gallery) calibrator() interface {
	calibrator
	scorer
} {
	switch law := g.Impostors() != nil; {
	case g.Shortlists():
		return byShortlists{shortlist{g}}
	case g.partial && law:
		return ofShortlist{byLaw{g}, shortlist{g}}
	case g.partial:
		return ofShortlist{byMargins{g}, shortlist{g}}
	case law:
		return byLaw{g}
	}
	return byMargins{g}
}

// Calibrate returns g with a threshold for opt. Strangers are faces of people who are not
// enrolled; may be nil. Where g shortlists, the threshold follows from faces of g that are
// held out. Otherwise, if g has Impostors, it follows from these, and nothing is trained.
// Otherwise it follows from cross-validation: each fold trains without some people, who stand
// for strangers, and without some faces of the others.
//
// If only the rate or the strangers change, nothing is held out again. Progress is called
// after each step; may be nil. Equal galleries and options give equal results. The error wraps
// openset.ErrNoStrangers if people are too few, and ErrForgotten if g keeps no images.
func (g *Gallery) Calibrate(ctx context.Context, opt openset.Options, strangers *dataset.Images,
	progress func(done, total int),
) (*Gallery, error) {
	if err := cmp.Or(g.ready(ctx), opt.Validate()); err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	return g.calibrator().calibrate(ctx, opt, strangers, progress)
}

func (g byShortlists) calibrate(ctx context.Context, opt openset.Options, strangers *dataset.Images,
	progress func(done, total int),
) (*Gallery, error) {
	t := *g.Gallery
	t.OpenSet = &opt
	t.whole = sync.OnceValues(t.fitWhole)
	return &t, t.calibrateByHeldOut(ctx, strangers, progress)
}

func (g byLaw) calibrate(ctx context.Context, opt openset.Options, strangers *dataset.Images, _ func(done, total int)) (*Gallery, error) {
	return g.calibrated(ctx, opt, strangers, func(given []float64) (*openset.Calibration, error) { return g.fit(opt, given) })
}

func (g byMargins) calibrate(ctx context.Context, opt openset.Options, strangers *dataset.Images,
	progress func(done, total int),
) (*Gallery, error) {
	return g.calibrated(ctx, opt, strangers, func(given []float64) (*openset.Calibration, error) { return g.fit(ctx, opt, given, progress) })
}

// calibrated returns g with the calibration that fit makes of the margins of strangers, nil for none;
// or with its own one, where that says enough for opt.
func (g *Gallery) calibrated(ctx context.Context, opt openset.Options, strangers *dataset.Images,
	fit func(given []float64) (*openset.Calibration, error),
) (*Gallery, error) {
	var given []float64
	if strangers != nil {
		var err error
		if given, err = g.Margins(ctx, strangers); err != nil {
			return nil, err
		}
	}
	if c := g.Calibration; c != nil && c.DiffersInRate(opt) && (c.Pairs != nil || c.FollowsLaw() || g.Enrolled == nil) {
		fit = func(given []float64) (*openset.Calibration, error) { return g.recalibrated(opt.FPIR, given) }
	}
	c, err := fit(given)
	if err = cmp.Or(context.Cause(ctx), err); err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	t := *g
	t.Calibration, t.OpenSet = c, nil
	return &t, nil
}

// fit calibrates g by cross-validation.
func (g byMargins) fit(ctx context.Context, opt openset.Options, given []float64,
	progress func(done, total int),
) (*openset.Calibration, error) {
	f, err := newCrossValidation(ctx, g.Gallery, opt.Folds, opt.Numbers().Turns)
	if err != nil {
		return nil, err
	}
	c := &openset.Calibration{
		FPIR: opt.FPIR, Prior: opt.Prior, Folds: f.folds, FoldsOption: opt.Folds,
		Strangers: given, Assumptions: opt.Assumptions,
	}
	people := len(f.images.Classes)
	if people > classify.MinClasses {
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
	if again.FollowsLaw() {
		return &again, again.FitByLaw(g.Impostors())
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
