// Command ideas tries what may recognise better than the presets: each idea with
// the hypothesis behind it, on random splits that are the same for all, against
// what it would replace. It prints a table in Markdown.
//
//	go run ./bench/ideas -data DATA -o experiment/results/ideas.json
//
// DATA is the folder with the face databases, as in NRDL_DATA. Cells, radii and
// weights were found on these databases, with other splits, so that what wins by
// little may owe it to that.
//
// # References
//
//	[esrc]        Deng, Hu, Guo: Extended SRC: undersampled face recognition via
//	              intraclass variant dictionary. IEEE PAMI 34, 2012.
//	[homogeneous] Vedaldi, Zisserman: Efficient additive kernels via explicit
//	              feature maps. IEEE PAMI 34, 2012.
//	[tptsr]       Xu, Zhang, Yang, Yang: A two-phase test sample sparse
//	              representation method for use with face recognition. IEEE
//	              Transactions on Circuits and Systems for Video Technology 21,
//	              2011.
//	[wsrc]        Lu, Min, Gui, Zhu, Lei: Face recognition via weighted sparse
//	              representation. Journal of Visual Communication and Image
//	              Representation 24, 2013.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"

	"nrdl/internal/atomicfile"
	"nrdl/internal/hint"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, os.Stderr, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "ideas: error:", err)
		if h := hint.Of(err); h != "" {
			fmt.Fprintln(os.Stderr, "ideas: hint:", h)
		}
		os.Exit(1)
	}
}

// firstSeed is the seed of the first split; the presets were found with others.
const firstSeed = 40_000

func run(ctx context.Context, w, progress io.Writer, args []string) error {
	flags := flag.NewFlagSet("ideas", flag.ContinueOnError)
	data := flags.String("data", os.Getenv("NRDL_DATA"), "the folder `DIR` of the databases")
	only := flags.String("only", "", "try the idea `NAME` alone")
	splits := flags.Int("splits", 10, "judge by `N` random splits, at least 2")
	output := flags.String("o", "", "write what was counted to `FILE`, as JSON")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("%q is not a flag", flags.Arg(0))
	case *data == "":
		return errors.New("no -data")
	case *splits < 2:
		return fmt.Errorf("splits = %d: a paired test takes 2", *splits)
	}
	tried, err := named(*only)
	if err != nil {
		return err
	}
	if *output != "" {
		if err := atomicfile.Check(*output); err != nil {
			return err
		}
	}
	s := study{ideas: tried, splits: *splits, progress: progress}
	var found results
	for _, d := range databases {
		if !slices.ContainsFunc(tried, func(i idea) bool { return slices.Contains(i.on, d.Name) }) {
			continue
		}
		set, in, err := d.open(ctx, *data)
		if err != nil {
			return err
		}
		if err := s.judge(ctx, d, set, in); err != nil {
			return fmt.Errorf("%s: %w", d.Name, err)
		}
		if found, err = s.results(); err != nil {
			return err
		}
		if *output == "" {
			continue
		}
		// After each database, so that an end before the last does not lose the others.
		if _, err := atomicfile.Write(ctx, *output, found.write); err != nil {
			return err
		}
	}
	found.table(w)
	return nil
}

// named returns the idea of that name, all for "".
func named(name string) ([]idea, error) {
	if name == "" {
		return ideas, nil
	}
	var names []string
	for i, one := range ideas {
		if one.name == name {
			return ideas[i : i+1], nil
		}
		names = append(names, one.name)
	}
	return nil, hint.Unknown("idea", name, names)
}
