// Command copies shows what images that are in the training part twice do to
// methods. Of a split's training part it copies some images, drawn at random,
// lets each method learn from all of it, and prints how often the test part is
// named correctly, beside the same without the copies, as a table in Markdown.
//
//	go -C studies run ./copies -data orl_56x46.mat -split first:4 -copies 1,2,3 -draws 20
//
// Draw r copies the images that the seed r chooses, and divides the set with the
// same seed. A relative path of -data that does not exist is looked up in the
// folder sets of the one that NRDL_DATA names.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/experiment"
	"nrdl.example/nrdl/frontend"
	"nrdl.example/nrdl/internal/hint"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/method"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	hint.Exit("copies", run(ctx, os.Stdout, os.Args[1:]))
}

// A study is a data set and how it is divided.
type study struct {
	set   *dataset.Images
	split dataset.Split
	draws int
}

// all stands for one image of each person in the list of copies.
const all = "all"

func run(ctx context.Context, w io.Writer, args []string) error {
	var s study
	flags := flag.NewFlagSet("copies", flag.ContinueOnError)
	data := flags.String("data", "", "the `DATA`: a file or a folder")
	names := flags.String("methods", strings.Join(method.Names(), ","), "the `METHODS`, with commas between them")
	counts := flags.String("copies", "1,2,3", "how many images are copied: `N,N,...`, or all for one of each person")
	flags.TextVar(&s.split, "split", dataset.DefaultSplit, "the `SPLIT`")
	flags.IntVar(&s.draws, "draws", 20, "draw the images that are copied `N` times")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("%q is not a flag", flags.Arg(0))
	case *data == "":
		return errors.New("no -data")
	case s.draws < 1:
		return fmt.Errorf("-draws = %d is not ≥ 1", s.draws)
	}
	sets := experiment.Databases{Roots: []string{filepath.Join(os.Getenv("NRDL_DATA"), "sets")}}
	var err error
	if s.set, err = dataset.Open(ctx, sets.Find(*data), dataset.Options{}); err != nil {
		return err
	}
	fmt.Fprintf(w, "%s, split %v, %d draws; percent of the test images that are named correctly\n\n", *data, s.split, s.draws)
	fmt.Fprintf(w, "| method | copies | without | with | difference | worst draw | failed fits |\n| --- | --- | --: | --: | --: | --: | --: |\n")
	for _, name := range strings.Split(*names, ",") {
		m, err := method.Named(name)
		if err != nil {
			return err
		}
		if err := s.rows(ctx, w, m, strings.Split(*counts, ",")); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// rows prints a row for each number of copies.
func (s *study) rows(ctx context.Context, w io.Writer, m classify.Method, copies []string) error {
	clean := make([]float64, s.draws)
	for r := range clean {
		if r > 0 && !s.split.Random() {
			clean[r] = clean[0]
			continue
		}
		var err error
		if clean[r], err = s.rate(ctx, m, "0", r); err != nil {
			return err
		}
	}
	for _, n := range copies {
		var without, with, failed float64
		worst := math.Inf(1)
		for r, before := range clean {
			after, err := s.rate(ctx, m, n, r)
			switch {
			case errors.Is(err, classify.ErrDiverged):
				failed++
			case err != nil:
				return fmt.Errorf("%s copies, draw %d: %w", n, r, err)
			}
			without, with = without+before/float64(s.draws), with+after/float64(s.draws)
			worst = min(worst, after-before)
		}
		fmt.Fprintf(w, "| %s | %s | %.1f | %.1f | %+.1f | %+.1f | %.0f |\n", m.Name(), n, without, with, with-without, worst, failed)
	}
	return nil
}

// rate is the rate of draw r with n copies, in percent.
func (s *study) rate(ctx context.Context, m classify.Method, n string, r int) (float64, error) {
	seed := uint64(r)
	learn, judge, err := s.split.Apply(s.set, seed)
	if err != nil {
		return 0, err
	}
	train, err := copied(s.set.Select(learn), n, seed)
	if err != nil {
		return 0, err
	}
	model, err := frontend.Learn(ctx, train, frontend.Pipeline{}.ForImages(train.Frame), m, classify.Run{Seed: seed})
	if err != nil {
		return 0, err
	}
	got, err := experiment.Judge(ctx, model, s.set.Select(judge))
	return 100 * got.Accuracy, err
}

// copied returns train with copies of n images.
func copied(train *dataset.Images, n string, seed uint64) (*dataset.Images, error) {
	d, size := train.X.Dims()
	var from []int
	if n == all {
		rng := rand.New(rand.NewPCG(seed, math.MaxUint64))
		for c := range train.Classes {
			from = append(from, train.Groups[c]+rng.IntN(train.Groups[c+1]-train.Groups[c]))
		}
	} else {
		number, err := strconv.ParseUint(n, 10, 31)
		if err != nil {
			return nil, fmt.Errorf("-copies: %q is not a number of images", n)
		}
		from = rand.New(rand.NewPCG(seed, number)).Perm(size)[:min(int(number), size)]
	}
	x := mat.NewDense(d, size+len(from), nil)
	lin.Set(lin.Cols(x, 0, size), 1, train.X)
	var labels []string
	for j := range size {
		labels = append(labels, train.Classes[train.ClassOf(j)])
	}
	for i, j := range from {
		x.SetCol(size+i, mat.Col(nil, j, train.X))
		labels = append(labels, labels[j])
	}
	return dataset.NewImages(x, labels, nil, train.Classes, train.Frame)
}
