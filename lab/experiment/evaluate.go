// Package experiment evaluates methods. It splits a data set, trains a method
// on one part, and counts the errors of its model on the other part, from its
// predictions only.
//
// Experimental: this package may change in any version.
package experiment

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/lab/significance"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
)

// A Protocol says how a method is evaluated.
type Protocol struct {
	Split   dataset.Split
	Repeats int               // runs, ≥ 1; a split that is not random has one run
	Seed    uint64            // run r splits and trains with the seed Seed + r
	Input   frontend.Pipeline // makes samples of the images; without a size, it keeps that of the set

	// Candidates, if any, replace the method and Input: in each run, Choose selects one
	// of them with Folds folds of the training images.
	Candidates []Candidate
	Folds      int

	// Calibrate, if not nil, sets a threshold in each run, as training does, and the run
	// counts its decisions. With LawOnly there is no threshold if it would need
	// cross-validation.
	Calibrate *openset.Options
	LawOnly   bool
}

// Runs returns the number of runs of p.
func (p Protocol) Runs() int {
	if !p.Split.Random() {
		return 1
	}
	return p.Repeats
}

// A Result is the result of Evaluate. Accuracies are fractions, 0 … 1.
type Result struct {
	Method   string            `json:"method"`
	Params   json.RawMessage   `json:"params,omitempty"`
	Input    frontend.Pipeline `json:"input"` // how samples were made
	Split    string            `json:"split"`
	Repeats  int               `json:"repeats"`        // len(Runs)
	Accuracy float64           `json:"accuracy"`       // mean over the runs
	SD       float64           `json:"sd"`             // sample standard deviation over the runs, 0 for one run
	Low      float64           `json:"low,omitempty"`  // of a single run, the exact 95 % interval
	High     float64           `json:"high,omitempty"` // of its accuracy; see significance.Interval
	Runs     []Run             `json:"runs"`           // the runs

	// SampleSeconds is the time for making the samples of all images, once for all runs. It
	// is 0 if each run made its own samples (with Candidates), and in EvaluateModel.
	SampleSeconds float64 `json:"sample_seconds"`

	// TrainedImages are the IDs of images that were not tested since the model was trained on
	// them.
	TrainedImages []string `json:"skipped,omitempty"`
}

// A Run is one split, fit and test.
type Run struct {
	Seed        uint64          `json:"seed"`
	Accuracy    float64         `json:"accuracy"`         // share of the test images whose best guess is right
	Wrong       int             `json:"wrong"`            // number of errors
	N           int             `json:"n"`                // test faces
	Train       int             `json:"train"`            // training faces
	FitSeconds  float64         `json:"fit_seconds"`      // of training on samples, the projection included
	CodeSeconds float64         `json:"code_seconds"`     // of recognising the samples of the N faces
	Passes      int             `json:"passes"`           // passes of the learning
	Status      classify.Status `json:"status"`           // why the fit ended
	Choice      *Choice         `json:"choice,omitempty"` // among candidates

	Decisions *Decisions `json:"decisions,omitempty"` // at the threshold; nil if there is none

	MissedColumns []int    `json:"-"` // columns of the errors in the set
	BestGuesses   []string `json:"-"` // the best guess for each test image; "" if it shows no face
	Residual      float64  `json:"-"` // of the stopping test
}

// An Observer is notified of the progress of an evaluation. It does not affect
// the result. Its fields may be nil.
type Observer struct {
	Fit  func(run int) classify.Watch            // called before the fit of run 0, 1, …; the returned Watch watches the fit
	Done func(run int, r Run, m *frontend.Model) // called after each run, with its model

	Failed func(run int, err error) // called by Compare instead of Done where a method fails
}

// Evaluate evaluates m on set with the protocol p.
func Evaluate(ctx context.Context, set *dataset.Images, m classify.Method, p Protocol, o Observer) (Result, error) {
	if p.Repeats < 1 {
		return Result{}, fmt.Errorf("evaluate: %d repeats", p.Repeats)
	}
	res, err := newResult(set, m, p.Input, p.Split.String(), p.Runs())
	if err != nil {
		return Result{}, fmt.Errorf("evaluate: %w", err)
	}
	if len(p.Candidates) > 0 {
		res.Method, res.Params, res.Input = "auto", nil, frontend.Pipeline{}
	}
	samples := &sampler{set: set, pipeline: p.Input}
	for r := range p.Runs() {
		err := res.add(p.Seed+uint64(r), o, func(fit classify.Run) (Run, *frontend.Model, error) { return p.run(ctx, samples, m, fit) })
		if err != nil {
			return Result{}, fmt.Errorf("evaluate: %w", err)
		}
	}
	res.SampleSeconds = samples.seconds
	res.summarise()
	return res, nil
}

// newResult returns a Result without runs.
func newResult(set *dataset.Images, m classify.Method, in frontend.Pipeline, split string, repeats int) (Result, error) {
	params, err := method.Marshal(m)
	return Result{Method: m.Name(), Params: params, Input: in.ForImages(set.Frame), Split: split, Repeats: repeats}, err
}

