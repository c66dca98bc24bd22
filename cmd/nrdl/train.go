package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nrdl"
	"nrdl/dataset"
	"nrdl/internal/atomicfile"
	"nrdl/internal/hint"
)

func (a *app) trainCmd() *cobra.Command {
	var (
		learn         learning
		split         splitFlag // zero: all
		output, trace string
		strangers     calibration
		forget        bool
	)
	c := &cobra.Command{
		Use:   "train DATA -o MODEL [flags]",
		Short: "Train a model on labelled faces",
		Long: `train trains a model on labelled faces and writes it to a file.

DATA is a folder with one folder of images per person, a list of images (.csv),
or a .mat or .npz file. --input selects the features: grey values, or others, which
separate people better. The model stores the choice, so that identify uses the same
features. --input auto selects features and coder by cross-validation on the
training faces.

In a photograph train finds and aligns the largest face. A folder of face crops is
used as it is. A face that matches nobody is later reported as ` + unknown + `: train
estimates the threshold by cross-validation, leaving out people and faces in turn,
for a false accept rate of 1 % (--fpir 0.01). The model stores the face crops, not
the photographs, so that people can be added later; --forget stores no faces.`,
		Example: `  nrdl train people -o people.nrdl
  nrdl train people -o people.nrdl --input igo+lbp:cell=5.34 --size 32x32 --project fisher
  nrdl train people -o people.nrdl --input auto --size 32x32
  nrdl train people -o people.nrdl --input pixels --set lambda=1e-3 --split first:6
  nrdl train people -o people.nrdl --input pixels --seed 7 --trace passes.jsonl`,
		Args: arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if output == "" {
				return hint.Add(misuse("train needs -o MODEL, the file to write"), "for example: nrdl train %s -o model.nrdl", args[0])
			}
			if dataset.IsImage(output) {
				return hint.Add(misuse("-o %s is the name of an image", output), "for example: nrdl train %s -o model.nrdl", args[0])
			}
			return a.train(c.Context(), args[0], &training{learn, split.Split, output, trace, strangers, forget})
		},
		ValidArgsFunction: completeData,
	}
	learn.register(c)
	split.register(c, "the training images")
	c.Flags().StringVarP(&output, "output", "o", "", "`MODEL` file to write")
	strangers.register(c)
	c.Flags().BoolVar(&forget, "forget", false, "do not store the faces in the model: people cannot be added to it later")
	c.Flags().StringVar(&trace, "trace", "", "`FILE` for the terms of the objective, one line of JSON per pass (slower)")
	complete(c, "output", completeFiles("nrdl"))
	complete(c, "trace", completeFiles("jsonl"))
	return c
}

// A training is the flags of train.
type training struct {
	learning
	split         dataset.Split
	output, trace string
	strangers     calibration
	forget        bool
}

func (a *app) train(ctx context.Context, data string, t *training) error {
	learn, split, output, trace := t.learning, t.split, t.output, t.trace
	in, _, choose, err := learn.seeing(data)
	if err != nil {
		return err
	}
	for _, path := range []string{output, trace} {
		if path != "" {
			if err := atomicfile.Check(path); err != nil {
				return err
			}
		}
	}
	if trace != "" && (filepath.Clean(output) == filepath.Clean(trace) || sameFile(output, []string{trace}) != "") {
		return misuse("--output and --trace are the same file, %s", output)
	}
	unlock, err := lockModel(output)
	if err != nil {
		return err
	}
	defer unlock()
	set, in, err := a.openFor(ctx, data, in, &learn.input)
	if err != nil {
		return err
	}
	m, err := learn.configured(in)
	if err != nil {
		return err
	}
	columns, err := split.Train(set, learn.seed)
	if err != nil {
		return fmt.Errorf("%s: %w", data, err)
	}
	if split != (dataset.Split{}) {
		set = set.Select(columns)
		a.tell("learning from %s (split %v)", describe(set), split)
	}
	a.warnOfCopies(set)
	if choose {
		best, err := a.chosen(ctx, data, set, columns, m, &learn)
		if err != nil {
			return fmt.Errorf("%s: %w", data, err)
		}
		set, in, m = best.Images, best.Input.ForSet(best.Images), best.Method
	}
	a.tellInput(in)
	a.tellMethod(m, learn)

	watch, done := a.watch("learning")
	var passes traceLines
	if trace != "" {
		watch = both(watch, passes.watch)
	}
	start := time.Now()
	model, err := nrdl.Learn(ctx, set, in, m, nrdl.Run{Seed: learn.seed, Watch: watch})
	done()
	if err != nil {
		return fmt.Errorf("%s: %w", data, err)
	}
	out := model.Parts().Trained
	a.tell("%s", ended(out, time.Since(start)))
	if out.Status == nrdl.Exhausted && out.Residual > solved {
		a.warn("the residual is %.1e: raise passes, or tol", out.Residual)
	}
	a.warnOvercomplete(model)
	if model, err = a.calibrated(ctx, model, m, t.strangers, output); err != nil {
		return fmt.Errorf("%s: %w", data, err)
	}
	if t.forget {
		if model, err = model.Forget(); err != nil {
			return fmt.Errorf("%s: %w", data, err)
		}
	}
	return a.writeTraining(ctx, model, output, &passes, trace)
}

// warnOfCopies tells which images are exactly alike. Where two people share one,
// a label is wrong, and no method can tell which.
func (a *app) warnOfCopies(set *nrdl.Set) {
	names := func(group []int) (all []string) {
		for _, j := range group {
			all = append(all, set.ID(j))
		}
		return all
	}
	info := dataset.Describe(set)
	for _, group := range info.Conflicts {
		a.warn("different people have the same image, so a label is wrong: %s", abridged(names(group)))
	}
	var copies []string
	for _, group := range info.Duplicates {
		if set.ClassOf(group[0]) == set.ClassOf(group[len(group)-1]) {
			copies = append(copies, strings.Join(names(group), " = "))
		}
	}
	if len(copies) > 0 {
		a.tell("the same image is there more than once: %s", abridged(copies))
	}
}

// writeTraining puts the trace and the model into their places when both are
// written: neither is there without the other.
func (a *app) writeTraining(ctx context.Context, model *nrdl.Model, output string, passes *traceLines, trace string) error {
	var lines *atomicfile.Pending
	if trace != "" {
		var err error
		if lines, err = atomicfile.Prepare(ctx, trace, passes.write); err != nil {
			return err
		}
		defer lines.Discard()
	}
	size, err := atomicfile.Write(ctx, output, func(w io.Writer) error { return model.Save(w) })
	if err != nil {
		return err
	}
	a.tell("wrote %s, %s", output, megabytes(size))
	if trace == "" {
		return nil
	}
	if err := lines.Commit(); err != nil {
		return err
	}
	if passes.n == 0 {
		a.tell("wrote %s, which is empty: the method makes no passes", trace)
	} else {
		a.tell("wrote %s, %s", trace, passCount(passes.n))
	}
	return nil
}

// solved is a residual that more passes do not make smaller: rounding errors.
const solved = 1e-12

// both is a Watch that tells two, either of which may be nil.
func both(v, w nrdl.Watch) nrdl.Watch {
	if v == nil {
		return w
	}
	return func(p nrdl.Progress) {
		v(p)
		w(p)
	}
}
