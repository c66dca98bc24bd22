package method

import (
	"cmp"
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
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
		Title: "SDRERDL (reconstruction)", Predecessor: "d2l2r2",
		Description: "reconstruction (the source's equations are not available): dictionary of images and their mirror " +
			"images, then a linear classifier",
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
// or if a class has fewer samples than atoms. A fit that ends as Exhausted still
// returns a model.
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

// sdrerdlState is the iterate of SDRERDL; a name that ends in m is that of the
// mirror images, marked ′ in the equations.
type sdrerdlState struct {
	SDRERDL
	alternation            // of X, d×2N: [X X′], and Codes, K×2N: [S S′]
	S, Sm       *mat.Dense // K×N: the two parts of Codes
}

func newSDRERDLState(m SDRERDL, t *task) (*sdrerdlState, error) {
	a, err := m.start(t, withMirrorImages(t.x, t.Grid))
	if err != nil {
		return nil, err
	}
	n := t.Len()
	return &sdrerdlState{SDRERDL: m, alternation: a, S: lin.Cols(a.Codes, 0, n), Sm: lin.Cols(a.Codes, n, 2*n)}, nil
}

func (s *sdrerdlState) Largest() float64           { return max(lin.MaxAbs(s.D), lin.MaxAbs(s.Codes)) }
func (s *sdrerdlState) codes() (*mat.Dense, error) { return s.scaled(s.S), nil }

// Step makes one pass and returns ‖D − D_last‖/‖D_last‖. Every update is the
// minimiser over its variable, so that the problem falls from pass to pass.
func (s *sdrerdlState) Step() (float64, error) {
	return s.pass(update{"S", s.updateS}, update{"S′", s.updateSm}, update{"D", s.updateD})
}

func (s *sdrerdlState) variables() []variable {
	return []variable{dictionaryOf(s.D), codesOf("S", s.S), codesOf("Sm", s.Sm)}
}

func (s *sdrerdlState) parts(out classify.Outcome) (classify.Parts, error) {
	return s.AlternatingLearning.parts(&s.alternation, s.S, out)
}

// updateS: S = (DᵀD + (η+λ)I)⁻¹(DᵀX + ηS′)
func (s *sdrerdlState) updateS() error {
	_, n := s.S.Dims()
	lin.Set(s.S, 1, lin.Cols(s.DX, 0, n)) // DᵀX
	lin.Add(s.S, s.Eta, s.Sm)             // DᵀX + ηS′
	lin.Set(s.A, 1, s.G)                  // DᵀD
	lin.AddDiag(s.A, s.Eta+s.Lambda)      // DᵀD + (η+λ)I
	return solve(&s.spd, s.A, s.S)
}

// updateSm: S′ = (τDᵀD + (η+λ)I)⁻¹(τDᵀX′ + ηS)
func (s *sdrerdlState) updateSm() error {
	_, n := s.S.Dims()
	lin.Set(s.Sm, s.Tau, lin.Cols(s.DX, n, 2*n)) // τDᵀX′
	lin.Add(s.Sm, s.Eta, s.S)                    // τDᵀX′ + ηS
	lin.Set(s.A, s.Tau, s.G)                     // τDᵀD
	lin.AddDiag(s.A, s.Eta+s.Lambda)             // τDᵀD + (η+λ)I
	return solve(&s.spd, s.A, s.Sm)
}

// updateD: D = (XSᵀ + τX′S′ᵀ)(SSᵀ + τS′S′ᵀ + νI)⁻¹
func (s *sdrerdlState) updateD() error {
	_, n := s.S.Dims()
	lin.Set(lin.Cols(s.C, 0, n), 1, s.S)        // [S …]
	lin.Set(lin.Cols(s.C, n, 2*n), s.Tau, s.Sm) // [S τS′]
	lin.AAt(s.A, 1, s.S)                        // SSᵀ
	lin.AddAAt(s.A, s.Tau, s.Sm)                // SSᵀ + τS′S′ᵀ
	lin.AddDiag(s.A, s.Nu)                      // SSᵀ + τS′S′ᵀ + νI
	return s.renewD()
}

// Objective gives the terms of the problem with their weights, and the norms
// of D, S and S′.
func (s *sdrerdlState) Objective() []classify.Term {
	_, n := s.S.Dims()
	return []classify.Term{
		{Name: "reconstruction", Value: squaredError(lin.Cols(s.X, 0, n), s.D, s.S)},
		{Name: "mirror", Value: s.Tau * squaredError(lin.Cols(s.X, n, 2*n), s.D, s.Sm)},
		{Name: "agreement", Value: s.Eta * squaredDifference(s.S, s.Sm)},
		{Name: "codes", Value: s.Lambda * lin.SquaredNorm(s.Codes)},
		{Name: "atoms", Value: s.Nu * lin.SquaredNorm(s.D)},
		{Name: "normD", Value: math.Sqrt(lin.SquaredNorm(s.D)), Info: true},
		{Name: "normS", Value: math.Sqrt(lin.SquaredNorm(s.S)), Info: true},
		{Name: "normSm", Value: math.Sqrt(lin.SquaredNorm(s.Sm)), Info: true},
	}
}
