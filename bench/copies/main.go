// Command copies shows what images that are in the training part twice do to
// methods. Of a split's training part it copies some images, drawn at random,
// lets each method learn from all of it, and prints how often the test part is
// named correctly, beside the same without the copies, as a table in Markdown.
//
//	go run ./bench/copies -data orl_56x46.mat -split first:4 -copies 1,2,3 -draws 20
//	go run ./bench/copies -data orl_56x46.mat -split first:4 -methods nrdl -kind near -noise 1e-6
//
// Draw r copies the images that the seed S + r chooses, S being -seed, and
// divides the set with the same seed. A relative path of -data that does not
// exist is looked up in the folder sets of the one that NRDL_DATA names.
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

	"nrdl/dataset"
	"nrdl/experiment"
	"nrdl/internal/hint"
	"nrdl/method"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "copies: error:", err)
		if h := hint.Of(err); h != "" {
			fmt.Fprintln(os.Stderr, "copies: hint:", h)
		}
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, args []string) error {
	var s study
	flags := flag.NewFlagSet("copies", flag.ContinueOnError)
	data := flags.String("data", "", "the `DATA`: a file or a folder")
	names := flags.String("methods", strings.Join(method.Names(), ","), "the `METHODS`, with commas between them")
	size := flags.String("size", "", "resize images to `HxW`")
	counts := flags.String("copies", "1,2,3", "how many images are copied: `N,N,...`, or all for one of each person")
	flags.TextVar(&s.split, "split", dataset.DefaultSplit, "the `SPLIT`")
	flags.TextVar(&s.kind, "kind", kind(exact), "what a copy is: exact, near (with -noise), mean (of the image and another one of the person), triple (two copies of each image) or mislabelled (a copy that another person has)")
	flags.Float64Var(&s.noise, "noise", 1e-6, "norm of the noise of near copies, as a part of the image's")
	flags.IntVar(&s.draws, "draws", 20, "draw the images that are copied `N` times")
	flags.Uint64Var(&s.seed, "seed", 0, "the first seed, `S`")
	flags.BoolVar(&s.warm, "warm", false, "start each fit from a model without the last person, where the method can")
	flags.Func("set", "a parameter of all methods, `PATH=VALUE`; may be repeated", s.assign)
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q is not a flag", flags.Arg(0))
	}
	if err := s.parse(*names, *counts); err != nil {
		return err
	}
	set, err := open(ctx, *data, *size)
	if err != nil {
		return err
	}
	return s.run(ctx, w, set, *data)
}

func open(ctx context.Context, path, size string) (*dataset.Images, error) {
	if path == "" {
		return nil, errors.New("no -data")
	}
	var opt dataset.Options
	if size != "" {
		var err error
		if opt.Frame.Size, err = dataset.ParseSize(size); err != nil {
			return nil, err
		}
	}
	sets := experiment.Databases{Roots: []string{filepath.Join(os.Getenv("NRDL_DATA"), "sets")}}
	return dataset.Open(ctx, sets.Find(path), opt)
}
