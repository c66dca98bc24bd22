package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/lab/report"
)

// openSet is the flags of evaluate --open-set.
type openSet struct {
	enabled              bool
	enrolledShare        float64
	strangers            string
	calibrationStrangers int
	calibrate            calibration
	output               string
}

// openSetFlags have no meaning without --open-set.
var openSetFlags = []string{"enrolled", "strangers", "given", "output"}

// thresholdFlags say how a threshold is chosen.
var thresholdFlags = []string{"fpir", "far", "strangers-share", "calibrate"}

func (o *openSet) register(c *cobra.Command) {
	c.Flags().BoolVar(&o.enabled, "open-set", false,
		"enrol a part of the people, and take the others as strangers: identification rate and FPIR")
	o.enrolledShare = 0.5
	cli.Number(c, &o.enrolledShare, "enrolled", "", cli.Share(false),
		"with --open-set: `SHARE` of the people who are enrolled, drawn again in each run")
	c.Flags().StringVar(&o.strangers, "strangers", "",
		"with --open-set: `DIR` of photographs of further strangers, or a file of their faces that data convert made")
	cli.Number(c, &o.calibrationStrangers, "given", "", cli.InRange(0, cli.Many),
		"with --strangers: `N` of them, drawn again in each run, calibrate the model, the others judge it")
	o.calibrate.register(c)
	c.Flags().StringVarP(&o.output, "output", "o", "", "with --open-set: page to write, `FILE.html` or .md, with ROC and reliability diagram")
	cli.Complete(c, "strangers", cli.Folders)
	cli.Complete(c, "output", cli.Files("html", "md"))
}

// check reports flags that do not go together.
func (o *openSet) check(c *cobra.Command) error {
	if !o.enabled {
		for _, flag := range openSetFlags {
			if c.Flags().Changed(flag) {
				return advice.Add(cli.Misuse("--%s has no meaning without --open-set", flag), "add --open-set to judge by people who are not enrolled")
			}
		}
		return nil
	}
	switch {
	case c.Flags().Changed("model"):
		return advice.Add(cli.Misuse("--open-set with --model: it learns models of its own"), "leave out --model")
	case o.calibrate.folds == 0:
		return cli.Misuse("--calibrate 0 with --open-set: nobody would be unknown")
	case o.calibrationStrangers > 0 && o.strangers == "":
		return advice.Add(cli.Misuse("--given %d without --strangers", o.calibrationStrangers),
			"--strangers DIR has the photographs of strangers that are divided")
	}
	if o.output != "" {
		if _, err := report.OpenSetFormat(o.output); err != nil {
			return cli.AsMisuse(err)
		}
	}
	return nil
}

// evaluateOpenSet is evaluate with --open-set.
func (a *app) evaluateOpenSet(ctx context.Context, data string, e *evaluation) error {
	if e.openSet.output != "" {
		if err := atomicfile.Check(e.openSet.output); err != nil {
			return err
		}
	}
	s, err := a.study(ctx, data, &e.learn)
	if err != nil {
		return err
	}
	if s.auto {
		return advice.Add(cli.Misuse("--input auto with --open-set"), "let evaluate choose an input first, and name it")
	}
	people := int(e.openSet.enrolledShare*float64(len(s.images.Classes)) + 0.5)
	if s.Options, err = e.learn.options(s.images.First(people)); err != nil { // as for those who are enrolled
		return err
	}
	o := experiment.OpenSet{
		Split: e.split, EnrolledShare: e.openSet.enrolledShare, Repeats: e.repeats, Seed: e.learn.seed,
		Input: s.Pipeline, Calibrate: *e.openSet.calibrate.options(), CalibrationStrangers: e.openSet.calibrationStrangers,
	}
	if e.openSet.strangers != "" {
		if o.Strangers, err = a.furtherStrangers(ctx, e.openSet.strangers, s); err != nil {
			return err
		}
	}
	a.tellOptions(s, &e.learn)
	result, err := experiment.JudgeOpenSet(ctx, s.images, s.Method, o, func(d experiment.OpenSetDraw) {
		a.Tell("seed %d: %s %% of %d faces identified, %s %% of %d faces of strangers named", d.Seed,
			legible.Percent(d.IdentificationRate), d.Test, legible.Percent(d.FPIR), d.Strangers)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", data, err)
	}
	if err := a.writeOpenSet(ctx, result, data, e.openSet.output); err != nil {
		return err
	}
	if e.json {
		return a.printJSON(result)
	}
	if err := report.WriteOpenSet(a.Results, result, data, "text"); err != nil {
		return err
	}
	if e.openSet.output == "" {
		a.Next("the same with -o openset.html (a page with the curves), or nrdl train %s -o model.nrdl (from all of it)",
			e.learn.input.data(data))
	}
	return nil
}

// furtherStrangers reads the images at path as those of s. Images without a face
// count, and nobody is named in them.
func (a *app) furtherStrangers(ctx context.Context, path string, s *studied) (*dataset.Images, error) {
	if !s.images.AreFaces() {
		return nil, advice.Add(errors.New("--strangers needs data that are images"), "vectors of strangers can be people of the data set")
	}
	path = a.databases("").Find(path)
	if dataset.IsMatrix(path) {
		arrays := labels{arrays: dataset.Arrays{Unlabelled: true}}
		set, err := a.read(ctx, path, arrays.options(s.Pipeline, face.Options{}))
		if err == nil && set.Frame != s.images.Frame {
			err = advice.Add(fmt.Errorf("%s: the faces of strangers are not made as those of the data: %v", path, s.images.Frame),
				"make both by the same command, nrdl data convert")
		}
		return set, err
	}
	files, err := dataset.PhotoFiles(path)
	if err != nil {
		return nil, err
	}
	o, done := a.observer("reading " + path)
	defer done()
	o.Warn = nil // those without a face count
	set, err := faces.ReadFiles(ctx, files, faces.ReadOptions{Frame: s.images.Frame, Embedder: s.Pipeline.Embedder, Observer: o})
	if err != nil {
		return nil, err
	}
	a.Tell("read %s: %d faces of strangers in %d images", path, set.Faces().Len(), len(files))
	return set, nil
}

func (a *app) writeOpenSet(ctx context.Context, r *experiment.OpenSetResult, data, path string) error {
	if path == "" {
		return nil
	}
	format, err := report.OpenSetFormat(path)
	if err != nil {
		return err
	}
	return a.write(ctx, path, func(w io.Writer) error { return report.WriteOpenSet(w, r, data, format) })
}
