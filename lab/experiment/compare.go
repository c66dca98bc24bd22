package experiment

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/lab/significance"
	"nrdl.example/nrdl/method"
)

// Level is the significance level of Compare.
const Level = 0.05

// The paired tests of Compare. Its question is which method to take, so that several runs are tested
// over runs, however few. Reports of plans ask about their splits, and test other things (ADR 0021).
const (
	CorrectedT = "corrected-t" // Nadeau and Bengio's corrected resampled t-test, over the runs
	SignedRank = "signed-rank" // Wilcoxon's exact test, where all runs have the same difference
	McNemar    = "mcnemar"     // exact, on the images of a single run
)

// A Comparison is the result of Compare. Accuracies are fractions, 0 … 1.
type Comparison struct {
	Input         frontend.Pipeline `json:"input"` // of all methods
	Split         string            `json:"split"`
	Repeats       int               `json:"repeats"` // number of runs
	Seed          uint64            `json:"seed"`
	Level         float64           `json:"level"`          // level of significance
	SampleSeconds float64           `json:"sample_seconds"` // in which the samples of all images were made, once for all methods
	Methods       []MethodResult    `json:"methods"`        // the most accurate first, those that failed last
}

// A MethodResult is the result of a method in a Comparison.
type MethodResult struct {
	Method      string          `json:"method"`
	Params      json.RawMessage `json:"params"`
	Accuracy    float64         `json:"accuracy"`        // mean over the runs
	SD          float64         `json:"sd"`              // sample standard deviation over the runs, 0 for one run
	Low         float64         `json:"low,omitempty"`   // of a single run, the exact 95 % interval
	High        float64         `json:"high,omitempty"`  // of its accuracy; see significance.Interval
	Best        bool            `json:"best"`            // the first of equals
	Difference  float64         `json:"difference"`      // from the accuracy of the best, ≤ 0
	Separated   bool            `json:"separated"`       // from the best: PAdjusted ≤ Level
	Test        string          `json:"test,omitempty"`  // against the best: CorrectedT, SignedRank or McNemar; "" for the best
	P           float64         `json:"p"`               // of Test; 1 for the best
	PAdjusted   float64         `json:"p_adjusted"`      // by Holm's correction for all methods that are compared with the best
	FitSeconds  float64         `json:"fit_seconds"`     // mean over the runs
	CodeSeconds float64         `json:"code_seconds"`    // mean over the runs
	Runs        []Run           `json:"runs,omitempty"`  // the runs
	Err         string          `json:"error,omitempty"` // why a run failed; nothing else is known then
}

// Compare evaluates methods with the protocol p, on the same splits and the same samples,
// and tests the difference of each method from the best one. In a run all methods are
// trained one after the other. Observe, if not nil, returns the Observer of a method.
// Compare ignores the Candidates of p.
//
// A method that fails gets its error and is not run again. It is an error if all methods
// fail, or if the split, the samples or the projection fail. The tests of several runs
// allow for the overlap of random splits. The test of a single run holds for other images
// of these people, but not for another split.
func Compare(ctx context.Context, set *dataset.Images, methods []classify.Method, p Protocol,
	observe func(i int) Observer,
) (*Comparison, error) {
	if p.Repeats < 1 {
		return nil, fmt.Errorf("compare: %d repeats", p.Repeats)
	}
	if len(methods) == 0 {
		return nil, errors.New("compare: no methods")
	}
	c := &Comparison{
		Input: p.Input.ForImages(set.Frame), Split: p.Split.String(), Repeats: p.Runs(), Seed: p.Seed, Level: Level,
		Methods: make([]MethodResult, len(methods)),
	}
	observers := make([]Observer, len(methods))
	for i, m := range methods {
		params, err := method.Marshal(m)
		if err != nil {
			return nil, fmt.Errorf("compare: %w", err)
		}
		c.Methods[i] = MethodResult{Method: m.Name(), Params: params}
		if observe != nil {
			observers[i] = observe(i)
		}
	}
	samples := &sampler{set: set, pipeline: p.Input}
	var failed error // the first
	for r := range p.Runs() {
		seed := p.Seed + uint64(r)
		learn, judge, err := p.apply(set, seed)
		if err != nil {
			return nil, fmt.Errorf("compare: %w", err)
		}
		d, err := samples.divide(ctx, learn, judge)
		if err != nil {
			return nil, fmt.Errorf("compare: %w", err)
		}
		for i, m := range methods {
			row := &c.Methods[i]
			if row.Err != "" {
				continue
			}
			err := row.run(ctx, d, m, r, seed, observers[i])
			if cause := context.Cause(ctx); cause != nil {
				return nil, fmt.Errorf("compare: %w", cause)
			}
			failed = cmp.Or(failed, err)
		}
		if !slices.ContainsFunc(c.Methods, func(m MethodResult) bool { return m.Err == "" }) {
			return nil, fmt.Errorf("compare: none of %d methods can be trained, the first: %w", len(methods), failed)
		}
	}
	c.SampleSeconds = samples.seconds
	return c, c.summarise()
}

