package experiment

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/method"
)

// A Search tunes parameters on training images, in the ranges that the method declares.
// It tries the initial parameters, then a Latin hypercube of configurations, for half of
// the budget, and then shrinking steps from the best one so far.
type Search struct {
	Budget int    `json:"budget"`         // ≥ 1, largest number of configurations; the first has the initial parameters
	Folds  int    `json:"folds"`          // ≥ 2, as in Folds with the same seed
	Seed   uint64 `json:"seed,omitempty"` // of the folds, the fits and the configurations
}

// DefaultSearch makes about a hundred fits, each on three quarters of the images.
var DefaultSearch = Search{Budget: 30, Folds: 4}

// A Trial is the result of one configuration.
type Trial struct {
	Set     []string `json:"set"`             // "PATH=VALUE", differences from the initial parameters, in the order for method.Set
	Wrong   int      `json:"wrong"`           // number of errors
	N       int      `json:"n"`               // test faces
	Folds   int      `json:"folds"`           // folds used; fewer than all if the trial could not become the best one, or failed
	Err     string   `json:"error,omitempty"` // why it failed; then all other trials are better
	Seconds float64  `json:"seconds"`         // time
}

// Rate is the rank-1 rate of t, 0 without faces.
func (t Trial) Rate() float64 {
	if t.N == 0 {
		return 0
	}
	return float64(t.N-t.Wrong) / float64(t.N)
}

