package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"nrdl"
	"nrdl/dataset"
	"nrdl/experiment"
	"nrdl/internal/hint"
)

// evaluation is the flags of evaluate.
type evaluation struct {
	learn   learning
	split   splitFlag
	divided bool // --split is given
	repeats int
	model   string
	json    bool
	open    openSet
}

func (a *app) evaluateCmd() *cobra.Command {
	e := evaluation{split: splitFlag{dataset.DefaultSplit}}
	c := &cobra.Command{
		Use:   "evaluate DATA [flags]",
		Short: "Say how often a method or a model is right",
		Long: `evaluate divides the faces of each person, learns from one part and counts how
many of the other are named correctly. Run r splits and learns with the seed
SEED + r: any run can be repeated alone. A split that draws nothing at random,
such as first:6, has one run. With --input auto each run chooses an input and a
coder by folds of the faces that it learns from.

With --model it judges a model that exists: on all of DATA, or with --split on
the part that is not for learning. Give the --split and --seed that it was learnt
with: on the images that it was learnt from its rate says nothing.

With --open-set some of the people, drawn anew in each run, are enrolled, and the
faces of the others are strangers': it tells how many faces are identified while
a given share of strangers is let in, what the threshold that training sets does
to strangers whom it has not seen, and what probabilities are worth.`,
		Example: `  nrdl evaluate people
  nrdl evaluate people --input faces32 --split random:5 --repeats 5
  nrdl evaluate people --input auto --size 32x32 --split first:6
  nrdl evaluate people --input pixels --method nrdl --set alpha=10 --repeats 2 --json
  nrdl evaluate people --input pixels --method src --preset orl
  nrdl evaluate people --model people.nrdl --split first:6
  nrdl evaluate people --open-set --split random:5 --repeats 2`,
		Args: arguments(1, 1),
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
	e.learn.register(c)
	e.split.register(c, "the images to learn from")
	e.repeats = 10
	numberVar(c, &e.repeats, "repeats", "r", inRange(1, many), "`N` runs, each with a split of its own")
	c.Flags().StringVar(&e.model, "model", "", "judge this `MODEL`; nothing is learnt")
	c.Flags().BoolVar(&e.json, "json", false, "write one object")
	e.open.register(c)
	complete(c, "model", completeFiles("nrdl"))
	return c
}

func (e *evaluation) check(c *cobra.Command) error {
	if e.divided && e.split.Split == (dataset.Split{}) && e.model == "" {
		return hint.Add(misuse("--split all leaves no image to judge by"), "choose half, or first:K or random:K")
	}
	if err := e.open.check(c); err != nil {
		return err
	}
	if e.model == "" {
		return nil
	}
	for _, flag := range slices.Concat([]string{"method", "preset", "set", "repeats"}, stageFlags) {
		if c.Flags().Changed(flag) {
			return hint.Add(misuse("--%s has no meaning with --model", flag), "a model that exists is judged as it is, once")
		}
	}
	return nil
}

func (a *app) evaluate(ctx context.Context, data string, e *evaluation) (experiment.Result, error) {
	if e.model != "" {
		return a.evaluateModel(ctx, data, e)
	}
	in, _, choose, err := e.learn.seeing(data)
	if err != nil {
		return experiment.Result{}, err
	}
	set, in, err := a.openFor(ctx, data, in, &e.learn.input)
	if err != nil {
		return experiment.Result{}, err
	}
	m, err := e.learn.configured(in)
	if err != nil {
		return experiment.Result{}, err
	}
	protocol := experiment.Protocol{Split: e.split.Split, Repeats: e.repeats, Seed: e.learn.seed, Input: in, Folds: autoFolds}
	if choose {
		if protocol.Candidates, err = a.candidates(ctx, data, set, nil, &e.learn, m); err != nil {
			return experiment.Result{}, err
		}
	} else {
		a.tellInput(in)
		a.tellMethod(m, e.learn)
	}
	if n := protocol.Runs(); n < e.repeats {
		a.tell("split %v draws nothing at random: one run", e.split)
	}
	observer, done := a.observer(protocol.Runs())
	result, err := experiment.Evaluate(ctx, set, m, protocol, observer)
	done()
	if err != nil {
		return experiment.Result{}, fmt.Errorf("%s: %w", data, err)
	}
	return result, nil
}

// observer tells each run and shows its progress, until done is called.
func (a *app) observer(runs int) (o experiment.Observer, done func()) {
	clear := func() {}
	o = experiment.Observer{
		Fit: func(run int) nrdl.Watch {
			var w nrdl.Watch
			w, clear = a.watch(fmt.Sprintf("run %d of %d", run+1, runs))
			return w
		},
		Done: func(run int, r experiment.Run, m *nrdl.Model) {
			clear()
			clear = func() {}
			if r.Choice != nil {
				a.tell("run %d of %d, right in %d folds of the training images:", run+1, runs, autoFolds)
				a.tellChoice(r.Choice)
			}
			a.tell("run %d of %d, seed %d: %s %% of %d, %s", run+1, runs, r.Seed, percent(r.Accuracy), r.N,
				ended(nrdl.Outcome{Status: r.Status, Iter: r.Passes}, since(r.FitSeconds)))
			if run == 0 {
				a.warnOvercomplete(m)
			}
		},
	}
	return o, func() { clear() }
}

func (a *app) evaluateModel(ctx context.Context, data string, e *evaluation) (experiment.Result, error) {
	model, err := loadModel(e.model)
	if err != nil {
		return experiment.Result{}, err
	}
	set, err := a.openLike(ctx, data, model)
	if err != nil {
		return experiment.Result{}, err
	}
	var split *dataset.Split
	if e.divided {
		split = &e.split.Split
	}
	if unknown := experiment.Strangers(model, set); len(unknown) > 0 && len(unknown) < len(set.Classes) {
		a.warn("the model does not know %s: their faces count as wrong", abridged(unknown))
	}
	result, err := experiment.EvaluateModel(ctx, set, model, split, e.learn.seed)
	if err != nil {
		return experiment.Result{}, fmt.Errorf("%s: %w", data, err)
	}
	if !e.divided {
		a.warn("if %s holds the images that the model was learnt from, the rate says nothing: give the --split it was learnt with", data)
	}
	return result, nil
}

// abridged joins names, at most five of them.
func abridged(names []string) string {
	if len(names) <= 5 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:5], ", "), len(names)-5)
}

