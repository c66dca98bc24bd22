package main

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"nrdl/coding"
	"nrdl/projection"
)

// An idea is what may be better than a base, and why.
type idea struct {
	name, hypothesis, done string
	base                   base
	on                     []string // databases
	scores                 func(context.Context, *split) (*mat.Dense, error)
}

// A base is what an idea would replace.
type base struct {
	name   string
	scores func(*split) (*mat.Dense, error)
}

// The bases.
var (
	preset      = base{"the preset, NRC .1/5", func(s *split) (*mat.Dense, error) { return s.projected() }}
	unprojected = base{"the preset without its projection, NRC .1/5", func(s *split) (*mat.Dense, error) { return s.raw() }}
	linearNRDL  = base{"NRDL on the samples, NRC .1/5", func(s *split) (*mat.Dense, error) { return s.nrdl() }}
)

// The parameters of the ideas.
const (
	gamma        = 1    // γ of the RBF kernel
	secondPhase  = 10   // classes that are coded again
	price        = 0.01 // λ of the distance of a class
	rawWeight    = 0.5  // of the scores of unprojected samples
	queryShift   = 2    // pixels
	metricRidge  = 0.1  // of the metric of withoutWithin
	innerPart    = 0.82 // zoom: 90 of 110 pixels
	trainingMove = 3    // shift, pixels
	movedRidge   = 0.5  // of Fisher with moved images: five times the preset's, as there are five times as many
	nrdlPasses   = 100  // of NRDL, at most
)

// Coders that regularise more where classes have shrunk to points.
var (
	firm  = coding.NonNegative{Solver: coding.ADMM, Rho: 1, Passes: 5}
	stiff = coding.NonNegative{Solver: coding.ADMM, Rho: 10, Passes: 5}
)

var (
	everywhere = []string{small, turned, photos}
	large      = []string{turned, photos}
)

// ideas lists all.
var ideas = []idea{
	{
		"rbf", "faces of a person lie on a curved surface, which is flatter in the space of a kernel",
		"kernel NRC: the RBF kernel, γ = 1, in place of the inner products",
		unprojected, everywhere,
		func(_ context.Context, s *split) (*mat.Dense, error) { return rbf(s.whole(), gamma).nrc(stopped) },
	},
	{
		"rbf-fisher", "the same, in the projection too",
		"kernel Fisher of the RBF kernel, γ = 1, then NRC",
		preset, everywhere,
		func(ctx context.Context, s *split) (*mat.Dense, error) {
			return s.fisherNRC(ctx, rbf(s.whole(), gamma))
		},
	},
	{
		"chi2", "χ² compares histograms better than their square roots do by inner products",
		"kernel NRC: the additive χ² kernel in place of the inner products",
		unprojected,
		[]string{turned},
		func(_ context.Context, s *split) (*mat.Dense, error) { return s.chi2().nrc(stopped) },
	},
	{
		"chi2-fisher", "the same, in the projection too",
		"kernel Fisher of the additive χ² kernel, then NRC",
		preset,
		[]string{turned},
		func(ctx context.Context, s *split) (*mat.Dense, error) { return s.fisherNRC(ctx, s.chi2()) },
	},
	{
		"kernel-nrdl", "NRDL sees samples by their inner products alone: it learns where an RBF kernel has made faces easier to tell apart",
		"NRDL learnt from the coordinates of the RBF kernel, γ = 1",
		linearNRDL,
		[]string{turned},
		func(ctx context.Context, s *split) (*mat.Dense, error) { return s.learnt(ctx, rbf(s.whole(), gamma)) },
	},
	{
		"two-phase", "without the classes that are surely wrong, the code tells the others apart better [tptsr]",
		"the ten best classes coded again, without the others",
		preset, everywhere,
		func(_ context.Context, s *split) (*mat.Dense, error) { return s.twoPhases(secondPhase) },
	},
	{
		"priced", "a class that is far away should pay more for its coefficients [wsrc]",
		"coded again with a price on each class's coefficients, 0.01 times its distance in the first code above the nearest's",
		preset, everywhere,
		func(_ context.Context, s *split) (*mat.Dense, error) { return s.priced(price) },
	},
	{
		"feature-scores", "each feature has its own directions and its own code, and their errors differ",
		"each feature its own Fisher and NRC, scores summed",
		preset, everywhere,
		func(ctx context.Context, s *split) (*mat.Dense, error) { return s.byFeature(ctx, s.features()) },
	},
	{
		"feature-fisher", "each feature has its own directions, and more of them in all: a projection leaves C − 1 at most",
		"each feature its own Fisher, side by side in one NRC .1/5",
		preset, everywhere,
		func(ctx context.Context, s *split) (*mat.Dense, error) {
			return s.sideBySide(ctx, s.features(), stopped)
		},
	},
	{
		"feature-fisher-10", "the same; classes that have shrunk to points need more regularisation",
		"each feature its own Fisher, side by side in one NRC 10/5",
		preset, everywhere,
		func(ctx context.Context, s *split) (*mat.Dense, error) { return s.sideBySide(ctx, s.features(), stiff) },
	},
	{
		"fusion", "the projection leaves out what the training images of a person do not bear out; some of that tells new images of them apart",
		"score after the projection + ½ the score without it",
		preset, everywhere,
		func(_ context.Context, s *split) (*mat.Dense, error) { return s.fused(rawWeight) },
	},
	{
		"shifted-queries", "faces are not aligned to the pixel: a query is looked at from several places",
		"mean of the scores of the query and of it moved by 2 pixels along the diagonals",
		preset, large,
		func(_ context.Context, s *split) (*mat.Dense, error) { return s.voted(diagonals(queryShift)) },
	},
	{
		"metric", "what images of a person differ in should count less, but all else should stay: Fisher keeps C − 1 directions",
		"NRC 1/5 in the metric (S_w + εI)⁻¹ of the whole space, ridge .1",
		preset, everywhere,
		func(_ context.Context, s *split) (*mat.Dense, error) {
			p, err := s.whole().centred().withoutWithin(metricRidge)
			if err != nil {
				return nil, err
			}
			return p.nrc(firm)
		},
	},
	{
		"zoom", "the inner face at a finer scale and its surroundings at a coarser one tell more than either",
		"zoom=0.82: the features of the inner part beside those of the whole",
		preset,
		[]string{turned, photos, further},
		func(ctx context.Context, s *split) (*mat.Dense, error) {
			in := s.in
			in.Zoom = innerPart
			return s.seen(ctx, in)
		},
	},
	{
		"shift", "images of a person differ in where the face lies, more than a handful of them shows",
		"shift=3: the projection is fit on the training images moved by 3 pixels too",
		preset, large,
		func(ctx context.Context, s *split) (*mat.Dense, error) {
			in := s.in
			in.Shift = trainingMove
			return s.seen(ctx, in)
		},
	},
	{
		"shift-firm", "the same; moved images make the scatter within persons larger, and the ridge should grow with it",
		"shift=3 and the projection fisher:0.5",
		preset, large,
		func(ctx context.Context, s *split) (*mat.Dense, error) {
			in := s.in
			in.Shift, in.Projection.Projection = trainingMove, projection.Fisher{Ridge: movedRidge}
			return s.seen(ctx, in)
		},
	},
}
