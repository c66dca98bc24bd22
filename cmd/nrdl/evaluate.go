package main

import (
	"context"
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"nrdl"
	"nrdl/classify"
	"nrdl/dataset"
	"nrdl/experiment"
	"nrdl/face"
	"nrdl/frontend"
	"nrdl/gallery"
	"nrdl/internal/cli"
	"nrdl/internal/console"
	"nrdl/internal/hint"
)

// evaluation is the flags of evaluate.
type evaluation struct {
	learn   learning
	split   dataset.Split
	divided bool // --split is given
	repeats int
	model   string
	json    bool
	open    openSet
}

func (a *app) evaluateCmd() *cobra.Command {
	e := evaluation{split: dataset.DefaultSplit}
	c := &cobra.Command{
		Use:   "evaluate DATA [flags]",
		Short: "Measure the accuracy of a method or a model",
		Long: `evaluate splits the faces of each person, trains on one part and counts for how many
faces of the other part the best guess is right (rank-1; the threshold is not used).
Run r splits and trains with the seed SEED + r, so that any run can be repeated
alone. A split without randomness, such as first:6, has one run. With --input auto
each run selects features and coder by cross-validation on its training faces.

With --model it tests an existing model: on all of DATA, or with --split on the test
part only. Give the --split and --seed of the training: a rate on training images is
meaningless. evaluate warns where test images are training images.

With --open-set each run draws some of the people and enrols them; the others are
strangers. It reports the identification rate at given FPIR (shares of strangers who
get a name), the FPIR at the threshold of the training, and the calibration error of
the probabilities (ECE).`,
		Example: `  nrdl evaluate people
  nrdl evaluate people --input faces32 --split random:5 --repeats 5
  nrdl evaluate people --input auto --size 32x32 --split first:6
  nrdl evaluate people --input pixels --method nrdl --set alpha=10 --repeats 2 --json
  nrdl evaluate people --input pixels --method src --preset orl
  nrdl evaluate people --model people.nrdl --split first:6
  nrdl evaluate people --open-set --split random:5 --repeats 2`,
		Args: cli.Arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			e.divided = c.Flags().Changed("split")
			if err := e.check(c); err != nil {
				return err
			}
			if e.open.on {
				return a.evaluateOpenSet(c.Context(), args[0], &e)
			}
			result, err := a.evaluate(c.Context(), args[0], &e)
			if err != nil {
				return err
			}
			if e.json {
				return a.printJSON(result)
			}
			a.printResult(result, e.model != "")
			return nil
		},
		ValidArgsFunction: completeData,
	}
	e.learn.chooses = true
	e.learn.register(c)
	splitVar(c, &e.split, "the training images")
	e.repeats = 10
	cli.Number(c, &e.repeats, "repeats", "r", cli.InRange(1, cli.Many), "`N` runs, each with a split of its own")
	c.Flags().StringVar(&e.model, "model", "", "test this `MODEL`; nothing is trained")
	c.Flags().BoolVar(&e.json, "json", false, "write one object")
	e.open.register(c)
	cli.Complete(c, "model", cli.Files("nrdl"))
	return c
}

func (e *evaluation) check(c *cobra.Command) error {
	if e.divided && e.split == (dataset.Split{}) && e.model == "" {
		return hint.Add(cli.Misuse("--split all leaves no image to judge by"), "choose half, or first:K or random:K")
	}
	if err := e.open.check(c); err != nil {
		return err
	}
	if e.model == "" {
		return nil
	}
	for _, flag := range slices.Concat([]string{"method", "preset", "set", "repeats"}, stageFlags) {
		if c.Flags().Changed(flag) {
			return hint.Add(cli.Misuse("--%s has no meaning with --model", flag), "an existing model is tested as it is, once")
		}
	}
	return nil
}

func (a *app) evaluate(ctx context.Context, data string, e *evaluation) (experiment.Result, error) {
	if e.model != "" {
		return a.evaluateModel(ctx, data, e)
	}
	s, err := a.study(ctx, data, &e.learn)
	if err != nil {
		return experiment.Result{}, err
	}
	a.warnOfCopies(s.images)
	protocol := experiment.Protocol{Split: e.split, Repeats: e.repeats, Seed: e.learn.seed, Input: s.Pipeline, Folds: autoFolds}
	if s.auto {
		if protocol.Candidates, err = a.candidates(ctx, data, s, nil, &e.learn); err != nil {
			return experiment.Result{}, err
		}
	} else {
		a.tellOptions(s, &e.learn)
	}
	if n := protocol.Runs(); n < e.repeats {
		a.Tell("split %v draws nothing at random: one run", e.split)
	}
	observer, done := a.runs(protocol.Runs())
	result, err := experiment.Evaluate(ctx, s.images, s.Method, protocol, observer)
	done()
	if err != nil {
		return experiment.Result{}, fmt.Errorf("%s: %w", data, err)
	}
	return result, nil
}

