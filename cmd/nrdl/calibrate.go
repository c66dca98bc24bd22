package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/cmd/nrdl/internal/threshold"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/openset"
)

// calibration is the flags for the threshold of a model.
type calibration struct {
	fpir, prior float64 // fpir 0 is not given
	folds       int
}

func (f *calibration) register(c *cobra.Command) {
	f.registerFPIR(c, openset.Default.FPIR, "")
	f.prior, f.folds = openset.Default.Prior, -1
	cli.Number(c, &f.prior, "strangers-share", "", cli.Share(true),
		"assumed `SHARE` of unknown people among new faces: the prior of the probabilities")
	cli.Number(c, &f.folds, "calibrate", "", checkFolds,
		"`N` cross-validation folds for the threshold; 0 for no threshold: every face is named (default 20, or 5 for iterative methods)")
}

// registerFPIR registers --fpir with a default, 0 for the one that use describes,
// and its old name --far, which help does not show.
func (f *calibration) registerFPIR(c *cobra.Command, def float64, use string) {
	f.fpir = def
	cli.Number(c, &f.fpir, "fpir", "", checkFPIR, "target false positive identification `RATE`: the share of strangers who may be named"+use)
	c.Flags().Var(c.Flags().Lookup("fpir").Value, "far", "")
	c.Flags().Lookup("far").Hidden = true
	c.MarkFlagsMutuallyExclusive("fpir", "far")
}

func checkFPIR(rate float64) error {
	how := openset.Default
	how.FPIR = rate
	return how.Validate()
}

func checkFolds(n int) error {
	how := openset.Default
	how.Folds = n
	if err := how.Validate(); err != nil {
		return advice.Add(err, "0 is for a model without a threshold, which names every face")
	}
	return nil
}

// options are those of the flags; nil for no threshold.
func (f *calibration) options() *openset.Options {
	if f.folds == 0 {
		return nil
	}
	return &openset.Options{FPIR: f.fpir, Prior: f.prior, Folds: max(f.folds, 0)}
}

func (a *app) calibrateCmd() *cobra.Command {
	var (
		f         calibration
		strangers string
		array     string
		write     writing
		find      face.Options
	)
	c := &cobra.Command{
		Use:  "calibrate MODEL [--strangers DIR]",
		Args: cli.Arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.updateModel(c.Context(), args[0], write, find, func(r *faces.Recogniser) (*faces.Recogniser, error) {
				return a.recalibrate(c.Context(), r, args[0], strangers, array, &f)
			})
		},
		ValidArgsFunction: completeModel,
	}
	f.registerFPIR(c, 0, " (default that of the model)")
	f.folds, f.prior = -1, openset.Default.Prior
	c.Flags().StringVar(&strangers, "strangers", "",
		"`DIR` of photographs of people who are not in the model, or for vectors a file (.npz, .mat) of samples of other classes")
	c.Flags().StringVar(&array, "x", "", "`ARRAY` of that file with the samples, where it has no common name")
	write.register(a, c)
	findVar(c, &find, face.All, "as the model does")
	cli.Complete(c, "strangers", cli.Folders)
	return c
}

// recalibrate returns r with a threshold for f and for the strangers in the images
// at path, where that is not empty, or in an array of that file.
func (a *app) recalibrate(ctx context.Context, r *faces.Recogniser, model, path, array string, f *calibration) (*faces.Recogniser, error) {
	how := r.OpenSet()
	if f.fpir > 0 {
		how.FPIR = f.fpir
	}
	var strangers *dataset.Images
	var err error
	switch {
	case path == "":
	case dataset.IsMatrix(path):
		arrays := dataset.Arrays{X: array, Unlabelled: true, Length: sampleLength(r.Model())}
		if strangers, err = a.readLike(ctx, path, r, labels{arrays: arrays}); err != nil {
			return nil, err
		}
	default:
		files, err := dataset.PhotoFiles(path)
		if err != nil {
			return nil, err
		}
		if strangers, err = r.ReadFiles(ctx, files); err != nil {
			return nil, advice.Add(fmt.Errorf("no usable face in %s: %w", path, err), "give photographs of people who are not in the model")
		}
		strangers = strangers.Faces()
		a.Tell("%d faces of strangers in %d images of %s", strangers.Len(), len(files), path)
	}
	with, err := r.Calibrate(ctx, how, strangers)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", model, err)
	}
	threshold.Threshold(a.Console, with.Model(), model)
	return with, nil
}