// printResult prints the rate and a line a run; of a model that exists, not
// how it was learnt.
func (a *app) printResult(r experiment.Result, exists bool) {
	rate := percent(r.Accuracy)
	if r.Repeats > 1 {
		rate += fmt.Sprintf(" ± %s", percent(r.SD))
	}
	a.print("%s: %s %% right (split %s, %s)\n\n", r.Method, rate, r.Split, plural(r.Repeats, "run"))
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	defer w.Flush() // errors surface when out is flushed
	if exists {
		fmt.Fprintln(w, "right %\twrong\tof\tname all\t")
		for _, one := range r.Runs {
			fmt.Fprintf(w, "%s\t%d\t%d\t%s\t\n", percent(one.Accuracy), one.Wrong, one.N, seconds(since(one.CodeSeconds)))
		}
		return
	}
	fmt.Fprintln(w, "seed\tright %\twrong\tof\tlearnt from\tpasses\tstatus\tlearn\tname all\t")
	for _, one := range r.Runs {
		fmt.Fprintf(w, "%d\t%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t\n", one.Seed, percent(one.Accuracy), one.Wrong, one.N,
			orDash(one.Train), orDash(one.Passes), one.Status, orDashTime(one.FitSeconds), seconds(since(one.CodeSeconds)))
	}
}

func percent(fraction float64) string { return fmt.Sprintf("%.2f", 100*fraction) }

func since(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func orDash(n int) string {
	if n == 0 {
		return "—"
	}
	return fmt.Sprint(n)
}

func orDashTime(s float64) string {
	if s == 0 {
		return "—"
	}
	return seconds(since(s))
}

func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
