package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nrdl"
	"nrdl/dataset"
	"nrdl/face"
	"nrdl/gallery"
	"nrdl/internal/cli"
	"nrdl/internal/console"
	"nrdl/internal/hint"
	"nrdl/openset"
)

// calibration is the flags for the threshold of a model.
type calibration struct {
	fpir, prior float64 // fpir 0 is not given
	folds       int
}

func (f *calibration) register(c *cobra.Command) {
	f.registerFPIR(c, openset.Default.FAR, "")
	f.prior, f.folds = openset.Default.Prior, -1
	cli.Number(c, &f.prior, "strangers-share", "", cli.Share(true), "assumed `SHARE` of unknown people among new faces: the prior of the probabilities")
	cli.Number(c, &f.folds, "calibrate", "", checkFolds, "`N` cross-validation folds for the threshold; 0 for no threshold: every face is named (default 20, or 5 for iterative methods)")
}

// registerFPIR registers --fpir with a default, 0 for the one that use describes,
// and its old name --far, which help does not show.
func (f *calibration) registerFPIR(c *cobra.Command, def float64, use string) {
	f.fpir = def
	cli.Number(c, &f.fpir, "fpir", "", checkFPIR, "target false positive identification `RATE`: the share of strangers who may be named"+use)
	c.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "far" {
			name = "fpir"
		}
		return pflag.NormalizedName(name)
	})
}

func checkFPIR(rate float64) error {
	how := openset.Default
	how.FAR = rate
	return how.Validate()
}

func checkFolds(n int) error {
	how := openset.Default
	how.Folds = n
	if err := how.Validate(); err != nil {
		return hint.Add(err, "0 is for a model without a threshold, which names every face")
	}
	return nil
}

// options are those of the flags; nil for no threshold.
func (f *calibration) options() *openset.Options {
	if f.folds == 0 {
		return nil
	}
	return &openset.Options{FAR: f.fpir, Prior: f.prior, Folds: max(f.folds, 0)}
}

// fewPeople are so few that what training knows of strangers is a guess.
const fewPeople = 20

// fewNamed is a share of held-out faces below which naming is worth a hint.
const fewNamed = 0.5

// tellCalibration tells what the threshold of r, which is or will be at path, does.
func (a *app) tellCalibration(r *nrdl.Recogniser, path string) {
	c, people := r.Model().Calibration, len(r.People())
	rates := c.Rates()
	if c.Alike != nil {
		a.tellStrangers(r.Model(), path)
	}
	if rates.Held == 0 {
		a.Tell("calibrated: nobody has two faces, so none could be held out; probabilities are not known")
		return
	}
	if c.SmallestFAR() > c.FAR && c.Alike == nil {
		a.Warn("%s are too few to promise an FPIR of %s %%: count on %s %% or more", known(c), console.Percent(c.FAR), console.Percent(c.SmallestFAR()))
		a.Hint("give photographs of other people: nrdl calibrate %s --strangers DIR", path)
	}
	by := ", estimated on " + known(c)
	if c.Alike != nil {
		by = "" // it follows from the network
	}
	a.Tell("calibrated: threshold for an FPIR of %s %%%s: %s %% of held-out faces get the right name, %s %% a wrong name, the rest are unknown",
		console.Percent(c.FAR), by, console.Percent(rates.Right), console.Percent(rates.Wrong))
	if rates.NearChance(people) {
		a.Warn("the best guess is right for %s %% of the held-out faces; guessing among %d people is right for %s %%: the model does not recognise them",
			console.Percent(rates.Guess), people, console.Percent(1/float64(people)))
		a.Hint("look whether the labels are right (nrdl data info, nrdl people), give more images of each person, or try other parameters, --method or --input")
		return
	}
	switch strangers := c.People + len(c.Given); {
	case rates.Right == 0 && len(c.Given) > 0:
		a.Warn("the model names nobody: perhaps some of the strangers are people of the model, or their photographs are of another kind than the training photographs")
	case rates.Right == 0:
		a.Warn("the model names hardly anybody: with so few people the threshold must be high to reject strangers")
		a.Hint("give photographs of other people: nrdl calibrate %s --strangers DIR; or accept more strangers: --fpir 0.1", path)
	case strangers < fewPeople && c.Alike == nil:
		a.Hint("%s are too few for a reliable threshold; give photographs of other people: nrdl calibrate %s --strangers DIR", known(c), path)
	case rates.Right < fewNamed:
		a.Hint("to name more faces, accept more strangers: nrdl calibrate %s --fpir 0.05; or add photographs of each person", path)
	}
}

// unsure is how many times the wanted rate the upper end of an interval may be before
// there is a hint.
const unsure = 3

