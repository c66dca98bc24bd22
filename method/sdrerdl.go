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
var DefaultSDRERDL = registerIterative(SDRERDL{
	Tau: 1, Eta: 1e-3, Lambda: 1e-3, Nu: 1e-3,
	AlternatingLearning: defaultAlternatingLearning,
})

func (SDRERDL) Name() string { return "sdrerdl-reconstruction" }

func (m SDRERDL) Traits() classify.Traits {
	return classify.Traits{
		Title: "SDRERDL (reconstruction)", After: "d2l2r2",
		Description: "reconstruction (the source's equations are not available): dictionary of images and their mirror images, then a linear classifier",
		Formulation: `min_{D,S,S′}  ‖X − DS‖² + τ‖X′ − DS′‖² + η‖S − S′‖² + λ(‖S‖² + ‖S′‖²) + ν‖D‖²,  X′ the mirror images of X
min_W  ‖H − WS‖² + ρ‖W‖²
class: max_c (W·s)_c
(a reconstruction: the equations of the source are not known)`,
		Memory: m.holds, Start: "DS",
		Ranges: append([]Range{
			decades("tau", 0.1, 10),
			decades("eta", 1e-5, 0.1),
			decades("lambda", 1e-5, 0.1),
			decades("nu", 1e-5, 0.1),
		}, coderRanges(m.Coder)...),
	}
}

func (m SDRERDL) Validate() error {
	return cmp.Or(weights("tau", m.Tau, "eta", m.Eta, "lambda", m.Lambda, "nu", m.Nu), m.AlternatingLearning.Validate())
}

// Fit implements classify.Method. It is an error if the samples are not images,
// if there are fewer atoms than the sparsity of Coder, or if a class has fewer
// samples than atoms. A fit that ends as Exhausted still returns a model.
func (m SDRERDL) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return classify.Train(ctx, m, train, run)
}

func (m SDRERDL) Start(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Learning, error) {
	return begin(ctx, m, train, run, m.plan(), func(t *task) (learner, error) {
		if t.Grid.Planes != 1 {
			return nil, advice.Add(errors.New("mirror images cannot be made, since the samples are not known to be images"),
				"give the height and the width of the images with the samples, or choose another method")
		}
		d, n := t.x.Dims()
		if err := fits(m.Coder, classify.Grid{}, d, m.atoms(n, len(t.Classes))); err != nil {
			return nil, err
		}
		return newSDRERDLState(m, t)
	})
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

// holds bounds the numbers that a fit holds beside the samples.
func (m SDRERDL) holds(s Size) float64 {
	s.Samples *= 2 // mirror images
	return float64(s.Features)*float64(s.Samples) + m.AlternatingLearning.holds(s)
}
