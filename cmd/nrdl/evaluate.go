package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/cmd/nrdl/internal/console"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/lab/report"
	"nrdl.example/nrdl/method"
)

// evaluation is the flags of evaluate.
type evaluation struct {
	learn       learning
	split       dataset.Split
	hasSplit    bool // --split is given
	repeats     int
	model       string
	skipTrained bool
	json, csv   bool
	openSet     openSet
	threshold   bool // a flag for the threshold is given
}

// several reports whether methods are compared.
func (e *evaluation) several() bool { return strings.Contains(e.learn.method, ",") }

func (a *app) evaluateCmd() *cobra.Command {
	e := evaluation{split: dataset.DefaultSplit}
	c := &cobra.Command{
		Use:  "evaluate DATA [flags]",
		Args: cli.Arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			e.hasSplit = c.Flags().Changed("split")
			if err := e.check(c); err != nil {
				return err
			}
			switch {
			case e.openSet.enabled:
				return a.evaluateOpenSet(c.Context(), args[0], &e)
			case e.several():
				return a.compare(c.Context(), args[0], &e)
			}
			result, err := a.evaluate(c.Context(), args[0], &e)
			if err != nil {
				return err
			}
			if e.json {
				return a.printJSON(result)
			}
			if err := report.WriteResult(a.Results, &result, e.model != ""); err != nil {
				return err
			}
			if data := e.learn.input.data(args[0]); e.model == "" {
				tune := ""
				if m, err := method.Named(result.Method); err == nil && len(classify.TraitsOf(m).Ranges) > 0 {
					tune = fmt.Sprintf("nrdl tune %s --method %s (better parameters), or ", data, result.Method)
				}
				a.Next("%snrdl train %s -o model.nrdl (from all of it)", tune, data)
			} else {
				about := "how well each person is recognised"
				if !result.Input.SeesImages() {
					about = legible.OfSamples(about)
				}
				a.Next("nrdl people %s (%s)", legible.ShellWord(e.model), about)
			}
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
	c.Flags().BoolVar(&e.skipTrained, "skip-trained", false, "with --model: leave out the images on which the model was trained")
	c.Flags().BoolVar(&e.json, "json", false, "write one object")
	c.Flags().BoolVar(&e.csv, "csv", false, "with several methods: write one line per method")
	e.openSet.register(c)
	cli.Complete(c, "model", cli.Files("nrdl"))
	return c
}

func (e *evaluation) check(c *cobra.Command) error {
	if e.hasSplit && e.split == (dataset.Split{}) && e.model == "" {
		return advice.Add(cli.Misuse("--split all leaves no image to judge by"), "choose half, or first:K or random:K")
	}
	if err := e.openSet.check(c); err != nil {
		return err
	}
	e.threshold = slices.ContainsFunc(thresholdFlags, c.Flags().Changed)
	switch {
	case e.several() && e.openSet.enabled:
		return advice.Add(cli.Misuse("--open-set with several methods"), "evaluate one after the other: the same --seed draws the same people")
	case e.several() && e.learn.input.text == auto:
		return advice.Add(cli.Misuse("--input auto with several methods, which are compared on the same input"),
			"name the input, as --input faces32")
	case e.several() && e.threshold:
		return advice.Add(cli.Misuse("several methods are compared without a threshold"), "evaluate a single method with --fpir or --calibrate")
	case e.csv && !e.several():
		return advice.Add(cli.Misuse("--csv is for several methods"), "for example --method nrdl,nrc; for one method there is --json")
	case e.csv && e.json:
		return cli.Misuse("--csv and --json are two forms of one result")
	case e.model == "" && e.skipTrained:
		return cli.Misuse("--skip-trained has no meaning without --model")
	case e.model == "":
		return nil
	}
	for _, flag := range slices.Concat([]string{"method", "preset", "set", "repeats"}, thresholdFlags, stageFlags) {
		if c.Flags().Changed(flag) {
			return advice.Add(cli.Misuse("--%s has no meaning with --model", flag), "an existing model is tested as it is, once")
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
	a.warnOfOne(s.images.Classes, s.images.AreFaces())
	protocol := experiment.Protocol{
		Split: e.split, Repeats: e.repeats, Seed: e.learn.seed, Input: s.Pipeline,
		Folds: experiment.ChoiceFolds, Calibrate: e.openSet.calibrate.options(), LawOnly: !e.threshold,
	}
	if s.auto {
		if protocol.Candidates, err = a.candidates(ctx, data, s, nil, &e.learn); err != nil {
			return experiment.Result{}, err
		}
	} else {
		a.tellOptions(s, &e.learn)
	}
	a.tellRuns(protocol)
	observer, done := a.runs("", protocol.Runs())
	result, err := experiment.Evaluate(ctx, s.images, s.Method, protocol, observer)
	done()
	if err != nil {
		return experiment.Result{}, fmt.Errorf("%s: %w", data, err)
	}
	return result, nil
}

// compare is evaluate with several methods.
func (a *app) compare(ctx context.Context, data string, e *evaluation) error {
	s, methods, err := a.studySeveral(ctx, data, e.learn)
	if err != nil {
		return err
	}
	a.warnOfCopies(s.images)
	protocol := experiment.Protocol{Split: e.split, Repeats: e.repeats, Seed: e.learn.seed, Input: s.Pipeline}
	a.tellRuns(protocol)
	var ended []func()
	result, err := experiment.Compare(ctx, s.images, methods, protocol, func(i int) experiment.Observer {
		o, done := a.runs(methods[i].Name()+", ", protocol.Runs())
		ended = append(ended, done)
		return o
	})
	for _, done := range ended {
		done()
	}
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", data, err)
	case e.json:
		return a.printJSON(result)
	case e.csv:
		return report.WriteMethodsCSV(a.Results, result)
	}
	if err := report.WriteMethods(a.Results, result); err != nil {
		return err
	}
	a.Next("nrdl bench --init %s (a plan of more methods and splits, to edit)", e.learn.input.data(data))
	return nil
}

// tellRuns says that p has one run if its split is not random.
func (a *app) tellRuns(p experiment.Protocol) {
	if p.Runs() < p.Repeats {
		a.Tell("split %v draws nothing at random: one run", p.Split)
	}
}

// runs tells each run, of what the prefix says, and shows its progress, until done is
// called.
func (a *app) runs(prefix string, runs int) (o experiment.Observer, done func()) {
	clear := func() {}
	o = experiment.Observer{
		Fit: func(run int) classify.Watch {
			var w classify.Watch
			w, clear = a.Watch(fmt.Sprintf("%srun %d of %d", prefix, run+1, runs))
			return w
		},
		Done: func(run int, r experiment.Run, _ *frontend.Model) {
			clear()
			clear = func() {}
			if r.Choice != nil {
				a.Tell("run %d of %d, right in %d folds of the training images:", run+1, runs, experiment.ChoiceFolds)
				a.tellChoice(r.Choice)
			}
			a.Tell("%srun %d of %d, seed %d: %s %% of %d, %s", prefix, run+1, runs, r.Seed, legible.Percent(r.Accuracy), r.N,
				console.Ended(classify.Outcome{Status: r.Status, Iter: r.Passes})+" in "+legible.Took(r.FitSeconds))
		},
		Failed: func(run int, err error) {
			clear()
			clear = func() {}
			a.WarnOf(fmt.Errorf("%srun %d of %d: %w", prefix, run+1, runs, err))
		},
	}
	return o, func() { clear() }
}

func (a *app) evaluateModel(ctx context.Context, data string, e *evaluation) (experiment.Result, error) {
	r, err := faces.Open(e.model)
	if err != nil {
		return experiment.Result{}, err
	}
	set, err := a.readLike(ctx, data, r, e.learn.input.labels)
	if err != nil {
		return experiment.Result{}, err
	}
	var split *dataset.Split
	if e.hasSplit {
		split = &e.split
	}
	model := r.Model()
	if unknown := experiment.Strangers(model.Names(), set); len(unknown) > 0 && len(unknown) < len(set.Classes) {
		a.Warn("the model does not know %s: their faces count as wrong", legible.Abridged(unknown))
	}
	a.warnOfOne(model.Names(), set.AreFaces())
	if !experiment.Checks(model, set) && split == nil {
		a.Warn("if the model was trained on images of %s, the rate is meaningless", data)
		a.Hint("test on other images, or give the --split and --seed of the training")
	}
	result, err := experiment.EvaluateModel(ctx, set, model, split, e.learn.seed, e.skipTrained)
	if err != nil {
		return experiment.Result{}, fmt.Errorf("%s: %w", data, err)
	}
	if n := len(result.TrainedImages); n > 0 {
		a.Tell("left out %s on which the model was trained: %s", legible.Count(n, "image"), legible.Abridged(result.TrainedImages))
	}
	return result, nil
}

// warnOfOne warns that of a single person only the threshold can be wrong.
func (a *app) warnOfOne(people []string, faces bool) {
	if len(people) == 1 {
		text := "one person only: the best guess is right for each of the person's faces; only how many reach the threshold says something"
		if !faces {
			a.Warn("%s", legible.OfSamples(text))
			return
		}
		a.Warn("%s", text)
		a.Hint("--open-set --enrolled 1 --strangers DIR counts strangers who get the name")
	}
}

// readLike reads the data set at path for r to judge.
func (a *app) readLike(ctx context.Context, path string, r *faces.Recogniser, by labels) (*dataset.Images, error) {
	find := face.Options{}
	if r.Model().Frame.Eyes.IsZero() {
		find.Detect = face.Never
	}
	by.arrays.Vectors = r.Model().Frame.Same(dataset.Frame{})
	set, err := a.read(ctx, path, by.options(r.Model().Pipeline, find))
	if err != nil && dataset.IsMatrix(path) && !errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; the features of the model are %v", err, r.Model().Pipeline)
	}
	return set, err
}
