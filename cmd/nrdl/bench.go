package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/buildinfo"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/cmd/nrdl/internal/cluster"
	"nrdl.example/nrdl/cmd/nrdl/internal/console"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/internal/blas"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/lab/plans"
	"nrdl.example/nrdl/lab/report"
)

// benching is the flags of bench.
type benching struct {
	output   string
	jobs     int
	root     string
	retry    bool
	list     bool
	print    bool
	create   bool
	schema   bool
	setNames string
	nats     cluster.Options
	arrays   dataset.Arrays
}

func (a *app) benchCmd() *cobra.Command {
	var b benching
	c := &cobra.Command{
		Use: "bench PLAN [-o RUNS.jsonl] [flags]",
		Args: func(c *cobra.Command, args []string) error {
			if b.schema {
				return cli.Arguments(0, 0)(c, args)
			}
			return cli.Arguments(1, 1)(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case b.schema:
				a.Print("%s", plans.Schema())
				return nil
			case b.print:
				return a.printPlan(args[0])
			case b.arrays != (dataset.Arrays{}) && !b.create:
				return advice.Add(cli.Misuse("--x and --y are for --init"), `"x" and "y" of a data set of the plan name its arrays`)
			case b.create:
				return a.initPlan(c.Context(), args[0], b.arrays, cmp.Or(b.output, "plan.json"))
			}
			return a.bench(c.Context(), args[0], b)
		},
		ValidArgsFunction: completePlan,
	}
	f := c.Flags()
	f.StringVarP(&b.output, "output", "o", "", "`RUNS` file of records; an existing one is continued (default: name of the plan .jsonl)")
	b.jobs = runtime.GOMAXPROCS(0)
	cli.Number(c, &b.jobs, "jobs", "j", cli.InRange(1, 1024), "`N` runs at a time, one thread each")
	f.StringVar(&b.root, "data", "", "`DIR` in which data sets are searched")
	clusterVar(c, &b.nats, elsewhere)
	f.BoolVar(&b.retry, "retry", false, "repeat the runs that failed")
	f.StringVar(&b.setNames, "only", "", "only the data sets `NAME,...` of the plan")
	f.BoolVar(&b.list, "list", false, "print the runs of the plan and the time that those without a record will take, and stop")
	f.BoolVar(&b.print, "print", false, "write the built-in plan PLAN to standard output and stop")
	f.BoolVar(&b.create, "init", false, "write a plan for the data set that is given instead of PLAN, and stop")
	f.BoolVar(&b.schema, "schema", false, "write the JSON schema of plans to standard output and stop")
	arraysVar(c, &b.arrays)
	c.MarkFlagsMutuallyExclusive("list", "print", "init", "schema")
	cli.Complete(c, "output", cli.Files("jsonl"))
	cli.Complete(c, "data", cli.Folders)
	return c
}

