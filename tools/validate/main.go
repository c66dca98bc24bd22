// Command validate finds parameters without a look at a test image: of a
// split's training part it holds out folds in their turn, and prints how often
// each setting of a method names those rightly, as a table in Markdown.
//
//	go -C tools run ./validate -data yaleb_32x32.mat -split random:20 -method lcksvd2 \
//		-set passes=20 -grid "alpha=1,4,16 beta=1,4" -repeats 2
//
// Repeat r has the training part of the split's seed S + r, S being -seed, which
// it deals to folds with the same seed. A relative path of -data that does not exist is looked up
// in the folder sets of the one that NRDL_DATA names.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/tools/internal/hint"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	hint.Exit("validate", run(ctx, os.Stdout, os.Args[1:]))
}

func run(ctx context.Context, w io.Writer, args []string) error {
	var s search
	var fixed assignments
	flags := flag.NewFlagSet("validate", flag.ContinueOnError)
	data := flags.String("data", "", "the `DATA`: a file or a folder")
	name := flags.String("method", "nrdl", "the `METHOD`")
	preset := flags.String("preset", "", "begin with the parameters of this `DATABASE`")
	grid := flags.String("grid", "", "the settings to try: `PATH=VALUE,VALUE PATH=VALUE` …, each with each")
	flags.Var(&fixed, "set", "one parameter for all settings, `PATH=VALUE`; may be repeated")
	flags.TextVar(&s.split, "split", dataset.DefaultSplit, "the `SPLIT` whose training part is used")
	flags.IntVar(&s.folds, "folds", 4, "divide it into `N` folds")
	flags.IntVar(&s.repeats, "repeats", 1, "do all that `N` times, with the seeds S, S + 1, …")
	flags.Uint64Var(&s.seed, "seed", 0, "the first seed, `S`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q is not a flag", flags.Arg(0))
	}
	m, err := base(*name, *preset, fixed)
	if err != nil {
		return err
	}
	if s.axes, err = parseGrid(*grid); err != nil {
		return err
	}
	set, err := open(ctx, *data)
	if err != nil {
		return err
	}
	results, err := s.run(ctx, set, m)
	if err != nil {
		return err
	}
	return s.report(w, *data, m, results)
}

// base is the method that the settings of the grid are edits of.
func base(name, preset string, fixed assignments) (classify.Method, error) {
	m, err := method.Named(name)
	if err != nil {
		return nil, err
	}
	if preset != "" {
		if m, err = method.Preset(m, preset); err != nil {
			return nil, err
		}
	}
	return fixed.edit(m)
}

func open(ctx context.Context, path string) (*dataset.Images, error) {
	if path == "" {
		return nil, errors.New("no -data")
	}
	sets := experiment.Databases{Roots: []string{filepath.Join(os.Getenv("NRDL_DATA"), "sets")}}
	return dataset.Open(ctx, sets.Find(path), dataset.Options{})
}

// assignments are parameters and their values.
type assignments []assignment

type assignment struct{ path, value string }

func (a assignment) String() string { return a.path + "=" + a.value }

func (a *assignments) String() string { return fmt.Sprint(*a) }

func (a *assignments) Set(s string) error {
	path, value, ok := strings.Cut(s, "=")
	if !ok {
		return fmt.Errorf("%q is not PATH=VALUE", s)
	}
	*a = append(*a, assignment{path, value})
	return nil
}

// edit returns m with the parameters set.
func (a assignments) edit(m classify.Method) (classify.Method, error) {
	for _, one := range a {
		var err error
		if m, err = method.Set(m, one.path, one.value); err != nil {
			return nil, err
		}
	}
	return m, nil
}