// Compare is negative if t is the better trial of a search, positive if u is,
// and 0 if they are equal. A trial with more folds is better, then the one with
// fewer errors; failed trials are last.
func (t Trial) Compare(u Trial) int {
	failed := func(t Trial) int {
		if t.Err != "" {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(failed(t), failed(u)), cmp.Compare(u.Folds, t.Folds), cmp.Compare(t.Wrong, u.Wrong))
}

// Tuned is the result of Tune.
type Tuned struct {
	Method classify.Method `json:"-"`      // with the parameters of the best trial
	Best   int             `json:"best"`   // the trial with the fewest errors, the first of equals
	Trials []Trial         `json:"trials"` // in the order of the search
}

// A TunedRecord is the JSON of a search.
type TunedRecord struct {
	Method      string          `json:"method"`
	Params      json.RawMessage `json:"params"`
	Set         []string        `json:"set"`    // differences from the initial parameters
	Rate        float64         `json:"rate"`   // rate of the chosen parameters in cross-validation
	InitialRate float64         `json:"given"`  // rate of the initial parameters
	Search      Search          `json:"search"` // how parameters were searched
	Tuned
}

// Record returns the TunedRecord of t, the result of s for m.
func (t Tuned) Record(m classify.Method, s Search) (TunedRecord, error) {
	params, err := method.Marshal(t.Method)
	best := t.Trials[t.Best]
	return TunedRecord{m.Name(), params, best.Set, best.Rate(), t.Trials[0].Rate(), s, t}, err
}

// A TuneObserver is notified of the progress of a search. It does not affect
// the result. Its fields may be nil.
type TuneObserver struct {
	Fit  func(trial, fold int) classify.Watch // called before each fit; the returned Watch watches the fit
	Done func(trial int, t Trial)             // called after each trial, with a copy

	// Fitter, if not nil, makes the fits, and Fit is not called. It must return the same
	// counts as Fits with the same arguments.
	Fitter Fitter
}

// A Fitter makes the fits of a search, and counts their errors.
type Fitter interface {
	// Expect announces that Wrong may be called for a configuration and a fold. It returns
	// at once.
	Expect(set []string, fold int)

	// Wrong trains the method on all other folds, with the parameters in set (see Trial),
	// and returns its number of errors on the fold. An error other than the cause of ctx
	// means that the method cannot be trained.
	Wrong(ctx context.Context, set []string, fold int) (int, error)
}

// Fits makes the fits of a Tune in this process. It is the Fitter where no other is given, and
// safe for concurrent use.
type Fits struct {
	*tuner
	m classify.Method
}

// NewFits returns the Fitter for a Tune with the same arguments.
func NewFits(ctx context.Context, train *dataset.Images, in frontend.Pipeline, m classify.Method, s Search) (*Fits, error) {
	t, err := newTuner(ctx, train, in.ForImages(train.Frame), m, s, TuneObserver{})
	if err != nil {
		return nil, fmt.Errorf("tune %s: %w", m.Name(), err)
	}
	return &Fits{t, m}, nil
}

// Expect implements Fitter.
func (*Fits) Expect([]string, int) {}

// Wrong implements Fitter.
func (j *Fits) Wrong(ctx context.Context, set []string, fold int) (int, error) {
	if fold < 0 || fold >= len(j.folds) {
		return 0, fmt.Errorf("fold %d of %d", fold, len(j.folds))
	}
	m := j.m
	for _, s := range set {
		path, value, _ := strings.Cut(s, "=")
		var err error
		if m, err = setParam(m, path, value); err != nil {
			return 0, err
		}
	}
	if err := m.Validate(); err != nil {
		return 0, err
	}
	return j.wrong(ctx, m, fold, nil)
}

// Tune searches for the parameters of m with the best rate in cross-validation on train,
// with the samples of the pipeline in. All trials and methods use the same folds. A trial
// stops as soon as it has as many errors as the best earlier trial in all folds; this does
// not change the result. If there are no more configurations, there are fewer trials than
// the budget.
//
// A trial that cannot be trained gets its error, and the search continues. It
// is an error if no trial can be trained, if m declares no ranges, or if ctx
// ends (its cause).
func Tune(ctx context.Context, train *dataset.Images, in frontend.Pipeline, m classify.Method, s Search, o TuneObserver) (Tuned, error) {
	t, err := newTuner(ctx, train, in.ForImages(train.Frame), m, s, o)
	if err == nil {
		err = t.search(ctx)
	}
	if err != nil {
		return Tuned{}, fmt.Errorf("tune %s: %w", m.Name(), err)
	}
	return t.result, nil
}

// tuneStream keeps the random numbers of configurations apart from those that
// others draw from the same seed: the fractional part of √5.
const tuneStream = 0x3c6ef372fe94f82b

// How the search moves.
const (
	firstStep = 0.3  // standard deviation of the first step from the best, as a part of a range
	lastStep  = 0.05 // and of the last; those between fall geometrically
	attempts  = 100  // draws of a configuration that was not tried before
)

// tuner is the state of a search.
type tuner struct {
	Search
	o          TuneObserver
	folds      []*division
	space      *space
	rng        *rand.Rand
	history    map[string]bool // the configurations, by what they set
	result     Tuned
	minWrong   int   // faces that the best trial names wrongly; MaxInt where there is none
	best       point // its place
	firstError error // of the first trial that failed
}

func newTuner(ctx context.Context, train *dataset.Images, in frontend.Pipeline, m classify.Method,
	s Search, o TuneObserver,
) (*tuner, error) {
	switch {
	case s.Budget < 1:
		return nil, fmt.Errorf("a budget of %d configurations", s.Budget)
	case s.Folds < 2:
		return nil, fmt.Errorf("%d folds, fewer than 2", s.Folds)
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	space, err := newSpace(m)
	if err != nil {
		return nil, err
	}
	fold, err := Folds{N: s.Folds}.deal(train, s.Seed)
	if err != nil {
		return nil, err
	}
	t := &tuner{
		Search: s, o: o, space: space, rng: rand.New(rand.NewPCG(s.Seed, tuneStream)),
		history: make(map[string]bool), minWrong: math.MaxInt,
	}
	samples := &sampler{set: train, pipeline: in}
	for held := range s.Folds {
		learn, judge := hold(fold, held)
		d, err := samples.divide(ctx, learn, judge)
		if err != nil {
			return nil, err
		}
		d.unit = coding.Share(classify.Unit(d.train.X))
		t.folds = append(t.folds, d)
	}
	return t, nil
}

// search makes all trials.
func (t *tuner) search(ctx context.Context) error {
	spread := t.space.spread(t.rng, t.Budget/2)
	for _, p := range append([]point{t.space.initial()}, spread...) {
		if _, set, err := t.space.configure(p); err == nil {
			t.expect(set)
		}
	}
	if err := t.try(ctx, t.space.initial()); err != nil {
		return err
	}
	for i := 1; i < t.Budget; i++ {
		p, ok := t.propose(i, spread)
		if !ok {
			break
		}
		if err := t.try(ctx, p); err != nil {
			return err
		}
	}
	if t.minWrong == math.MaxInt {
		return fmt.Errorf("none of %d configurations can be learned, the first: %w", len(t.result.Trials), t.firstError)
	}
	return nil
}

// propose returns a new configuration for trial i, or false if it finds none.
func (t *tuner) propose(i int, spread []point) (point, bool) {
	draw := func() point { return t.space.draw(t.rng) }
	if i <= len(spread) {
		if p := spread[i-1]; t.isNew(p) {
			return p, true
		}
	} else if t.minWrong < math.MaxInt {
		steps := t.Budget - 1 - len(spread)
		done := float64(i-1-len(spread)) / float64(max(1, steps-1))
		σ := firstStep * math.Pow(lastStep/firstStep, done)
		if p, ok := t.tryNew(func() point { return t.space.near(t.rng, t.best, σ) }); ok {
			return p, true
		}
	}
	return t.tryNew(draw)
}

// tryNew draws until it gets a new configuration.
func (t *tuner) tryNew(draw func() point) (point, bool) {
	for range attempts {
		if p := draw(); t.isNew(p) {
			return p, true
		}
	}
	return point{}, false
}

func (t *tuner) isNew(p point) bool {
	_, set, _ := t.space.configure(p)
	return !t.history[key(set)]
}

// key identifies a configuration.
func key(set []string) string { return strings.Join(set, "\n") }

// try makes the trial of p. The only error is the cause of ctx.
func (t *tuner) try(ctx context.Context, p point) error {
	m, set, err := t.space.configure(p)
	t.history[key(set)] = true
	i := len(t.result.Trials)
	trial := Trial{Set: set}
	start := time.Now()
	if err == nil {
		err = t.judge(ctx, i, m, &trial)
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	trial.Seconds = time.Since(start).Seconds()
	switch {
	case err != nil:
		trial.Err = err.Error()
		t.firstError = cmp.Or(t.firstError, err)
	case trial.Wrong < t.minWrong:
		t.minWrong, t.best = trial.Wrong, p
		t.result.Method, t.result.Best = m, i
	}
	t.result.Trials = append(t.result.Trials, trial)
	if t.o.Done != nil {
		trial.Set = slices.Clone(set)
		t.o.Done(i, trial)
	}
	return nil
}

// judge counts the errors of m, fold after fold, until it cannot be the best one.
func (t *tuner) judge(ctx context.Context, i int, m classify.Method, trial *Trial) error {
	t.expect(trial.Set)
	for k, f := range t.folds {
		var wrong int
		var err error
		if t.o.Fitter != nil {
			wrong, err = t.o.Fitter.Wrong(ctx, trial.Set, k)
		} else {
			var w classify.Watch
			if t.o.Fit != nil {
				w = t.o.Fit(i, k)
			}
			wrong, err = t.wrong(ctx, m, k, w)
		}
		if err != nil {
			return err
		}
		trial.Wrong, trial.N, trial.Folds = trial.Wrong+wrong, trial.N+len(f.judge), k+1
		if trial.Wrong >= t.minWrong {
			return nil
		}
	}
	return nil
}

// expect announces a configuration to the Fitter.
func (t *tuner) expect(set []string) {
	if t.o.Fitter != nil {
		for k := range t.folds {
			t.o.Fitter.Expect(set, k)
		}
	}
}

// wrong counts the errors of m in a fold.
func (t *tuner) wrong(ctx context.Context, m classify.Method, fold int, w classify.Watch) (int, error) {
	r, _, err := t.folds[fold].run(ctx, m, classify.Run{Seed: t.Seed, Watch: w})
	return r.Wrong, err
}
