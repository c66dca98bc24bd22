package experiment

import (
	"context"
	"fmt"
	"math/rand/v2"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
)

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