// add makes a run with that seed, which o observes, and adds it to r.
func (r *Result) add(seed uint64, o Observer, run func(classify.Run) (Run, *frontend.Model, error)) error {
	n, fit := len(r.Runs), classify.Run{Seed: seed}
	if o.Fit != nil {
		fit.Watch = o.Fit(n)
	}
	one, model, err := run(fit)
	if err != nil {
		return err
	}
	r.Runs = append(r.Runs, one)
	if o.Done != nil {
		o.Done(n, one, model)
	}
	return nil
}

// run makes one run: it splits the set, trains and counts errors.
func (p Protocol) run(ctx context.Context, samples *sampler, m classify.Method, fit classify.Run) (Run, *frontend.Model, error) {
	learn, judge, err := p.apply(samples.set, fit.Seed)
	if err != nil {
		return Run{}, nil, err
	}
	if len(p.Candidates) == 0 {
		r, model, err := samples.fitAndJudge(ctx, m, learn, judge, fit)
		if err == nil {
			r.Decisions, err = p.calibrated(ctx, samples.set, model, m, learn, judge)
		}
		return r, model, err
	}
	candidates := slices.Clone(p.Candidates)
	for i, c := range candidates {
		if c.Images != nil {
			candidates[i].Images = c.Images.Select(learn)
		}
	}
	choice, err := Choose(ctx, samples.set.Select(learn), candidates, Folds{N: p.Folds, Repeats: 1, Seed: fit.Seed})
	if err != nil {
		return Run{}, nil, err
	}
	best := p.Candidates[choice.Best]
	chosen := &sampler{set: cmp.Or(best.Images, samples.set), pipeline: best.Input}
	r, model, err := chosen.fitAndJudge(ctx, best.Method, learn, judge, fit)
	if r.Choice = &choice; err == nil {
		r.Decisions, err = p.calibrated(ctx, chosen.set, model, best.Method, learn, judge)
	}
	return r, model, err
}

// apply splits set into training and test images. It is an error if there are no test
// images.
func (p Protocol) apply(set *dataset.Images, seed uint64) (learn, judge []int, err error) {
	learn, judge, err = p.Split.Apply(set, seed)
	if err == nil && len(judge) == 0 {
		err = advice.Add(fmt.Errorf("split %v leaves no image to judge by", p.Split), "choose half, or first:K or random:K")
	}
	return learn, judge, err
}

// A sampler makes the samples of a set at the first use, once for all runs.
type sampler struct {
	set      *dataset.Images
	pipeline frontend.Pipeline
	samples  *frontend.Prepared
	seconds  float64 // for making them
}

// A division has the training and test samples of a run.
type division struct {
	pipeline frontend.Fitted
	train    *classify.Samples
	unit     *coding.Shared // classify.Unit of train, for several fits; may be nil
	learn    int            // training images
	seconds  float64        // of fitting the projection

	test    func() (*dataset.Images, error) // makes the test images when it is first called
	samples *classify.Samples               // of them; nil if the pipeline is to make them
	judge   []int                           // their columns in the whole set
}

// divide returns the training and test samples of some columns of the set.
func (s *sampler) divide(ctx context.Context, learn, judge []int) (*division, error) {
	start := time.Now()
	if s.samples == nil {
		var err error
		if s.samples, err = s.pipeline.ForImages(s.set.Frame).Prepare(s.set); err != nil {
			return nil, err
		}
		s.seconds = time.Since(start).Seconds()
	}
	d := &division{
		learn: len(learn), samples: s.samples.Originals(judge), judge: judge,
		test: sync.OnceValues(func() (*dataset.Images, error) { return s.set.Select(judge), nil }),
	}
	start = time.Now()
	var err error
	d.pipeline, d.train, err = s.samples.Select(learn).Fit(ctx)
	d.seconds = time.Since(start).Seconds()
	return d, err
}

// fitAndJudge trains on the columns learn of the set and counts errors on the columns
// judge.
func (s *sampler) fitAndJudge(ctx context.Context, m classify.Method, learn, judge []int, fit classify.Run) (Run, *frontend.Model, error) {
	d, err := s.divide(ctx, learn, judge)
	if err != nil {
		return Run{}, nil, err
	}
	return d.run(ctx, m, fit)
}

// run fits m and counts its errors.
func (d *division) run(ctx context.Context, m classify.Method, fit classify.Run) (Run, *frontend.Model, error) {
	if p, ok := m.(Program); ok {
		r, err := d.runProgram(ctx, p, fit.Seed)
		return r, nil, err
	}
	fit.Unit = d.unit
	start := time.Now()
	c, err := m.Fit(ctx, d.train, fit)
	if err != nil {
		return Run{}, nil, err
	}
	took := d.seconds + time.Since(start).Seconds()
	test, err := d.test() // before this line, the run has no access to the test images
	if err != nil {
		return Run{}, nil, err
	}
	model := &frontend.Model{Fitted: d.pipeline, Classifier: c}
	r, err := count(ctx, model, test, func() ([]int, error) {
		if d.samples == nil {
			return model.Predict(ctx, test)
		}
		return model.PredictSamples(ctx, d.samples)
	})
	r.Train, r.FitSeconds, r.Seed = d.learn, took, fit.Seed
	for i, j := range r.MissedColumns {
		r.MissedColumns[i] = d.judge[j]
	}
	return r, model, err
}

