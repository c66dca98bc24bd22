package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nrdl/experiment"
	"nrdl/internal/hint"
)

// benching is the flags of bench.
type benching struct {
	output string
	jobs   int
	root   string
	retry  bool
	list   bool
}

func (a *app) benchCmd() *cobra.Command {
	var b benching
	c := &cobra.Command{
		Use:   "bench PLAN [-o RUNS.jsonl] [flags]",
		Short: "Make the runs of a plan: methods, data, splits, repeats",
		Long: `bench makes the runs that a plan asks for and appends a record of each, a line of
JSON, to a file. It goes on where it stopped: runs whose record is in the file are
not made again, so that it may be interrupted, killed or short of disk at any
moment. Every method meets the same splits and the same noise. A run that fails
is a record with its error, and the others go on; in the end the status is 1.

A plan is a JSON file, which plans/schema.json in the source describes, or the name
of one that comes with nrdl: paper, noise and convergence are the table and the
figures of the paper, tuned, ablation and cost go further, and quick needs no data.
Relative paths of data sets are looked
for in the working folder, then below --data, then below the folder that the
environment variable NRDL_DATA names.

report makes tables and pages of the records.`,
		Example: `  nrdl bench quick
  nrdl bench paper --list
  nrdl bench quick -o quick.jsonl -j 2 --retry`,
		Args: arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.bench(c.Context(), args[0], b)
		},
		ValidArgsFunction: completePlan,
	}
	f := c.Flags()
	f.StringVarP(&b.output, "output", "o", "", "`RUNS` file of records to go on with (default: name of the plan .jsonl)")
	b.jobs = runtime.GOMAXPROCS(0)
	numberVar(c, &b.jobs, "jobs", "j", inRange(1, 1024), "`N` runs at a time, one thread each")
	f.StringVar(&b.root, "data", "", "`DIR` below which data sets are looked for")
	f.BoolVar(&b.retry, "retry", false, "make runs again that have failed")
	f.BoolVar(&b.list, "list", false, "print the runs of the plan, and make none")
	complete(c, "output", completeFiles("jsonl"))
	complete(c, "data", completeFolders)
	return c
}

func (a *app) bench(ctx context.Context, path string, b benching) error {
	plan, err := a.readPlan(path)
	if err != nil {
		return err
	}
	if b.list {
		for _, line := range plan.List() {
			a.print("%s\n", line)
		}
		return nil
	}
	if b.output == "" {
		b.output = strings.NewReplacer("/", "-", `\`, "-").Replace(plan.Name) + ".jsonl"
	}
	show, done := a.benchProgress(plan.Name)
	run := experiment.Bench{
		Databases: a.databases(b.root),
		Jobs:      b.jobs,
		Retry:     b.retry,
		Version:   newBuild().line(),
		Warn:      func(s string) { a.warn("%s", s) },
		Progress: func(p experiment.Progress) {
			if p.Last == nil {
				a.tell("plan %s, seed %d: %s, %d of them already in %s", plan.Name, plan.Seed, plural(p.Total, "run"), p.Done, b.output)
			}
			show(p)
		},
	}
	start := time.Now()
	p, err := run.Run(ctx, plan, b.output)
	done()
	if err != nil {
		if p.New > 0 && !errors.Is(err, context.Canceled) {
			a.tell("%s kept in %s", plural(p.New, "new record"), b.output)
		}
		return err
	}
	if p.New > 0 {
		a.tell("made %s in %s", plural(p.New, "run"), seconds(time.Since(start)))
	}
	a.print("%s: %s, %d made now", b.output, plural(p.Done, "record"), p.New)
	if p.Failed > 0 {
		a.print(", %d failed", p.Failed)
	}
	a.print("\nnext: nrdl report %s\n", quoted(b.output))
	if p.Failed > 0 {
		return hint.Add(fmt.Errorf("%d of %s failed", p.Failed, plural(p.Total, "run")), "their records tell why; --retry makes them again")
	}
	return nil
}

// benchProgress shows a bar on a terminal; elsewhere it tells of every run.
func (a *app) benchProgress(name string) (show func(experiment.Progress), done func()) {
	if !a.terminal {
		return func(p experiment.Progress) {
			if p.Last != nil {
				a.tell("%d of %d: %s", p.Done, p.Total, describeRecord(p.Last))
			}
		}, func() {}
	}
	var b *bar
	return func(p experiment.Progress) {
			if p.Last != nil && p.Last.Error != "" {
				a.warn("%s", describeRecord(p.Last))
			}
			if b == nil {
				b = a.newBar(name)
			}
			text := fmt.Sprintf("%d of %d", p.Done, p.Total)
			if p.Failed > 0 {
				text += fmt.Sprintf(" · %d failed", p.Failed)
			}
			if p.Left > 0 {
				text += " · " + about(p.Left) + " left"
			}
			b.show(float64(p.Done)/float64(p.Total), text)
		}, func() {
			if b != nil {
				b.clear()
			}
		}
}

// describeRecord says in a line what came of a run.
func describeRecord(r *experiment.Record) string {
	what := fmt.Sprintf("%s on %s, %s", r.Label, r.Dataset.Name, r.Split)
	if r.Noise > 0 {
		what += fmt.Sprintf(", noise %v", r.Noise)
	}
	if r.Occlusion > 0 {
		what += fmt.Sprintf(", occlusion %v", r.Occlusion)
	}
	what += fmt.Sprintf(", repeat %d: ", r.Repeat)
	if r.Error != "" {
		return what + "failed: " + r.Error
	}
	return what + fmt.Sprintf("%s %% of %d, learnt in %s", percent(r.Rate), r.N, seconds(since(r.Cost.FitSeconds+r.Cost.TuneSeconds)))
}

// databases opens the data sets of plans and records: below root, or else below
// the folder that NRDL_DATA names.
func (a *app) databases(root string) *experiment.Databases {
	roots := []string{root, os.Getenv("NRDL_DATA")}
	return &experiment.Databases{Roots: roots, Warn: func(s string) { a.warn("%s", s) }}
}
