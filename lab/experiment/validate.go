package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/feature"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/projection"
)

// A Candidate is a pipeline with a method.
type Candidate struct {
	Input  frontend.Pipeline `json:"input"`
	Method classify.Method   `json:"-"`

	// Images are the images for Input, with the same columns as the set that is split.
	// If it is nil, they are that set.
	Images *dataset.Images `json:"-"`
}

// A CandidateResult is a Candidate with its result in Choose.
type CandidateResult struct {
	Candidate
	Name   string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Wrong  int             `json:"wrong"`           // number of errors
	N      int             `json:"n"`               // test faces
	Err    string          `json:"error,omitempty"` // why it failed
}

// Rate is the rank-1 rate of t, 0 without faces.
func (t CandidateResult) Rate() float64 {
	if t.N == 0 {
		return 0
	}
	return float64(t.N-t.Wrong) / float64(t.N)
}

// A Choice is the result of Choose: all candidates with their errors, and the best one.
type Choice struct {
	Best    int               `json:"best"`  // index in Results; the first if several are equally good
	Results []CandidateResult `json:"tried"` // what was tried
}

// simplest returns candidates for images with this Frame: grey values, gradient
// orientations (IGO) and frontend.For, with and without a projection, each with a suitable
// rule. The simplest is first, so that it is chosen among equals.
func simplest(images dataset.Frame) []Candidate {
	stopped := method.DefaultRepresentation
	stopped.Coder = coding.NonNegative{Solver: coding.ADMM, Rho: 0.1, Passes: 5}
	stopped.Rule = classify.Residual{}.Name()
	sum := stopped
	sum.Rule = classify.Sum{}.Name()
	preset := frontend.For(images.Size)
	see := func(f feature.Features, mirror bool, p projection.Choice) frontend.Pipeline {
		return frontend.Pipeline{Frame: dataset.Frame{Size: images.Size, Crop: images.Crop}, Features: f, Mirror: mirror, Projection: p}
	}
	none, raw := projection.Choice{}, projection.Choice{Projection: projection.Fisher{Ridge: 1}}
	return []Candidate{
		{Input: see(nil, false, none), Method: sum},
		{Input: see(nil, true, raw), Method: stopped},
		{Input: see(frontend.Lighting.Features, false, none), Method: stopped},
		{Input: see(preset.Features, true, none), Method: sum},
		{Input: see(preset.Features, true, preset.Projection), Method: stopped},
	}
}

// ChoiceFolds is the default number of folds of the training images in Choose.
const ChoiceFolds = 3

// Choose compares all candidates by cross-validation on the training images
// (projections are fit inside the folds too), and chooses the one with the
// fewest errors. A candidate that cannot be trained gets its error; it is an
// error if none can be trained.
func Choose(ctx context.Context, train *dataset.Images, all []Candidate, f Folds) (Choice, error) {
	var c Choice
	best := -1
	for i, of := range all {
		params, err := method.Marshal(of.Method)
		if err != nil {
			return Choice{}, fmt.Errorf("choose an input: %w", err)
		}
		images := train
		if of.Images != nil {
			images, of.Images = of.Images, nil
		}
		t := CandidateResult{Candidate: of, Name: of.Method.Name(), Params: params}
		f.Input = of.Input
		r, err := Validate(ctx, images, of.Method, f, Observer{})
		if cause := context.Cause(ctx); cause != nil {
			return Choice{}, fmt.Errorf("choose an input: %w", cause)
		}
		if err != nil {
			t.Err = err.Error()
		}
		for _, run := range r.Runs {
			t.Wrong, t.N = t.Wrong+run.Wrong, t.N+run.N
		}
		c.Results = append(c.Results, t)
		if err == nil && (best < 0 || t.Wrong < c.Results[best].Wrong) {
			best = i
		}
	}
	switch {
	case len(all) == 0:
		return Choice{}, errors.New("choose an input: of none")
	case best < 0:
		err := fmt.Errorf("choose an input: none can be learned, the first: %s", c.Results[0].Err)
		return Choice{}, advice.Add(err, "name an input, as faces96; choosing needs at least two images of a person")
	}
	c.Best = best
	return c, nil
}

// Folds says how Validate divides a training set. The images of each person are divided at
// random into N folds, whose sizes differ by at most one, and each fold is held out once.
// The only image of a person is never held out.
type Folds struct {
	N       int               // ≥ 2
	Repeats int               // ≥ 1, of the division into folds
	Seed    uint64            // repeat r divides and trains with the seed Seed + r
	Input   frontend.Pipeline // as in Protocol
}

// Validate cross-validates m on train, so that parameters can be chosen without test
// images. The Result has Repeats × N Runs, those of one repeat next to each other. The
// folds are the same for all methods, so that methods can be compared fold by fold.
func Validate(ctx context.Context, train *dataset.Images, m classify.Method, f Folds, o Observer) (Result, error) {
	if f.N < 2 {
		return Result{}, fmt.Errorf("validate: %d folds, fewer than 2", f.N)
	}
	if f.Repeats < 1 {
		return Result{}, fmt.Errorf("validate: %d repeats", f.Repeats)
	}
	res, err := newResult(train, m, f.Input, fmt.Sprintf("folds:%d", f.N), f.Repeats*f.N)
	if err != nil {
		return Result{}, fmt.Errorf("validate: %w", err)
	}
	samples := &sampler{set: train, pipeline: f.Input}
	for r := range f.Repeats {
		seed := f.Seed + uint64(r)
		fold, err := f.deal(train, seed)
		if err != nil {
			return Result{}, fmt.Errorf("validate: %w", err)
		}
		for held := range f.N {
			learn, judge := hold(fold, held)
			err := res.add(seed, o, func(fit classify.Run) (Run, *frontend.Model, error) {
				return samples.fitAndJudge(ctx, m, learn, judge, fit)
			})
			if err != nil {
				return Result{}, fmt.Errorf("validate: %w", err)
			}
		}
	}
	res.SampleSeconds = samples.seconds
	res.summarise()
	return res, nil
}

// hold returns the training and test samples if the fold held is held out.
func hold(fold []int, held int) (learn, judge []int) {
	for j, k := range fold {
		if k == held {
			judge = append(judge, j)
		} else {
			learn = append(learn, j)
		}
	}
	return learn, judge
}

// neverHeldOut is the fold of a sample that is only in training parts.
const neverHeldOut = -1

// foldStream keeps the random numbers of folds apart from those that others
// draw from the same seed: the fractional part of √3.
const foldStream = 0xbb67ae8584caa73b

// deal returns the fold of every sample. It continues from class to class with the next
// fold, so that the samples of small classes are not all in the first folds.
func (f Folds) deal(train *dataset.Images, seed uint64) ([]int, error) {
	rng := rand.New(rand.NewPCG(seed, foldStream))
	fold := make([]int, len(train.Labels()))
	dealt := 0
	for c := range train.Classes {
		lo, hi := train.Groups[c], train.Groups[c+1]
		if hi-lo == 1 {
			fold[lo] = neverHeldOut
			continue
		}
		for _, j := range rng.Perm(hi - lo) {
			fold[lo+j] = dealt % f.N
			dealt++
		}
	}
	if dealt < f.N {
		err := fmt.Errorf("%d images of people with more than one, fewer than %d folds", dealt, f.N)
		return nil, advice.Add(err, "validation holds out an image of a person and learns from the others")
	}
	return fold, nil
}
