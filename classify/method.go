package classify

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/coding"
)

// A Method learns a Classifier. Its fields are its parameters: an edited copy
// is another configuration of the same method. Zero means zero.
type Method interface {
	// Name is the name of the method on the command line and in model files.
	Name() string

	// Validate reports the first parameter that is outside its range.
	Validate() error

	// Fit learns from train, which it does not modify. Samples are used at unit ℓ2
	// norm, whatever their scale in train. Equal parameters, data and seed give an
	// identical Classifier on one machine, with any number of threads. Fit returns
	// the error of ctx within one pass after cancellation.
	Fit(ctx context.Context, train *Samples, run Run) (*Classifier, error)
}

// A Run has the inputs of a fit other than the parameters and the data.
type Run struct {
	Seed  uint64
	Watch Watch // may be nil; cannot stop or change the run

	// Unit may hold Unit of the training samples. Several fits on the same set
	// then share it and its Gram matrix. A model whose dictionary is the training
	// samples keeps the samples.
	Unit *coding.Shared

	// Warm may be a classifier of the same method and parameters, learned from
	// similar samples of the same space. An iterative method may start from it; it
	// then needs fewer passes, and its result is similar, not equal. Other methods
	// ignore it. Equal start classifiers give equal results.
	Warm *Classifier
}

// A Separable method learns one atom for each class, from the samples of that class
// alone. So a few classes can be learned again without the others.
type Separable interface {
	Method

	// Atom returns the atom of the class with these samples, the columns of x, d×n and
	// none of them zero.
	Atom(x *mat.Dense) []float64

	// Join returns what Fit returns for classes with these atoms, d×C.
	Join(atoms *mat.Dense, classes []string, run Run) (*Classifier, error)
}
