package method

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"nrdl/classify"
	"nrdl/coding"
	"nrdl/dictionary"
	"nrdl/internal/hint"
)

// SDRERDL is a reconstruction: the equations of the method [sdrerdl] were not
// available. It is known to learn a dictionary without labels from the training
// images and virtual ones, their mirror images, and then a linear classifier.
// Here one dictionary codes the images X and their mirror images X′, and their
// codes S and S′ are coupled:
//
//	min_{D,S,S′} ‖X − DS‖² + τ‖X′ − DS′‖² + η‖S − S′‖² + λ(‖S‖² + ‖S′‖²) + ν‖D‖²
//
// Everything else is as in LCLE. After the last pass, atoms and codes are
// normalised to norm 1. A linear classifier W is learned from S, and its
// columns are normalised too. A query is coded by orthogonal matching pursuit
// over D; the class has the largest element of W·s. doc/equations.md says what
// was chosen and why.
type SDRERDL struct {
	Tau    float64         `json:"tau" help:"τ, weight of the mirror images"`
	Eta    float64         `json:"eta" help:"η, weight of the agreement of an image's code with its mirror image's"`
	Lambda float64         `json:"lambda" help:"λ, weight of the codes' size"`
	Nu     float64         `json:"nu" help:"ν, weight of the atoms' size"`
	Atoms  int             `json:"atoms" help:"K_c, atoms a class in D₀; 0 for as many as training samples"`
	Init   dictionary.KSVD `json:"init" help:"K-SVD of each class that draws D₀ where atoms > 0"`
	Passes int             `json:"passes" help:"at most so many passes; ≥ 1"`
	Tol    float64         `json:"tol" help:"converged when a pass changes D by a smaller part of itself"`
	Ridge  float64         `json:"ridge" help:"ρ, weight of ‖W‖² in the linear classifier" eq:"[lcksvd]"`
	Coder  coding.OMP      `json:"coder" help:"how the images at the start and the queries are coded"`
}

// DefaultSDRERDL has weights that are about as good as any that were tried on
// five face databases, by validation inside their training parts.
var DefaultSDRERDL = SDRERDL{
	Tau: 1, Eta: 1e-3, Lambda: 1e-3, Nu: 1e-3,
	Init:   onePass(dictionary.DefaultKSVD),
	Passes: 10, Ridge: 1, Coder: coding.DefaultOMP,
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
	if err := weights("tau", m.Tau, "eta", m.Eta, "lambda", m.Lambda, "nu", m.Nu, "tol", m.Tol, "ridge", m.Ridge); err != nil {
		return err
	}
	switch {
	case m.Atoms < 0:
		return fmt.Errorf("atoms = %d is negative", m.Atoms)
	case m.Passes < 1:
		return fmt.Errorf("passes = %d is not ≥ 1", m.Passes)
	}
	if err := m.Init.Validate(); err != nil {
		return fmt.Errorf("init: %w", err)
	}
	if err := codesSomething(m.Coder.Error); err != nil {
		return fmt.Errorf("coder: %w", err)
	}
	return m.Coder.Validate()
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
		return p, hint.Add(errors.New("mirror images cannot be made, since the samples are not known to be images"),
			"give the height and the width of the images with the samples, or choose another method")
	}
	d, k := x.Dims()
	if m.Atoms > 0 {
		k = m.Atoms * len(t.Classes)
	}
	if err := fits(m.Coder, classify.Grid{}, d, k); err != nil {
		return p, err
	}
	both := withMirrorImages(x, t.Grid)
	s, err := newSDRERDLState(ctx, m, both, t)
	if err != nil {
		return p, err
	}
	out, err := classify.Iterate(ctx, s, classify.Limits{Passes: m.Passes, Tol: m.Tol}, run.Watch)
	if err != nil {
		return p, err
	}
	w, err := classifier(classify.Unit(s.S), t.Groups, m.Ridge) // W = HSᵀ(SSᵀ + ρI)⁻¹   [lcksvd]
	if err != nil {
		return p, fmt.Errorf("linear classifier: %w", err)
	}
	return classify.Parts{
		D: classify.Unit(combine(both, s.C)), Groups: s.atoms,
		Coder: m.Coder, Rule: classify.Linear{W: classify.Unit(w)}, Trained: out,
	}, nil
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