// run adds run r of m to the row, or the error for which it failed.
func (row *MethodResult) run(ctx context.Context, d *division, m classify.Method, r int, seed uint64, o Observer) error {
	fit := classify.Run{Seed: seed}
	if o.Fit != nil {
		fit.Watch = o.Fit(r)
	}
	one, model, err := d.run(ctx, m, fit)
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err != nil {
		*row = MethodResult{Method: row.Method, Params: row.Params, Err: err.Error()}
		if h := advice.Text(err); h != "" {
			row.Err += " (" + h + ")"
		}
		if o.Failed != nil {
			o.Failed(r, err)
		}
		return err
	}
	row.Runs = append(row.Runs, one)
	if o.Done != nil {
		o.Done(r, one, model)
	}
	return nil
}

// summarise computes means and tests over all runs, and orders the methods.
func (c *Comparison) summarise() error {
	for i := range c.Methods {
		if row := &c.Methods[i]; row.Err == "" {
			row.mean()
		}
	}
	slices.SortStableFunc(c.Methods, func(a, b MethodResult) int {
		return cmp.Or(cmp.Compare(len(b.Runs), len(a.Runs)), compareRates(b.Accuracy, a.Accuracy))
	})
	best := &c.Methods[0]
	best.Best, best.P, best.PAdjusted = true, 1, 1
	var p []float64
	for i := 1; i < len(c.Methods) && c.Methods[i].Err == ""; i++ {
		row := &c.Methods[i]
		if compareRates(row.Accuracy, best.Accuracy) != 0 {
			row.Difference = row.Accuracy - best.Accuracy
		}
		if err := row.test(best); err != nil {
			return fmt.Errorf("compare %s with %s: %w", row.Method, best.Method, err)
		}
		p = append(p, row.P)
	}
	for i, adjusted := range significance.Holm(p) {
		row := &c.Methods[i+1]
		row.PAdjusted, row.Separated = adjusted, adjusted <= c.Level
	}
	return nil
}

// compareRates is cmp.Compare for rates that differ by more than rounding.
func compareRates(a, b float64) int {
	if math.Abs(a-b) < 1e-12 {
		return 0
	}
	return cmp.Compare(a, b)
}

// mean sets the means over the runs.
func (row *MethodResult) mean() {
	r := Result{Runs: row.Runs}
	r.summarise()
	row.Accuracy, row.SD, row.Low, row.High = r.Accuracy, r.SD, r.Low, r.High
	for _, one := range row.Runs {
		row.FitSeconds += one.FitSeconds / float64(len(row.Runs))
		row.CodeSeconds += one.CodeSeconds / float64(len(row.Runs))
	}
}

// test compares row with the best, on the same splits.
func (row *MethodResult) test(best *MethodResult) error {
	if len(row.Runs) == 1 {
		row.Test, row.P = McNemar, significance.SignFlips(moreErrors(row.Runs[0], best.Runs[0]))
		return nil
	}
	x, y := make([]float64, len(row.Runs)), make([]float64, len(row.Runs))
	for i, one := range row.Runs {
		x[i], y[i] = one.Accuracy, best.Runs[i].Accuracy
	}
	first := row.Runs[0]
	t, err := significance.CorrectedT(x, y, float64(first.N)/float64(first.Train))
	if row.Test = CorrectedT; err == nil && math.IsInf(t.Statistic, 0) { // equal differences, which no normal distribution gives
		row.Test = SignedRank
		t, err = significance.Wilcoxon(x, y, significance.Auto)
	}
	row.P = t.P
	return err
}

// moreErrors compares two runs on the same images: it returns 1 for each image that only
// a has wrong and −1 for each that only b has wrong.
func moreErrors(a, b Run) (d []int) {
	of := map[int]int{}
	for _, j := range a.MissedColumns {
		of[j]++
	}
	for _, j := range b.MissedColumns {
		of[j]--
	}
	for _, v := range of {
		d = append(d, v)
	}
	return d
}
