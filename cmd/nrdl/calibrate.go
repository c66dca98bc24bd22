package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nrdl"
	"nrdl/dataset"
	"nrdl/face"
	"nrdl/internal/hint"
	"nrdl/method"
)

// calibration is the flags for the threshold of a model.
type calibration struct {
	fpir, prior float64 // fpir 0 is not given
	folds       int
}

func (f *calibration) register(c *cobra.Command) {
	f.registerFPIR(c, nrdl.DefaultCalibration.FAR, "")
	f.prior, f.folds = nrdl.DefaultCalibration.Prior, -1
	numberVar(c, &f.prior, "strangers-share", "", aShare(true), "assumed `SHARE` of unknown people among new faces: the prior of the probabilities")
	numberVar(c, &f.folds, "calibrate", "", checkFolds, "`N` cross-validation folds for the threshold; 0 for no threshold: every face is named (default 20, or 5 for iterative methods)")
}

// registerFPIR registers --fpir with a default, 0 for the one that use describes,
// and its old name --far, which help does not show.
func (f *calibration) registerFPIR(c *cobra.Command, def float64, use string) {
	f.fpir = def
	numberVar(c, &f.fpir, "fpir", "", checkFPIR, "target false positive identification `RATE`: the share of strangers who may be named"+use)
	c.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "far" {
			name = "fpir"
		}
		return pflag.NormalizedName(name)
	})
}

func checkFPIR(rate float64) error {
	how := nrdl.DefaultCalibration
	how.FAR = rate
	return how.Validate()
}

func checkFolds(n int) error {
	how := nrdl.DefaultCalibration
	how.Folds = n
	if err := how.Validate(); err != nil {
		return hint.Add(err, "0 is for a model without a threshold, which names every face")
	}
	return nil
}

func (f *calibration) how() nrdl.CalibrationOptions {
	return nrdl.CalibrationOptions{FAR: f.fpir, Prior: f.prior, Folds: max(f.folds, 0)}
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
		a.warn("the model names everybody: two people are too few to estimate a threshold")
		a.tell("nrdl: %s to enable unknown, give photographs of other people: nrdl calibrate %s --strangers DIR", a.paint(cyan, "hint:"), path)
		return m, nil
	}
	if interrupted := context.Cause(ctx); interrupted != nil {
		return nil, interrupted
	}
	if err != nil { // as of a parameter that fewer faces do not allow
		a.warn("the model names everybody: it could not be calibrated: %v", err)
		return m, nil
	}
	a.tellCalibration(with, path, time.Since(start))
	return with, nil
}

// fewPeople are so few that what training knows of strangers is a guess.
const fewPeople = 20

// fewNamed is a share of held-out faces below which naming is worth a hint.
const fewNamed = 0.5

// nearChance is the part of the way from guessing to naming everybody correctly
// below which a model is no better than guessing.
const nearChance = 0.1

// guesses reports whether the best guesses for held-out faces are hardly better
// than guessing among so many people, and how often they are right.
func guesses(c *nrdl.Calibration, people int) (rate float64, ok bool) {
	rate = float64(len(c.Right)) / float64(len(c.Right)+len(c.Wrong))
	chance := 1 / float64(people)
	return rate, (rate-chance)/(1-chance) < nearChance
}