// Judge counts the errors of model on test. People are matched by name. A face of a person
// who is not enrolled counts as an error. It is an error if none of the people is enrolled.
// Seed, Train and FitSeconds of the result are zero.
func Judge(ctx context.Context, model *frontend.Model, test *dataset.Images) (Run, error) {
	return count(ctx, model, test, func() ([]int, error) { return model.Predict(ctx, test) })
}

// count is Judge with the classes that predict returns.
func count(ctx context.Context, model *frontend.Model, test *dataset.Images, predict func() ([]int, error)) (Run, error) {
	p := model.Parts()
	if unknown := Strangers(model.Parts().Classes, test); len(unknown) == len(test.Classes) {
		err := fmt.Errorf("the model knows none of the people in the images: %s", legible.Abridged(unknown))
		return Run{}, advice.Add(err, "it was learned from the faces of %s", legible.Abridged(p.Classes))
	}
	start := time.Now()
	classes, err := predict()
	if err == nil {
		err = context.Cause(ctx) // interrupted while the last of them were named
	}
	if err != nil {
		return Run{}, err
	}
	r := Run{CodeSeconds: time.Since(start).Seconds(), Passes: p.Outcome.Iter, Status: p.Outcome.Status, Residual: p.Outcome.Residual}
	r.tally(test, classes, p.Classes)
	return r, nil
}

// tally sets the results for faces of test that are named by these indices of names, or −1.
func (r *Run) tally(test *dataset.Images, predicted []int, names []string) {
	r.N, r.BestGuesses = len(predicted), make([]string, len(predicted))
	for j, c := range predicted {
		if c >= 0 && !test.Faceless(j) {
			r.BestGuesses[j] = names[c]
		}
		if r.BestGuesses[j] != test.Classes[test.ClassOf(j)] {
			r.MissedColumns = append(r.MissedColumns, j)
		}
	}
	r.Wrong = len(r.MissedColumns)
	r.Accuracy = float64(r.N-r.Wrong) / float64(r.N)
}

// Strangers returns the people of test who are not among people.
func Strangers(people []string, test *dataset.Images) []string {
	known := make(map[string]bool)
	for _, c := range people {
		known[c] = true
	}
	var unknown []string
	for _, c := range test.Classes {
		if !known[c] {
			unknown = append(unknown, c)
		}
	}
	return unknown
}

// EvaluateModel evaluates an existing model, without training, and counts its decisions
// if it has a threshold. Split, if not nil, selects the test images of set. It is an error
// if m was trained on some of them; with skipTrained these images are left out, and it is
// an error only if no others remain. If Checks reports false, all images are tested.
func EvaluateModel(ctx context.Context, set *dataset.Images, m *gallery.Gallery, split *dataset.Split,
	seed uint64, skipTrained bool,
) (Result, error) {
	m, err := m.Whole()
	if err != nil {
		return Result{}, fmt.Errorf("evaluate: %w", err)
	}
	p := m.Parts()
	res := Result{Method: p.Method, Params: p.Params, Input: m.Pipeline, Split: "all", Repeats: 1}
	if split != nil {
		_, judge, err := split.Apply(set, seed)
		if err == nil && len(judge) == 0 {
			err = errors.New("split all leaves no image to judge by")
		}
		if err != nil {
			return Result{}, fmt.Errorf("evaluate: %w", err)
		}
		set, res.Split = set.Select(judge), split.String()
	}
	if set, res.TrainedImages, err = withoutTrained(set, m, skipTrained); err != nil {
		return Result{}, fmt.Errorf("evaluate: %w", err)
	}
	r, err := Judge(ctx, m.Model, set)
	if err == nil && m.Calibration != nil {
		r.Decisions, err = decide(ctx, m, set)
	}
	if err != nil {
		return Result{}, fmt.Errorf("evaluate: %w", err)
	}
	r.Seed = seed
	res.Runs = []Run{r}
	res.summarise()
	return res, nil
}

// summarise sets the mean and the sample standard deviation.
func (r *Result) summarise() {
	var rates []float64
	for _, one := range r.Runs {
		rates = append(rates, one.Accuracy)
	}
	s := spreadOf(rates)
	r.Accuracy, r.SD = s.Mean, s.SD
	if len(r.Runs) == 1 {
		one := r.Runs[0]
		r.Low, r.High = significance.Interval(one.N-one.Wrong, one.N, Level)
	}
}