// runs tells each run and shows its progress, until done is called.
func (a *app) runs(runs int) (o experiment.Observer, done func()) {
	clear := func() {}
	o = experiment.Observer{
		Fit: func(run int) classify.Watch {
			var w classify.Watch
			w, clear = a.Watch(fmt.Sprintf("run %d of %d", run+1, runs))
			return w
		},
		Done: func(run int, r experiment.Run, _ *frontend.Model) {
			clear()
			clear = func() {}
			if r.Choice != nil {
				a.Tell("run %d of %d, right in %d folds of the training images:", run+1, runs, autoFolds)
				a.tellChoice(r.Choice)
			}
			a.Tell("run %d of %d, seed %d: %s %% of %d, %s", run+1, runs, r.Seed, console.Percent(r.Accuracy), r.N,
				console.Ended(classify.Outcome{Status: r.Status, Iter: r.Passes})+" in "+console.Took(r.FitSeconds))
		},
	}
	return o, func() { clear() }
}

func (a *app) evaluateModel(ctx context.Context, data string, e *evaluation) (experiment.Result, error) {
	r, err := nrdl.Open(e.model)
	if err != nil {
		return experiment.Result{}, err
	}
	set, err := a.readLike(ctx, data, r)
	if err != nil {
		return experiment.Result{}, err
	}
	var split *dataset.Split
	if e.divided {
		split = &e.split
	}
	model := r.Model()
	if unknown := experiment.Strangers(model.Model, set); len(unknown) > 0 && len(unknown) < len(set.Classes) {
		a.Warn("the model does not know %s: their faces count as wrong", console.Abridged(unknown))
	}
	result, err := experiment.EvaluateModel(ctx, set, model.Model, split, e.learn.seed)
	if err != nil {
		return experiment.Result{}, fmt.Errorf("%s: %w", data, err)
	}
	a.warnOfTrainingImages(model.Images, set, split, e.learn.seed, data)
	return result, nil
}

// readLike reads the data set at path for r to judge.
func (a *app) readLike(ctx context.Context, path string, r *nrdl.Recogniser) (*dataset.Images, error) {
	find := face.Options{}
	if r.Model().Frame.Eyes.IsZero() {
		find.Detect = face.Never
	}
	set, err := a.read(ctx, path, r.Model().Pipeline, find)
	if err != nil && dataset.IsMatrix(path) {
		err = fmt.Errorf("%w; the features of the model are %v", err, r.Model().Pipeline)
	}
	return set, err
}

// warnOfTrainingImages tells where a model is tested on kept, images that it was
// trained on, or may be where that is not known: the model keeps no faces, or images
// have no names.
func (a *app) warnOfTrainingImages(kept, set *dataset.Images, split *dataset.Split, seed uint64, data string) {
	const advice = "test on other images, or give the --split and --seed of the training"
	if split != nil {
		if _, test, err := split.Apply(set, seed); err == nil {
			set = set.Select(test)
		}
	}
	if kept == nil || set.IDs == nil {
		if split == nil {
			a.Warn("if the model was trained on images of %s, the rate is meaningless", data)
			a.Hint(advice)
		}
		return
	}
	if _, report, err := gallery.Merge(kept, set); err == nil && len(report.Skipped) > 0 {
		a.Warn("the model was trained on %d of the %d test images: the rate is too high", len(report.Skipped), len(set.IDs))
		a.Hint(advice)
	}
}

// printResult prints the rate and a line a run; of a model that exists, not
// how it was learnt.
func (a *app) printResult(r experiment.Result, exists bool) {
	rate := console.Percent(r.Accuracy)
	if r.Repeats > 1 {
		rate += fmt.Sprintf(" ± %s", console.Percent(r.SD))
	}
	a.Print("%s: %s %% right (split %s, %s)\n\n", r.Method, rate, r.Split, console.Plural(r.Repeats, "run"))
	w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', tabwriter.AlignRight)
	defer w.Flush() // errors surface when out is flushed
	if exists {
		fmt.Fprintln(w, "right %\twrong\tof\ttest time\t")
		for _, one := range r.Runs {
			fmt.Fprintf(w, "%s\t%d\t%d\t%s\t\n", console.Percent(one.Accuracy), one.Wrong, one.N, console.Took(one.CodeSeconds))
		}
		return
	}
	fmt.Fprintln(w, "seed\tright %\twrong\tof\ttrain images\tpasses\tstatus\ttrain time\ttest time\t")
	for _, one := range r.Runs {
		fmt.Fprintf(w, "%d\t%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t\n", one.Seed, console.Percent(one.Accuracy), one.Wrong, one.N,
			console.Count(one.Train), console.Count(one.Passes), one.Status, console.Took(one.FitSeconds), console.Took(one.CodeSeconds))
	}
}