// tellCalibration tells what the calibration of m found.
func (a *app) tellCalibration(m *nrdl.Model, path string, took time.Duration) {
	p := m.Parts()
	c := p.Calibration
	held := len(c.Right) + len(c.Wrong)
	if held == 0 {
		a.tell("calibrated in %s: nobody has two faces, so none could be held out; probabilities are not known", seconds(took))
		return
	}
	named := aboveThreshold(c, c.Right)
	share := float64(named) / float64(held)
	if c.Bears() > c.FAR {
		a.warn("%s are too few to promise %s %% false accepts: count on %s %% or more", a.known(c), percent(c.FAR), percent(c.Bears()))
		a.tell("nrdl: %s give photographs of other people: nrdl calibrate %s --strangers DIR", a.paint(cyan, "hint:"), path)
	}
	a.tell("calibrated in %s: threshold for %s %% false accepts, estimated on %s: %s %% of held-out faces get the right name, %s %% a wrong name, the rest are unknown",
		seconds(took), percent(c.FAR), a.known(c), percent(share), percent(float64(aboveThreshold(c, c.Wrong))/float64(held)))
	if rate, ok := guesses(c, len(p.Classes)); ok {
		a.warn("the best guess is right for %s %% of the held-out faces; guessing among %d people is right for %s %%: the model does not recognise them",
			percent(rate), len(p.Classes), percent(1/float64(len(p.Classes))))
		a.tell("nrdl: %s look whether the labels are right (nrdl data info, nrdl people), give more images of each person, or try other parameters, --method or --input",
			a.paint(cyan, "hint:"))
		return
	}
	switch strangers := c.People + len(c.Given); {
	case named == 0 && len(c.Given) > 0:
		a.warn("the model names nobody: perhaps some of the strangers are people of the model, or their photographs are of another kind than the training photographs")
	case named == 0:
		a.warn("the model names hardly anybody: with so few people the threshold must be high to reject strangers")
		a.tell("nrdl: %s give photographs of other people: nrdl calibrate %s --strangers DIR; or accept more strangers: --fpir 0.1", a.paint(cyan, "hint:"), path)
	case strangers < fewPeople:
		a.tell("nrdl: %s %s are too few for a reliable threshold; give photographs of other people: nrdl calibrate %s --strangers DIR",
			a.paint(cyan, "hint:"), a.known(c), path)
	case share < fewNamed:
		a.tell("nrdl: %s to name more faces, accept more strangers: nrdl calibrate %s --fpir 0.05; or add photographs of each person",
			a.paint(cyan, "hint:"), path)
	}
}

// aboveThreshold counts the margins with which c names a face.
func aboveThreshold(c *nrdl.Calibration, margins []float64) (n int) {
	for _, v := range margins {
		if c.Known(v) {
			n++
		}
	}
	return n
}

// known describes the faces by which c estimated its threshold: those of people
// who were left out in turn, and those of strangers that were given.
func (a *app) known(c *nrdl.Calibration) string {
	var all []string
	if c.People > 0 {
		all = append(all, fmt.Sprintf("%d people", c.People))
	}
	if len(c.Given) > 0 {
		all = append(all, faceCount(len(c.Given))+" of strangers")
	}
	return strings.Join(all, " and ")
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
		Short: "Set the threshold for unknown faces",
		Long: `calibrate sets the threshold of a model. A face whose margin, the difference between
the best and the second score, is below the threshold is reported as ` + unknown + `.

--fpir is the target false positive identification rate (the false accept rate): the
share of strangers who may be named. With a smaller rate fewer strangers are named,
and more people of the model are reported as ` + unknown + `. Without --fpir the rate of the
model stays.

--strangers DIR has photographs of people who are not in the model. They should be
like the photographs to come: from the same camera, and one person each if possible.
They replace the ones that were given before. Only their margins are stored, not the
photographs.

A model without a threshold gets one.`,
		Example: `  nrdl calibrate people.nrdl --fpir 0.001
  nrdl calibrate people.nrdl --strangers passers-by --fpir 0.01`,
		Args: arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.updateModel(c.Context(), args[0], backup, func(m *nrdl.Model) (*nrdl.Model, error) {
				return a.recalibrate(c.Context(), m, args[0], strangers, &f, &find)
			})
		},
		ValidArgsFunction: completeModel,
	}
	f.registerFPIR(c, 0, " (default that of the model)")
	f.folds, f.prior = -1, nrdl.DefaultCalibration.Prior
	c.Flags().StringVar(&strangers, "strangers", "", "`DIR` of photographs of people who are not in the model")
	registerBackup(c, &backup)
	find.register(c, face.All, "as the model does")
	complete(c, "strangers", completeFolders)
	return c
}

// recalibrate returns m with a calibration for f and for the strangers in the
// images at path, where that is not empty.
func (a *app) recalibrate(ctx context.Context, m *nrdl.Model, name, path string, f *calibration, find *faceFlags) (*nrdl.Model, error) {
	old := m.Parts().Calibration
	how := f.how()
	switch {
	case f.fpir > 0:
	case old != nil:
		how.FAR = old.FAR
	default:
		how.FAR = nrdl.DefaultCalibration.FAR
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
	a.tellCalibration(with, name, time.Since(start))
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
		a.warn("%d of %d faces in %s look much like people of the model: strangers must be other people", members, len(margins), path)
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
		return nil, hint.Add(fmt.Errorf("no usable face in %s", path), "give photographs of people who are not in the model")
	}
	margins, err := m.Margins(ctx, samples)
	if err != nil {
		return nil, err
	}
	a.warnOfMembers(m.Parts().Calibration, margins, path)
	a.tell("%d faces of strangers in %d images of %s", len(margins), len(files), path)
	return margins, nil
}