// tellStrangers tells which strangers m, which is at path, names.
func (a *app) tellStrangers(m *gallery.Model, path string) {
	c := m.Calibration
	atLarge, like := c.Strangers(m.Impostors())
	a.Tell("%s", strangersNamed(atLarge, like))
	if c.SmallestFAR() > c.FAR {
		a.Warn("with %d people an FPIR of %s %% is lower than any measured rate; it is extrapolated", c.People, console.Percent(c.FAR))
	}
	if like.Most > unsure*c.FAR {
		a.Hint("for a better estimate for strangers who resemble these people, give photographs of other people from the same place: nrdl calibrate %s --strangers DIR", path)
	}
}

// strangersNamed says which shares of strangers are named, with their intervals.
func strangersNamed(atLarge, like openset.Share) string {
	p := console.Percent
	return fmt.Sprintf("expected share of strangers who get a name: %s %% in general (90 %% interval %s to %s %%), %s %% if they resemble these people (%s to %s %%)",
		p(atLarge.Rate), p(atLarge.Least), p(atLarge.Most), p(like.Rate), p(like.Least), p(like.Most))
}

// known describes the faces by which c estimated its threshold: those of people
// who were left out in turn, and those of strangers that were given.
func known(c *openset.Calibration) string {
	var all []string
	if c.People > 0 {
		all = append(all, fmt.Sprintf("%d people", c.People))
	}
	if len(c.Given) > 0 {
		all = append(all, console.Plural(len(c.Given), "face")+" of strangers")
	}
	return strings.Join(all, " and ")
}

func (a *app) calibrateCmd() *cobra.Command {
	var (
		f         calibration
		strangers string
		backup    bool
		find      face.Options
	)
	c := &cobra.Command{
		Use:   "calibrate MODEL [--strangers DIR]",
		Short: "Set the threshold for unknown faces",
		Long: `calibrate sets the threshold of a model. A face is reported as ` + nrdl.Unknown + ` if its score is
below the threshold. With the built-in network the score is the largest cosine with a
person; the threshold follows from how similar this network finds different people,
and from how similar the enrolled people are to each other. With other features the
score is the margin (best minus second score), and the threshold is estimated by
cross-validation.

A stranger is a person who is not in the model. --fpir is the target false positive
identification rate (FPIR): the share of strangers who may get a name. With a smaller
rate fewer strangers are named, and more people of the model are reported as
` + nrdl.Unknown + `. Without --fpir the rate of the model stays. For the built-in network the
expected share is printed twice: for strangers in general, people chosen at random,
and for strangers who resemble the people of the model as these resemble each other.

--strangers DIR has photographs of strangers. They should be like the photographs to
come: from the same camera, and one person each if possible. They replace the ones
that were given before. Only their scores are stored (evidences for the built-in
network, otherwise margins), not the photographs. They hold for the people of the
model: after add or remove, run calibrate --strangers again.

A model without a threshold gets one.`,
		Example: `  nrdl calibrate people.nrdl --fpir 0.001
  nrdl calibrate people.nrdl --strangers passers-by --fpir 0.01`,
		Args: cli.Arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.updateModel(c.Context(), args[0], backup, find, func(r *nrdl.Recogniser) (*nrdl.Recogniser, error) {
				return a.recalibrate(c.Context(), r, args[0], strangers, &f)
			})
		},
		ValidArgsFunction: completeModel,
	}
	f.registerFPIR(c, 0, " (default that of the model)")
	f.folds, f.prior = -1, openset.Default.Prior
	c.Flags().StringVar(&strangers, "strangers", "", "`DIR` of photographs of people who are not in the model")
	registerBackup(c, &backup)
	findVar(c, &find, face.All, "as the model does")
	cli.Complete(c, "strangers", cli.Folders)
	return c
}

// recalibrate returns r with a threshold for f and for the strangers in the images
// at path, where that is not empty.
func (a *app) recalibrate(ctx context.Context, r *nrdl.Recogniser, model, path string, f *calibration) (*nrdl.Recogniser, error) {
	how := openset.Default
	if c := r.Model().Calibration; c != nil {
		how = c.How()
	}
	if f.fpir > 0 {
		how.FAR = f.fpir
	}
	var strangers *dataset.Images
	if path != "" {
		files, err := dataset.PhotoFiles(path)
		if err != nil {
			return nil, err
		}
		if strangers, err = r.ReadFiles(ctx, files); err != nil {
			return nil, hint.Add(fmt.Errorf("no usable face in %s: %w", path, err), "give photographs of people who are not in the model")
		}
		strangers = strangers.Faces()
		a.Tell("%d faces of strangers in %d images of %s", strangers.Len(), len(files), path)
	}
	with, err := r.Calibrate(ctx, how, strangers)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", model, err)
	}
	a.tellCalibration(with, model)
	return with, nil
}
