package classify

import (
	"context"

	"nrdl/coding"
)

// A Method learns a Classifier. Its value is its parameters: a copy of it, edited,
// is another configuration of the same method. Zero means zero.
type Method interface {
	// Name is the name by which the command line and model files know it.
	Name() string

	// Validate reports the first parameter that is outside its range.
	Validate() error

	// Fit learns from train, which it does not modify. Samples are used at
	// unit ℓ2 norm, whatever their scale in train. Equal parameters, data and
	// seed give an identical Classifier on one machine, however many threads.
	// It returns ctx's error within one pass of being cancelled.
	Fit(ctx context.Context, train *Samples, run Run) (*Classifier, error)
}

// A Run is what a fit needs beside the parameters and the data.
type Run struct {
	Seed  uint64
	Watch Watch // may be nil; observes, cannot stop or change the run

	// Unit may hold Unit of the training samples, made once for several fits
	// on the same set, which then share it and its Gram matrix: a model whose
	// dictionary is the training samples keeps the samples.
	Unit *coding.Shared

	// Warm may be a classifier of the same method, with the same parameters, that
	// was learnt from samples of the same space and of much the same classes. A
	// method that iterates may start from it, and then needs fewer passes to a
	// result that is much the same, not the same; others do without. Equal
	// classifiers to start from give equal results.
	Warm *Classifier
}
