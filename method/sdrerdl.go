package method

import (
	"cmp"
	"context"
	"errors"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
)

// SDRERDL is a reconstruction: the equations of the method [sdrerdl] were not
// available. It is known to learn a dictionary without labels from the training
// images and virtual ones, their mirror images, and then a linear classifier.
// Here one dictionary codes the images X and their mirror images X′, and their
// codes S and S′ are coupled:
//
//	min_{D,S,S′} ‖X − DS‖² + τ‖X′ − DS′‖² + η‖S − S′‖² + λ(‖S‖² + ‖S′‖²) + ν‖D‖²
//
// Everything else is as in LCLE; W is learned from S. doc/equations.md says what
// was chosen and why.
type SDRERDL struct {
	Tau    float64 `json:"tau" help:"τ, weight of the mirror images"`
	Eta    float64 `json:"eta" help:"η, weight of the agreement of an image's code with its mirror image's"`
	Lambda float64 `json:"lambda" help:"λ, weight of the codes' size"`
	Nu     float64 `json:"nu" help:"ν, weight of the atoms' size"`
	AlternatingLearning
}

// DefaultSDRERDL has weights that are about as good as any that were tried on
// five face databases, by validation inside their training parts.
var DefaultSDRERDL = SDRERDL{
	Tau: 1, Eta: 1e-3, Lambda: 1e-3, Nu: 1e-3,
	AlternatingLearning: defaultAlternatingLearning,
}

// Name implements classify.Method.
func (SDRERDL) Name() string { return "sdrerdl-reconstruction" }

// Describe returns a one-line description of the method.
func (SDRERDL) Describe() string {
	return "reconstruction (the source's equations are not available): dictionary of images and their mirror images, then a linear classifier"
}

// Formulation gives the problem that the method solves.
func (SDRERDL) Formulation() string {
	return `min_{D,S,S′}  ‖X − DS‖² + τ‖X′ − DS′‖² + η‖S − S′‖² + λ(‖S‖² + ‖S′‖²) + ν‖D‖²,  X′ the mirror images of X
min_W  ‖H − WS‖² + ρ‖W‖²
class: max_c (W·s)_c
(a reconstruction: the equations of the source are not known)`
}

// Validate implements classify.Method.
func (m SDRERDL) Validate() error {
	return cmp.Or(weights("tau", m.Tau, "eta", m.Eta, "lambda", m.Lambda, "nu", m.Nu), m.AlternatingLearning.Validate())
}

// Ranges implements Tunable.
func (m SDRERDL) Ranges() []Range {
	return append([]Range{
		decades("tau", 0.1, 10),
		decades("eta", 1e-5, 0.1),
		decades("lambda", 1e-5, 0.1),
		decades("nu", 1e-5, 0.1),
	}, coderRanges(m.Coder)...)
}

// Fit implements classify.Method. It is an error if the samples are not images,
// if there are fewer atoms than the sparsity of Coder, or if a class has fewer
// samples than atoms. A fit that ends as Exhausted still returns a model.
func (m SDRERDL) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return learnInOrder(m, train, run, func(x *mat.Dense, t *classify.Samples) (classify.Parts, error) {
		return m.learn(ctx, x, t, run)
	})
}

// learn learns D and W from the samples x, d×N of unit norm, of the set t.
func (m SDRERDL) learn(ctx context.Context, x *mat.Dense, t *classify.Samples, run classify.Run) (classify.Parts, error) {
	var p classify.Parts
	if t.Grid.Planes != 1 {
		return p, advice.Add(errors.New("mirror images cannot be made, since the samples are not known to be images"),
			"give the height and the width of the images with the samples, or choose another method")
	}
	d, n := x.Dims()
	if err := fits(m.Coder, classify.Grid{}, d, m.atoms(n, len(t.Classes))); err != nil {
		return p, err
	}
	both := withMirrorImages(x, t.Grid)
	s, err := newSDRERDLState(ctx, m, both, t)
	if err != nil {
		return p, err
	}
	return m.iterate(ctx, s, &s.alternation, s.S, both, t, run)
}

// withMirrorImages returns [X X′], d×2N: the images x, d×N with pixels in
// column-major order, and after them the same with left and right exchanged.
func withMirrorImages(x *mat.Dense, in classify.Grid) *mat.Dense {
	d, n := x.Dims()
	both := mat.NewDense(d, 2*n, nil)
	for i := range d {
		row, column := i%in.Height, i/in.Height
		to := both.RawRowView(i)
		copy(to[:n], x.RawRowView(i))
		copy(to[n:], x.RawRowView((in.Width-1-column)*in.Height+row))
	}
	return both
}
