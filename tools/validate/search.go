package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/method"
)

// An axis is a parameter and the values to try.
type axis struct {
	path   string
	values []string
}

// parseGrid reads "alpha=1,4 beta=0.1". No text is no axis: one setting.
func parseGrid(text string) ([]axis, error) {
	var axes []axis
	for _, field := range strings.Fields(text) {
		path, values, ok := strings.Cut(field, "=")
		if !ok || path == "" || values == "" {
			return nil, fmt.Errorf("grid %q: %q is not PATH=VALUE,VALUE…", text, field)
		}
		axes = append(axes, axis{path, strings.Split(values, ",")})
	}
	return axes, nil
}

// settings returns each value of each axis with each of the others, the last
// axis changing fastest.
func settings(axes []axis) []assignments {
	all := []assignments{nil}
	for _, a := range axes {
		var longer []assignments
		for _, s := range all {
			for _, v := range a.values {
				longer = append(longer, append(s[:len(s):len(s)], assignment{a.path, v}))
			}
		}
		all = longer
	}
	return all
}

// A search is a grid and how its settings are judged.
type search struct {
	axes           []axis
	split          dataset.Split
	folds, repeats int
	seed           uint64 // of repeat 0
}

// A found is what was found of one setting.
type found struct {
	setting assignments
	runs    []experiment.Run // of all folds of repeat 0, then of repeat 1, …
	err     error            // why there are none
}

// run judges every setting on the same folds. A setting that cannot be learned
// has its error; a search with nothing else fails.
func (s search) run(ctx context.Context, set *dataset.Images, m classify.Method) ([]found, error) {
	if s.repeats < 1 {
		return nil, fmt.Errorf("%d repeats", s.repeats)
	}
	var parts []*dataset.Images
	for r := range s.repeats {
		columns, err := s.split.Train(set, s.seed+uint64(r))
		if err != nil {
			return nil, err
		}
		parts = append(parts, set.Select(columns)) // the last that is seen of set
	}
	results := make([]found, 0, len(settings(s.axes)))
	failed := 0
	for _, setting := range settings(s.axes) {
		edited, err := setting.edit(m)
		if err != nil {
			return nil, err
		}
		f := found{setting: setting}
		for r, p := range parts {
			folds := experiment.Folds{N: s.folds, Repeats: 1, Seed: s.seed + uint64(r)}
			res, err := experiment.Validate(ctx, p, edited, folds, experiment.Observer{})
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if f.err = err; err != nil {
				failed++
				break
			}
			f.runs = append(f.runs, res.Runs...)
		}
		results = append(results, f)
	}
	if failed == len(results) {
		return nil, results[0].err
	}
	return results, nil
}

// rates are the right ones of every run, in percent.
func (f found) rates() []float64 {
	rates := make([]float64, len(f.runs))
	for i, r := range f.runs {
		rates[i] = 100 * r.Accuracy
	}
	return rates
}

// best is the result with the highest mean rate, the first of equals.
func best(results []found) found {
	var top found
	highest := math.Inf(-1)
	for _, f := range results {
		if f.err != nil {
			continue
		}
		if mean := stat.Mean(f.rates(), nil); mean > highest {
			top, highest = f, mean
		}
	}
	return top
}

// below returns how far the mean rate of f is below that of top, and the
// standard error of that difference, fold by fold.
func (f found) below(top found) (mean, deviation float64) {
	rates := f.rates()
	for i, v := range top.rates() {
		rates[i] = v - rates[i]
	}
	mean, sd := stat.MeanStdDev(rates, nil)
	return mean, stat.StdErr(sd, float64(len(rates)))
}

// report prints a row for every setting; the best is bold, and ~ marks those
// that the folds cannot tell from it.
func (s search) report(w io.Writer, data string, m classify.Method, results []found) error {
	params, err := method.Marshal(m)
	if err != nil {
		return err
	}
	top := best(results)
	runs := len(top.runs)
	fmt.Fprintf(w,
		"%s on the training part of %s, split %v: %d × %d folds, learning from %d images and judging by %d.\nIts parameters, "+
			"but for the table's: `%s`.\n\n",
		m.Name(), data, s.split, s.repeats, s.folds, top.runs[0].Train, top.runs[0].N, params)
	for _, a := range s.axes {
		fmt.Fprintf(w, "| %s ", a.path)
	}
	fmt.Fprintf(w, "| rate ± sd of %d folds | below the best ± its standard error | seconds to learn |\n", runs)
	fmt.Fprintf(w, "|%s\n", strings.Repeat(" --- |", len(s.axes)+3))
	for _, f := range results {
		for _, one := range f.setting {
			fmt.Fprintf(w, "| %s ", one.value)
		}
		if f.err != nil {
			fmt.Fprintf(w, "| — %v | | |\n", f.err)
			continue
		}
		mean, sd := stat.MeanStdDev(f.rates(), nil)
		rate, distance := fmt.Sprintf("%.2f ± %.2f", mean, sd), ""
		if less, deviation := f.below(top); &f.runs[0] == &top.runs[0] {
			rate = "**" + rate + "**"
		} else {
			distance = fmt.Sprintf("%.2f ± %.2f", less, deviation)
			if less <= deviation {
				distance = "~ " + distance
			}
		}
		var seconds float64
		for _, r := range f.runs {
			seconds += r.FitSeconds / float64(len(f.runs))
		}
		fmt.Fprintf(w, "| %s | %s | %.2g |\n", rate, distance, seconds)
	}
	return nil
}