func (a *app) bench(ctx context.Context, path string, b benching) error {
	plan, err := a.planned(path, b)
	if err != nil {
		return err
	}
	if b.output == "" {
		b.output = strings.NewReplacer("/", "-", `\`, "-").Replace(plan.Name) + ".jsonl"
	}
	if b.list {
		return a.listRuns(plan, b)
	}
	blas.SetThreads(1) // of each run; the command is the whole process
	show, done := a.benchProgress(plan.Name)
	run := experiment.Bench{
		Databases: a.databases(b.root),
		Jobs:      b.jobs,
		Retry:     b.retry,
		Version:   buildinfo.Read().Line(),
		Warn:      func(s string) { a.Warn("%s", s) },
		Progress: func(p experiment.Progress) {
			if p.Last == nil {
				a.Tell("plan %s, seed %d: %s, %d of them already in %s", plan.Name, plan.Seed, legible.Count(p.Total, "run"), p.Records, b.output)
			}
			show(p)
		},
	}
	cluster, tell, err := a.cluster(ctx, b.nats)
	if err != nil {
		return err
	}
	if cluster != nil {
		defer cluster.Close()
		run.Distribute = cluster.Bench(b.output, run.Version, tell)
	}
	start := time.Now()
	p, err := run.Run(ctx, plan, b.output)
	done()
	if err != nil {
		if p.New > 0 && !errors.Is(err, context.Canceled) {
			a.Tell("%s kept in %s", legible.Count(p.New, "new record"), b.output)
		}
		return err
	}
	if p.New > 0 {
		a.Tell("made %s in %s", legible.Count(p.New, "run"), legible.Seconds(time.Since(start)))
	}
	a.Print("%s: %s, %d made now", b.output, legible.Count(p.Records, "record"), p.New)
	if p.Failures > 0 {
		a.Print(", %d failed", p.Failures)
	}
	a.Print("\nnext: nrdl report %s\n", legible.ShellWord(b.output))
	if p.Failures > 0 {
		return advice.Add(fmt.Errorf("%d of %s failed", p.Failures, legible.Count(p.Total, "run")),
			"their records tell why; --retry makes them again")
	}
	return nil
}

// planned returns the plan at path with the data sets that are asked for and there.
func (a *app) planned(path string, b benching) (*experiment.Plan, error) {
	plan, err := experiment.FindPlan(path)
	if err != nil {
		return nil, err
	}
	if b.setNames != "" {
		if err := plan.Only(strings.Split(b.setNames, ",")); err != nil {
			return nil, cli.AsMisuse(err)
		}
	}
	for _, missing := range plan.WithoutMissing(a.databases(b.root)) {
		a.Warn("%s", missing)
		if missing == experiment.NothingThere {
			a.Hint("nrdl bench open compares methods on data that come with the program")
		}
	}
	return plan, nil
}

// listRuns prints the runs of the plan, and how long those will take that have no record.
func (a *app) listRuns(plan *experiment.Plan, b benching) error {
	for _, line := range plan.List() {
		a.Print("%s\n", line)
	}
	records, err := experiment.ReadRecordsFile(b.output, nil)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	runs, left := plan.Left(records, b.jobs)
	switch {
	case runs == 0:
		a.Tell("all runs have a record in %s", b.output)
	case left == 0:
		a.Tell("%s without a record in %s, which says too little about their time: make some of them, and list again",
			legible.Count(runs, "run"), b.output)
	case len(records) == 0:
		a.Tell("%s: %s, %d at a time, on a computer like that of the published records", legible.Count(runs, "run"), console.About(left), b.jobs)
	default:
		a.Tell("%s without a record in %s: %s, %d at a time, as long as those that have one",
			legible.Count(runs, "run"), b.output, console.About(left), b.jobs)
	}
	return nil
}

// benchProgress shows a bar on a terminal; elsewhere it writes a line for each run.
func (a *app) benchProgress(name string) (show func(experiment.Progress), done func()) {
	b := a.NewBar(name)
	return func(p experiment.Progress) {
		switch {
		case p.Last == nil:
		case !a.Terminal:
			a.Tell("%d of %d: %s", p.Records, p.Total, report.Line(p.Last))
		case p.Last.Error != "":
			a.Warn("%s", report.Line(p.Last))
		}
		text := fmt.Sprintf("%d of %d", p.Records, p.Total)
		if p.Failures > 0 {
			text += fmt.Sprintf(" · %d failed", p.Failures)
		}
		if p.TimeLeft > 0 {
			text += " · " + console.About(p.TimeLeft) + " left"
		}
		b.Show(float64(p.Records)/float64(p.Total), text)
	}, b.Clear
}

// databases opens the data sets of plans and records: below root, or else below
// the folder that NRDL_DATA names.
func (a *app) databases(root string) *experiment.Databases {
	roots := []string{root, os.Getenv("NRDL_DATA")}
	return &experiment.Databases{Roots: roots, Warn: func(s string) { a.Warn("%s", s) }}
}

// printPlan prints the built-in plan of this name.
func (a *app) printPlan(name string) error {
	text, ok := plans.Named(name)
	if !ok {
		return cli.AsMisuse(advice.Unknown("plan", name, plans.Names()))
	}
	a.Print("%s", text)
	return nil
}

// initPlan writes a plan for the data set at data to the file path.
func (a *app) initPlan(ctx context.Context, data string, arrays dataset.Arrays, path string) error {
	if err := experiment.WritePlan(ctx, a.databases("").Find(data), path, arrays, func(s string) { a.Warn("%s", s) }); err != nil {
		return err
	}
	a.Tell("wrote %s; next: edit it, then nrdl bench %s", path, legible.ShellWord(path))
	return nil
}

// completePlan completes a plan: a file, or a name.
func completePlan(_ *cobra.Command, args []string, to string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	for _, name := range plans.Names() {
		if len(args) == 0 && strings.HasPrefix(name, to) {
			names = append(names, name)
		}
	}
	return names, cobra.ShellCompDirectiveDefault
}
