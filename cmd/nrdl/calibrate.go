package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"nrdl"
	"nrdl/dataset"
	"nrdl/face"
	"nrdl/internal/hint"
	"nrdl/method"
)

// calibration is the flags that say how a model learns to tell strangers.
type calibration struct {
	far, prior float64
	folds      int
}

func (f *calibration) register(c *cobra.Command) {
	f.registerFAR(c)
	f.prior, f.folds = nrdl.DefaultCalibration.Prior, -1
	numberVar(c, &f.prior, "strangers-share", "", aShare(true), "`SHARE` of strangers among the faces to come, that probabilities count with")
	numberVar(c, &f.folds, "calibrate", "", checkFolds, "`N` folds in which people and faces are left out; 0 for a model that names everybody (default 20, or 5 of methods that iterate)")
}

func (f *calibration) registerFAR(c *cobra.Command) {
	f.far = nrdl.DefaultCalibration.FAR
	numberVar(c, &f.far, "far", "", checkFAR, "`SHARE` of strangers who may be named")
}

func checkFAR(far float64) error {
	how := nrdl.DefaultCalibration
	how.FAR = far
	return how.Validate()
}

func checkFolds(n int) error {
	how := nrdl.DefaultCalibration
	how.Folds = n
	if err := how.Validate(); err != nil {
		return hint.Add(err, "0 is for a model that names everybody")
	}
	return nil
}

func (f *calibration) how() nrdl.CalibrationOptions {
	return nrdl.CalibrationOptions{FAR: f.far, Prior: f.prior, Folds: max(f.folds, 0)}
}

// calibrated returns m with a calibration, unless f wants none, there are too few
// people, or with some of the faces nothing can be learnt; path is where m will
// be.
func (a *app) calibrated(ctx context.Context, m *nrdl.Model, by nrdl.Method, f calibration, path string) (*nrdl.Model, error) {
	if f.folds == 0 {
		return m, nil
	}
	step, done := a.count("calibrating")
	start := time.Now()
	with, err := m.Calibrate(ctx, by, f.how(), nil, step)
	done()
	if errors.Is(err, nrdl.ErrNoStrangers) {
		a.warn("the model names everybody: two people are too few to learn what a stranger looks like")
		a.tell("nrdl: %s photographs of other people, none of these: nrdl calibrate %s --strangers DIR", a.paint(cyan, "hint:"), path)
		return m, nil
	}
	if interrupted := context.Cause(ctx); interrupted != nil {
		return nil, interrupted
	}
	if err != nil { // as of a parameter that fewer faces do not allow
		a.warn("the model names everybody: it could not be calibrated: %v", err)
		return m, nil
	}
	a.tellCalibration(with.Parts().Calibration, path, time.Since(start))
	return with, nil
}

// fewPeople are so few that what training knows of strangers is a guess.
const fewPeople = 20

// fewNamed is a share of held-out faces below which naming is worth a hint.
const fewNamed = 0.5

// tellCalibration tells what a calibration found.
func (a *app) tellCalibration(c *nrdl.Calibration, path string, took time.Duration) {
	held := len(c.Right) + len(c.Wrong)
	if held == 0 {
		a.tell("calibrated in %s: nobody has two faces, so none could be held out; probabilities are not known", seconds(took))
		return
	}
	named := 0
	for _, v := range c.Right {
		if c.Known(v) {
			named++
		}
	}
	share := float64(named) / float64(held)
	if c.Bears() > c.FAR {
		a.warn("%s tell too little of strangers to promise %s %%: they bear %s %% or more", a.known(c), percent(c.FAR), percent(c.Bears()))
		a.tell("nrdl: %s give photographs of other people, nrdl calibrate %s --strangers DIR", a.paint(cyan, "hint:"), path)
	}
	a.tell("calibrated in %s: to name %s %% of strangers, as far as %s tell; %s %% of the faces held out are named rightly",
		seconds(took), percent(c.FAR), a.known(c), percent(share))
	switch strangers := c.People + len(c.Given); {
	case named == 0 && len(c.Given) > 0:
		a.warn("the model names nobody: are there people of the model among the strangers, or photographs of another kind than it was learnt from?")
	case named == 0:
		a.warn("the model names hardly anybody: it knows too little of strangers to keep them out otherwise")
		a.tell("nrdl: %s give photographs of other people, nrdl calibrate %s --strangers DIR, or accept more strangers, --far 0.1", a.paint(cyan, "hint:"), path)
	case strangers < fewPeople:
		a.tell("nrdl: %s so few people tell little of strangers: give photographs of others, nrdl calibrate %s --strangers DIR",
			a.paint(cyan, "hint:"), path)
	case share < fewNamed:
		a.tell("nrdl: %s to name more, accept more strangers, nrdl calibrate %s --far 0.05, or add photographs of each person",
			a.paint(cyan, "hint:"), path)
	}
}

