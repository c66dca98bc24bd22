package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/cmd/nrdl/internal/buildinfo"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/cmd/nrdl/internal/cluster"
	"nrdl.example/nrdl/cmd/nrdl/internal/console"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/lab/report"
)

// tuning is the flags of tune.
type tuning struct {
	learn  learning
	split  dataset.Split // zero: all
	search experiment.Search
	json   bool
	nats   cluster.Options
}

func (a *app) tuneCmd() *cobra.Command {
	t := tuning{search: experiment.DefaultSearch}
	c := &cobra.Command{
		Use:  "tune DATA [flags]",
		Args: cli.Arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.tune(c.Context(), args[0], &t)
		},
		ValidArgsFunction: completeData,
	}
	t.learn.register(c)
	splitVar(c, &t.split, "the images to use")
	cli.Number(c, &t.search.Budget, "budget", "", cli.InRange(1, cli.Many), "`N` configurations to judge, the one given among them")
	cli.Number(c, &t.search.Folds, "folds", "", cli.InRange(2, cli.Many), "divide the images into `N` folds")
	c.Flags().BoolVar(&t.json, "json", false, "write one object")
	clusterVar(c, &t.nats, elsewhere)
	return c
}

func (a *app) tune(ctx context.Context, data string, t *tuning) error {
	if strings.Contains(t.learn.method, ",") {
		return advice.Add(cli.Misuse("tune takes one --method, not several"),
			"nrdl bench --init DATA writes a plan; \"tune\" in it tunes all its methods")
	}
	s, err := a.study(ctx, data, &t.learn)
	if err != nil {
		return err
	}
	set, in, m := s.images, s.Pipeline, s.Method
	if len(classify.TraitsOf(m).Ranges) == 0 {
		return advice.Add(cli.Misuse("%s has nothing to tune", m.Name()), "take a method with parameters: nrdl tune %s --method nrc",
			t.learn.input.data(data))
	}
	columns, err := t.split.Train(set, t.learn.seed)
	if err != nil {
		return fmt.Errorf("%s: %w", data, err)
	}
	if t.split != (dataset.Split{}) {
		set = set.Select(columns)
		a.Tell("using %s (split %v)", console.Contents(set), t.split)
	}
	a.tellOptions(s, &t.learn)
	t.search.Seed = t.learn.seed
	tuned, err := a.search(ctx, set, in, m, t)
	if err != nil {
		return fmt.Errorf("%s: %w", data, err)
	}
	if t.json {
		record, err := tuned.Record(m, t.search)
		if err != nil {
			return err
		}
		return a.printJSON(record)
	}
	if err := report.WriteTuned(a.Results, m, t.search, tuned); err != nil {
		return err
	}
	a.printNext(data, m, t, tuned.Trials[tuned.Best])
	return nil
}

// search tunes and shows how far it is.
func (a *app) search(ctx context.Context, set *dataset.Images, in frontend.Pipeline, m classify.Method,
	t *tuning,
) (experiment.Tuned, error) {
	cluster, tell, err := a.cluster(ctx, t.nats)
	if err != nil {
		return experiment.Tuned{}, err
	}
	b, s := a.NewBar("tuning"), t.search
	b.Show(0, "")
	defer b.Clear()
	start, minWrong := time.Now(), -1
	o := experiment.TuneObserver{Done: func(i int, trial experiment.Trial) {
		if trial.Err == "" && trial.Folds == s.Folds && (minWrong < 0 || trial.Wrong < minWrong) {
			minWrong = trial.Wrong
			if !a.Terminal {
				a.Tell("configuration %d of %d is the best so far: %s %% right, %s", i+1, s.Budget,
					legible.Percent(trial.Rate()), cmp.Or(strings.Join(trial.Set, " "), "as given"))
			}
		}
		left := time.Since(start) / time.Duration(i+1) * time.Duration(s.Budget-i-1)
		b.Show(float64(i+1)/float64(s.Budget),
			fmt.Sprintf("%d of at most %d configurations · at most %s left", i+1, s.Budget, console.About(left)))
	}}
	if cluster != nil {
		defer cluster.Close()
		return cluster.Tune(ctx, set, in, m, s, o, buildinfo.Read().Line(), tell)
	}
	return experiment.Tune(ctx, set, in, m, s, o)
}

// printNext prints the command that uses the best parameters.
func (a *app) printNext(data string, m classify.Method, t *tuning, best experiment.Trial) {
	flags := ""
	for _, s := range t.learn.flags(m.Name()) {
		flags += " " + s
	}
	for _, s := range best.Set {
		flags += " --set " + s
	}
	if t.split != (dataset.Split{}) {
		a.Print("\nnext: nrdl evaluate %s --split %v --repeats 1%s\n", t.learn.input.data(data), t.split, flags)
		return
	}
	a.Print("\nnext: nrdl train %s -o model.nrdl%s\n", t.learn.input.data(data), flags)
}

// flags are l as a command line has them.
func (l *learning) flags(name string) []string {
	flags := []string{"--method " + name}
	if l.preset != "" {
		flags = append(flags, "--preset "+l.preset)
	}
	for _, s := range l.set {
		flags = append(flags, "--set "+legible.ShellWord(s))
	}
	for _, name := range stageFlags {
		if f := l.input.set.Lookup(name); f.Changed {
			flags = append(flags, "--"+name+"="+legible.ShellWord(f.Value.String()))
		}
	}
	if l.seed != 0 {
		flags = append(flags, fmt.Sprintf("--seed %d", l.seed))
	}
	return flags
}
