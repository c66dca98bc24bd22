package main

import (
	"context"
	"fmt"
	"io"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/studies/internal/cputime"
)

// gap measures nrdl and nrdl-online on splits of the set in the file path, with the
// same atoms and the same coder for queries: 30 passes of ADMM.
func gap(ctx context.Context, w io.Writer, path string) error {
	set, err := dataset.Open(ctx, path, dataset.Options{})
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "| split | seed | N | `nrdl`: right, seconds | `nrdl-online`: right, seconds | gap |")
	fmt.Fprintln(w, "| --- | --: | --: | --: | --: | --: |")
	for _, name := range []string{"random:10", "random:40", "half"} {
		split, err := dataset.ParseSplit(name)
		if err != nil {
			return err
		}
		for seed := range uint64(2) {
			tr, te, err := split.Apply(set, seed)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "| %s | %d | %d |", name, seed, len(tr))
			var rates [2]float64
			for i, of := range []string{"nrdl", "nrdl-online"} {
				rate, seconds, err := right(ctx, of, set.Select(tr), set.Select(te))
				if err != nil {
					return err
				}
				rates[i] = rate
				fmt.Fprintf(w, " %.2f %%, %.1f |", rate, seconds)
			}
			fmt.Fprintf(w, " %+.2f |\n", rates[1]-rates[0])
		}
	}
	return nil
}

// right learns from train and returns the percentage of the samples of test that are
// named rightly, and the processor time of learning.
func right(ctx context.Context, name string, train, test *dataset.Images) (rate, seconds float64, err error) {
	m, err := method.Named(name)
	for _, set := range [][2]string{{"atoms", "10"}, {"coder.solver", "admm"}, {"coder.passes", "30"}} {
		if err == nil {
			m, err = method.Set(m, set[0], set[1])
		}
	}
	if err != nil {
		return 0, 0, err
	}
	start := cputime.Used().Seconds()
	c, err := m.Fit(ctx, &train.Samples, classify.Run{Seed: 1})
	if err != nil {
		return 0, 0, err
	}
	end := cputime.Used().Seconds()
	named, err := c.Predict(ctx, test.X)
	if err != nil {
		return 0, 0, err
	}
	for j, class := range test.Labels() {
		if c.Parts().Classes[named[j]] == test.Classes[class] {
			rate += 100 / float64(len(named))
		}
	}
	return rate, end - start, nil
}