// known says whom c knows strangers from.
func (a *app) known(c *nrdl.Calibration) string {
	people := fmt.Sprintf("%d people left out in turn", c.People)
	if len(c.Given) == 0 {
		return people
	}
	return fmt.Sprintf("%s and %s given", people, plural(len(c.Given), "stranger"))
}

func (a *app) calibrateCmd() *cobra.Command {
	var (
		f         calibration
		strangers string
		backup    bool
		find      faceFlags
	)
	c := &cobra.Command{
		Use:   "calibrate MODEL [--strangers DIR]",
		Short: "Say from where on a model calls people unknown",
		Long: `calibrate changes where a model draws the line between people whom it knows
and strangers: for another share of false accepts (--far), and by photographs of
people who are not in it (--strangers), as they will come: from the same camera,
one person each if possible. They take the place of those that were given before.
They are not kept, only how much the model took each for somebody.

A model that was learnt without a calibration learns one.`,
		Example: `  nrdl calibrate people.nrdl --far 0.001
  nrdl calibrate people.nrdl --strangers passers-by --far 0.01`,
		Args: arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			changed := c.Flags().Changed("far")
			return a.updateModel(c.Context(), args[0], backup, func(m *nrdl.Model) (*nrdl.Model, error) {
				return a.recalibrate(c.Context(), m, args[0], strangers, &f, changed, &find)
			})
		},
		ValidArgsFunction: completeModel,
	}
	f.registerFAR(c)
	f.folds, f.prior = -1, nrdl.DefaultCalibration.Prior
	c.Flags().StringVar(&strangers, "strangers", "", "`DIR` of photographs of people who are not in the model")
	registerBackup(c, &backup)
	find.register(c, face.All, "as the model does")
	complete(c, "strangers", completeFolders)
	return c
}

// recalibrate returns m with a calibration for f and for the strangers in the
// images at path, where that is not empty.
func (a *app) recalibrate(ctx context.Context, m *nrdl.Model, name, path string, f *calibration, far bool, find *faceFlags) (*nrdl.Model, error) {
	old := m.Parts().Calibration
	how := f.how()
	if old != nil && !far {
		how.FAR = old.FAR
	}
	var given []float64
	if path != "" {
		var err error
		if given, err = a.strangers(ctx, m, path, find); err != nil {
			return nil, err
		}
	}
	start := time.Now()
	var with *nrdl.Model
	var err error
	if old != nil {
		with, err = m.Recalibrate(how.FAR, given)
	} else {
		with, err = a.firstCalibration(ctx, m, how, given)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	a.tellCalibration(with.Parts().Calibration, name, time.Since(start))
	return with, nil
}

func (a *app) firstCalibration(ctx context.Context, m *nrdl.Model, how nrdl.CalibrationOptions, given []float64) (*nrdl.Model, error) {
	by, err := method.Of(m)
	if err != nil {
		return nil, err
	}
	step, done := a.count("calibrating")
	defer done()
	with, err := m.Calibrate(ctx, by, how, given, step)
	switch {
	case errors.Is(err, nrdl.ErrNoStrangers):
		return nil, hint.Add(err, "give photographs of other people: --strangers DIR")
	case errors.Is(err, nrdl.ErrForgotten):
		return nil, hint.Add(err, "learn it again, without --forget")
	}
	return with, err
}

// sure is a probability from which a stranger is probably none.
const sure = 0.95

// warnOfMembers tells of strangers whom the model is sure to know.
func (a *app) warnOfMembers(c *nrdl.Calibration, margins []float64, path string) {
	members := 0
	for _, v := range margins {
		if c.Probability(v) >= min(sure, c.Most()) {
			members++
		}
	}
	if members*10 > len(margins) {
		a.warn("%d of %d faces in %s look much like people of the model: strangers must not be in it", members, len(margins), path)
	}
}

// strangers returns the margins of the faces in the images at path.
func (a *app) strangers(ctx context.Context, m *nrdl.Model, path string, find *faceFlags) ([]float64, error) {
	v, err := newViewer(m, find)
	if err != nil {
		return nil, err
	}
	files, err := dataset.Images(path)
	if err != nil {
		return nil, err
	}
	samples, err := a.views(ctx, v, files, "reading "+path)
	if err != nil {
		return nil, err
	}
	if samples == nil {
		return nil, hint.Add(fmt.Errorf("%s holds no faces that can be seen", path), "give photographs of people who are not in the model")
	}
	margins, err := m.Margins(ctx, samples)
	if err != nil {
		return nil, err
	}
	a.warnOfMembers(m.Parts().Calibration, margins, path)
	a.tell("%d faces of strangers in %d images of %s", len(margins), len(files), path)
	return margins, nil
}
