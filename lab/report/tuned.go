package report

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/stat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/internal/natural"
	"nrdl.example/nrdl/lab/experiment"
)

// fewValues is the largest number of values of a tuned parameter that are listed; for more
// values, the range is given.
const fewValues = 3

// tuned lists the parameters that searches inside the training part chose; nil if nothing
// was tuned.
func (p *Plan) tuned() *table {
	t := &table{
		Caption: "Parameters that were tuned inside the training part",
		Head: slices.Concat(heads("method"), wordHeads("data set", "chosen"),
			heads("trials × folds", "validation, as given", "validation, chosen", "test")),
	}
	for i, l := range p.Labels {
		for j, c := range p.Columns {
			var runs []*experiment.Record
			for _, r := range p.Cells[i][j].runs {
				if r.Tuning != nil {
					runs = append(runs, r)
				}
			}
			if len(runs) == 0 {
				continue
			}
			given, chosen := validation(runs)
			row := cells(l.Name, c.String(), strings.Join(choices(runs), "; "), search(runs), given, chosen)
			t.Rows = append(t.Rows, append(row, p.Cells[i][j].rateCell()))
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// validation returns the mean rates in the folds, with the initial and with the chosen
// parameters.
func validation(runs []*experiment.Record) (given, chosen string) {
	rate := func(trial func(t *experiment.Tuning) int) string {
		var rates []float64
		for _, r := range runs {
			i := trial(r.Tuning)
			if i < 0 || i >= len(r.Tuning.Trials) {
				continue
			}
			if t := r.Tuning.Trials[i]; t.Err == "" && t.N > 0 {
				rates = append(rates, 100*t.Rate())
			}
		}
		if rates == nil {
			return "—"
		}
		return tenths(stat.Mean(rates, nil))
	}
	return rate(func(*experiment.Tuning) int { return 0 }), rate(func(t *experiment.Tuning) int { return t.Best })
}

// search returns the numbers of trials and folds.
func search(runs []*experiment.Record) string {
	var sizes []string
	for _, r := range runs {
		s := fmt.Sprintf("%d × %d", len(r.Tuning.Trials), r.Tuning.Folds)
		if !slices.Contains(sizes, s) {
			sizes = append(sizes, s)
		}
	}
	slices.SortFunc(sizes, natural.Compare)
	if len(sizes) > fewValues {
		return sizes[0] + " to " + sizes[len(sizes)-1]
	}
	return strings.Join(sizes, ", ")
}

// choices returns the parameters that a best trial of a run sets, with their values in all
// runs or, for many values, their range.
func choices(runs []*experiment.Record) (words []string) {
	var paths []string
	for _, r := range runs {
		for path := range assignments(r) {
			if !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	slices.SortFunc(paths, natural.Compare)
	for _, path := range paths {
		var values []string
		for _, r := range runs {
			v, ok := value(r, path)
			if !ok {
				v = maps.Collect(assignments(r))[path]
			}
			if v != "" && !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		words = append(words, path+" = "+listOrRange(values))
	}
	if len(words) == 0 {
		words = []string{"as given"}
	}
	return words
}

// assignments yields the paths and values that the best trial of r sets.
func assignments(r *experiment.Record) iter.Seq2[string, string] {
	return func(yield func(path, value string) bool) {
		b := r.Tuning.Best
		if b < 0 || b >= len(r.Tuning.Trials) {
			return
		}
		for _, s := range r.Tuning.Trials[b].Set {
			if path, value, _ := strings.Cut(s, "="); !yield(path, value) {
				return
			}
		}
	}
}

func listOrRange(values []string) string {
	if len(values) <= fewValues {
		return strings.Join(values, ", ")
	}
	low, high := "", ""
	var minValue, maxValue float64
	for _, s := range values {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return strings.Join(values, ", ")
		}
		if low == "" || v < minValue {
			low, minValue = s, v
		}
		if high == "" || v > maxValue {
			high, maxValue = s, v
		}
	}
	return low + " … " + high
}

// shownTrials is the number of best trials that WriteTuned writes.
const shownTrials = 10

// WriteTuned writes the result of a search for the parameters of m as text: the rates,
// and a table of the best trials.
func WriteTuned(to io.Writer, m classify.Method, s experiment.Search, t experiment.Tuned) error {
	best := t.Trials[t.Best]
	fmt.Fprintf(to, "%s: %s %% right in %d held-out images of %d folds, %s %% with the parameters as given\n\n", m.Name(),
		legible.Percent(best.Rate()), best.N, s.Folds, legible.Percent(t.Trials[0].Rate()))
	order := make([]int, len(t.Trials))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return t.Trials[i].Compare(t.Trials[j]) })
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "trial\tright %\ttime\tset")
	for _, i := range order[:min(shownTrials, len(order))] {
		trial := t.Trials[i]
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", i, reached(trial, s), legible.Took(trial.Seconds), cmp.Or(strings.Join(trial.Set, " "), "as given"))
	}
	return w.Flush()
}

// reached returns the rate of a trial. A trial that was stopped early has no rate.
func reached(t experiment.Trial, s experiment.Search) string {
	switch {
	case t.Err != "":
		return "failed: " + legible.Escaped(t.Err)
	case t.Folds < s.Folds:
		return "given up after " + legible.Count(t.Folds, "fold")
	}
	return legible.Percent(t.Rate())
}
