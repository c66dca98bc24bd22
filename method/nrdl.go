package method

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/dictionary"
)

// NRDL learns a dictionary, non-negative codes and a linear classifier
// together [nrdl, (7)]:
//
//	min_{D,S,W} ‖X − DS‖² + λ‖D(A⊙S)‖² + α‖H − WS‖²
//	            + β Σ_i Σ_{j≠i} ‖(WS_i)ᵀ(WS_j)‖² + γ tr(WSLSᵀWᵀ)   s.t. S ≥ 0
//
// It codes a query over D, by default by non-negative least squares, and
// returns the class with the largest element of W·s. doc/equations.md says,
// equation by equation, how the iteration differs from what the paper prints.
type NRDL struct {
	Lambda  float64         `json:"lambda" help:"λ, weight of the reconstruction by atoms of other classes" eq:"(3)"`
	Alpha   float64         `json:"alpha" help:"α, weight of the classification error; > 0" eq:"(4)"`
	Beta    float64         `json:"beta" help:"β, weight of the incoherence of the classes' projections; twice the β of the formula" eq:"(4)"`
	Gamma   float64         `json:"gamma" help:"γ, weight of the compactness over the sample graph" eq:"(4)"`
	Squared bool            `json:"squared" help:"graph weights 1/(1+‖x−y‖²) as the paper prints, not 1/(1+‖x−y‖) as its numbers need" eq:"(5)"`
	Signed  bool            `json:"signed" help:"codes of either sign: NRDL-test, whose queries ridge codes instead of coder" eq:"(10)"`
	Atoms   int             `json:"atoms" help:"K_c, atoms per class; 0 keeps every training sample as an atom of D₀"`
	Init    dictionary.KSVD `json:"init" help:"K-SVD of each class that draws D₀ where atoms > 0; T₀ is at most the class's atoms"`
	Mu      float64         `json:"mu" help:"μ, penalty of the splitting in the first pass; > 0" eq:"(9)"`
	Growth  float64         `json:"growth" help:"factor of μ from pass to pass; ≥ 1" eq:"(9)"`
	MuMax   float64         `json:"mu_max" help:"largest μ" eq:"(9)"`
	Tol     float64         `json:"tol" help:"converged when max(|WS−P|, |WS−J|) is below it" eq:"(18)"`
	Passes  int             `json:"passes" help:"at most so many passes"`
	Coder   coding.Coder    `json:"coder" help:"how a query is coded, unless signed" eq:"(19)"`
	Ridge   coding.Ridge    `json:"ridge" help:"how a query is coded where signed" eq:"[crc] (6)"`

	Proximity     float64 `json:"proximity" omitted:"1e-05" help:"weight of the proximal terms where (11), (12) or (15) is singular, as a part of the mean of its diagonal"`
	WarmMu        float64 `json:"warm_mu" omitted:"0.5" help:"mu of a fit that starts from an earlier model, as a part of alpha; > 0"`
	WarmGrowth    float64 `json:"warm_growth" omitted:"1.5" help:"growth of such a fit; ≥ 1"`
	WarmProximity float64 `json:"warm_proximity" omitted:"0.0001" help:"proximity of such a fit"`

	FewL2 float64 `json:"few_l2" omitted:"2" help:"where there are fewer atoms K than training samples N, or whole, the exact non-negative coder has l2 = few_l2·K/N²; 0 codes as (19)"`
	Refit float64 `json:"refit" omitted:"0" help:"there, W is fitted again to the codes of the training samples, with this ridge as a part of their mean squared norm; 0 keeps the W of the iteration"`
	Whole bool    `json:"whole" omitted:"false" help:"few_l2 and refit hold where every training sample is an atom, too: nrdl-refit"`
}

// DefaultNRDL has the values that the authors published for Extended Yale B. The last five
// are not theirs. Proximity is less than the least pivots of clean faces, so that the
// directions that they need are learned at full speed. With the warm values models of ORL, six
// photographs of each, to which one of the 40 people is added end after 7 passes, all of
// them with the rate on the other photographs of a fit from the start, which takes 112;
// codes over an old dictionary are farther from where they end than those of such a fit
// ever are, which is why their proximity is larger.
var DefaultNRDL = registerIterative(NRDL{
	Lambda: 1e-4, Alpha: 1, Beta: 0.1, Gamma: 1e-4,
	Init: dictionary.DefaultKSVD,
	Mu:   1e-5, Growth: 1.1, MuMax: 1e8, Tol: 1e-6, Passes: 1000,
	Coder: coding.DefaultNonNegative, Ridge: coding.DefaultRidge,
	Proximity: 1e-5, WarmMu: 0.5, WarmGrowth: 1.5, WarmProximity: 1e-4, FewL2: 2,
})

// DefaultNRDLTest is the paper's NRDL-test: learning without non-negativity, and queries coded
// by ridge regression.
var DefaultNRDLTest = registerIterative(signed(DefaultNRDL))

func signed(m NRDL) NRDL {
	m.Signed = true
	return m
}

func (m NRDL) Name() string {
	switch {
	case m.Signed:
		return "nrdl-test"
	case m.Whole:
		return "nrdl-refit"
	}
	return "nrdl"
}

// Traits implements classify.Described. With more atoms than dimensions, any sample is a
// non-negative combination of atoms of any class. Only if all samples are atoms can Fit
// start from an earlier model: with fewer the result depends on the start, and rates on ORL
// differ by a point. λ ≥ 0.1 often ruins the rate (doc/equations.md).
func (m NRDL) Traits() classify.Traits {
	t := classify.Traits{
		Family:      "NRDL",
		Predecessor: "nrdl-test",
		Description: "dictionary, non-negative codes and linear classifier learned together",
		Formulation: `min_{D,S,W}  ‖X − DS‖² + λ‖D(A⊙S)‖² + α‖H − WS‖²
             + β Σ_i Σ_{j≠i} ‖(WS_i)ᵀ(WS_j)‖² + γ tr(WSLSᵀWᵀ)   s.t. S ≥ 0
class: max_c (W·s)_c`,
		Coder: m.coder(), Memory: m.holds, Unprojected: !m.Signed, Warm: m.Atoms == 0 && !m.Whole, Start: "DSW",
		Ranges: []Range{
			decades("lambda", 1e-6, 1e-2),
			decades("alpha", 0.1, 10),
			decades("beta", 1e-3, 1),
			decades("gamma", 1e-6, 1e-2),
		},
	}
	if !m.Signed {
		t.Ranges = append(t.Ranges, coderRanges(m.Coder)...)
		if m.Atoms > 0 || m.Whole {
			t.Ranges = append(t.Ranges, Range{Path: "few_l2", Low: 0.2, High: 200, Log: true, Zero: true}, decades("refit", 0.01, 10))
		}
		if m.Whole {
			t.Title, t.Predecessor = "NRDL (refit)", "nrdl"
			t.Description = "NRDL whose classifier is fitted again to the codes that queries get"
			t.Formulation += `
W₂ = H·Zᵀ(Z·Zᵀ + ρ‖Z‖²/N·I)⁻¹,  Z the codes of the training samples as queries are coded`
		}
		return t
	}
	t.Title, t.Predecessor = "NRDL-test", "lcle"
	t.Description = "NRDL with codes of either sign; queries coded by ridge"
	t.Formulation = strings.Replace(t.Formulation, "   s.t. S ≥ 0", "", 1)
	t.Ranges = append(t.Ranges, decades("ridge.lambda", 1e-4, 1))
	t.Presets = map[string][]Value{
		"orl": preset(validated, "ridge.lambda=0.1"),
		"gt":  preset(validated, "ridge.lambda=0.1"),
		"pie": preset(validated, "ridge.lambda=0.01"),
		"lfw": preset(validated, "ridge.lambda=0.01"),
	}
	return t
}

func (m NRDL) Validate() error {
	switch {
	case m.Alpha == 0:
		return errors.New("alpha = 0 leaves the classifier without labels")
	case !(m.Mu > 0 && m.Mu <= m.MuMax):
		return fmt.Errorf("mu = %v is not > 0 and ≤ mu_max = %v", m.Mu, m.MuMax)
	case !(m.Growth >= 1):
		return fmt.Errorf("growth = %v is not ≥ 1", m.Growth)
	case !(m.WarmGrowth >= 1):
		return fmt.Errorf("warm_growth = %v is not ≥ 1", m.WarmGrowth)
	case m.Coder == nil:
		return errNoCoder
	}
	return cmp.Or(weights("lambda", m.Lambda, "alpha", m.Alpha, "beta", m.Beta, "gamma", m.Gamma, "tol", m.Tol),
		weights("proximity", m.Proximity, "warm_proximity", m.WarmProximity, "few_l2", m.FewL2, "refit", m.Refit), aboveZero("warm_mu", m.WarmMu),
		counts(0, "atoms", m.Atoms), counts(1, "passes", m.Passes),
		within("init", m.Init.Validate()), m.Ridge.Validate(), m.Coder.Validate())
}

// coder codes queries.
func (m NRDL) coder() coding.Coder {
	if m.Signed {
		return m.Ridge
	}
	return m.Coder
}

// coderFor codes queries over K atoms that were learned from N samples. Where samples are
// left out of D, exact codes cancel atoms against each other, and their sum is several times
// that of the learned ones: a small ridge penalises such sums.
func (m NRDL) coderFor(k, n int) coding.Coder {
	exact, ok := m.coder().(coding.NonNegative)
	if !ok || k >= n && !m.Whole || exact.Solver != coding.Exact || exact.L2 > 0 {
		return m.coder()
	}
	exact.L2 = m.FewL2 * float64(k) / (float64(n) * float64(n))
	return exact
}

// Fit implements classify.Method. A fit that ends as Exhausted still returns a
// model.
func (m NRDL) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return classify.Train(ctx, m, train, run)
}

func (m NRDL) Start(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Learning, error) {
	return m.begin(ctx, m, train, run, func(_ *task, s *nrdlState) learner { return s })
}

// begin starts a fit of as, which learns by what learner makes of the iterate of m.
func (m NRDL) begin(ctx context.Context, as classify.Described, train *classify.Samples, run classify.Run,
	of func(*task, *nrdlState) learner,
) (*classify.Learning, error) {
	p := plan{Limits: classify.Limits{Passes: m.Passes, Tol: m.Tol}, atoms: m.Atoms}
	l, err := begin(ctx, as, train, run, p, func(t *task) (learner, error) {
		d, _ := t.x.Dims()
		k := t.groups[len(t.Classes)]
		if err := fits(m.coder(), t.Grid, d, k); err != nil {
			return nil, err
		}
		if t.Projection != "" && k > d && !m.Signed {
			err := fmt.Errorf(
				"%d atoms, more than the %d dimensions that %s leaves: every sample is then a non-negative mixture of atoms of "+
					"any class, and what is learned does not recognise", k, d, t.Projection)
			return nil, advice.Add(err, "leave out the projection (%v), or keep the training samples (%v)",
				advice.Projection.To("none"), advice.Method.To(DefaultNRC.Name()))
		}
		s, err := newNRDLState(m, t)
		if err != nil {
			return nil, err
		}
		return of(t, s), s.startFrom(run, t.x, t.Samples)
	})
	if err != nil {
		return nil, err
	}
	failed := l.Failure
	l.Failure = func(err error) error {
		if errors.Is(err, classify.ErrDiverged) {
			err = advice.Add(err, "%v", m.remedy())
		}
		return failed(err)
	}
	return l, nil
}

// remedy says what to do about a divergence: it names the parameters that are not
// the defaults. A large lambda is the likeliest cause.
func (m NRDL) remedy() advice.Advice {
	var edited []string
	for _, p := range []struct {
		name       string
		is, normal float64
	}{
		{"lambda", m.Lambda, DefaultNRDL.Lambda},
		{"alpha", m.Alpha, DefaultNRDL.Alpha},
		{"beta", m.Beta, DefaultNRDL.Beta},
		{"gamma", m.Gamma, DefaultNRDL.Gamma},
		{"mu", m.Mu, DefaultNRDL.Mu},
		{"growth", m.Growth, DefaultNRDL.Growth},
	} {
		if p.is != p.normal {
			edited = append(edited, fmt.Sprintf("%s = %g (default %g)", p.name, p.is, p.normal))
		}
	}
	switch {
	case m.Lambda >= ruinous:
		return advice.New("lambda = %g is the likely cause: from %g on the iteration often diverges", m.Lambda, ruinous)
	case len(edited) > 0:
		return advice.New("go back towards the default parameters: %s", strings.Join(edited, ", "))
	}
	return advice.New(
		"the parameters are the defaults, so the data are the cause: look for images that are alike or blank (%v), or use "+
			"a method that does not iterate (%v)",
		advice.DescribeData, advice.Method.To(DefaultNRC.Name()))
}

// ruinous is a λ from which on the iteration often diverges (doc/equations.md).
const ruinous = 0.1

// newNRDLState starts from D = D₀ and all else zero. The samples of t are replaced by
// their coordinates in their own span where that is shorter.
func newNRDLState(m NRDL, t *task) (*nrdlState, error) {
	x := t.span()
	d0, err := t.classwise(m.Init, x, m.Atoms)
	if err != nil {
		return nil, err
	}
	d, n := x.Dims()
	_, k := d0.Dims()
	c := len(t.Classes)
	l, err := sampleGraphOf(t.x, m.Squared, cmp.Or(m.Tol, DefaultNRDL.Tol))
	if err != nil {
		return nil, fmt.Errorf("equation (5): %w", err)
	}
	zero := func(r, c int) *mat.Dense { return mat.NewDense(r, c, nil) }
	return &nrdlState{
		t: t, ctx: t.ctx, NRDL: m, X: x, D: d0, partition: partition{t.groups, t.Groups},
		S: zero(k, n), W: zero(c, k), P: zero(c, n), J: zero(c, n), C1: zero(c, n), C2: zero(c, n),
		L: l, μ: m.Mu, proximity: m.Proximity,
		WS: zero(c, n), T: zero(c, n), R: zero(d, n), G: zero(k, k), V: zero(k, k),
		PP: zero(c, c), A: zero(c, c),
	}, nil
}

// holds bounds the numbers that a fit holds beside the samples.
func (m NRDL) holds(s Size) float64 {
	d, n, c, k := float64(s.Features), float64(s.Samples), float64(s.Classes), atomsOf(m.Atoms, s)
	graph := 3*c*n + graphLandmarks*n
	switch {
	case s.Samples <= factorLimit:
		graph = 3 * n * n // M, γL + μI and its factor
	case s.Samples <= denseLimit:
		graph = 3*c*n + n*n
	}
	held := k*n + 6*c*n + d*n + 3*k*k + 4*d*k // S; P, J, C₁, C₂, WS and T; R; (11), (12) and (15)
	if m.refits(int(k), s.Samples) {
		held += k*n + c*n // Z, H
	}
	return held + graph + m.coder().Work(s.Features, int(k)).Memory
}

// NRDLAblation learns as NRDL does and then keeps only a part of the result. It
// shows how much the learned dictionary and the learned classifier contribute.
// With the samples instead of D and the residual rule instead of W, it is NRC
// with the coder of NRDL.
type NRDLAblation struct {
	NRDL
	Samples  bool `json:"samples" help:"a query is coded over the training samples X instead of D; needs atoms = 0"`
	Residual bool `json:"residual" help:"the class with the least residual instead of the classifier W"`
}

// DefaultNRDLAblation keeps the dictionary that NRDL learns, not its classifier.
var DefaultNRDLAblation = registerIterative(NRDLAblation{NRDL: DefaultNRDL, Residual: true})

func (NRDLAblation) Name() string { return "nrdl-ablation" }

func (m NRDLAblation) Traits() classify.Traits {
	t := m.NRDL.Traits()
	t.Title, t.Predecessor, t.Presets, t.Warm = "", "nrdl-online", nil, false
	t.Description = "NRDL with the training samples instead of its dictionary, or the least residual instead of its classifier"
	t.Formulation += "\nsamples: s is the code of y over X;  residual: max_c 1 − ‖y − D_c s_c‖"
	return t
}

func (m NRDLAblation) Validate() error {
	if m.Samples && m.Atoms != 0 {
		return fmt.Errorf("samples = true with atoms = %d: the classifier is learned for as many atoms as samples; set atoms to 0", m.Atoms)
	}
	return m.NRDL.Validate()
}

func (m NRDLAblation) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return classify.Train(ctx, m, train, run)
}

func (m NRDLAblation) Start(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Learning, error) {
	run.Warm = nil
	return m.begin(ctx, m, train, run, func(t *task, s *nrdlState) learner { return &ablationState{s, m, t.x} })
}

// ablationState is the iterate of NRDL.
type ablationState struct {
	*nrdlState
	m NRDLAblation
	x *mat.Dense // d×N, the samples at their own coordinates
}

func (s *ablationState) parts(out classify.Outcome) (classify.Parts, error) {
	p, err := s.nrdlState.parts(out)
	if s.m.Samples {
		p.D = s.x
	}
	if s.m.Residual {
		p.Rule = classify.Residual{}
	}
	return p, err
}

// codes are none where D is not learned.
func (s *ablationState) codes() (*mat.Dense, error) {
	if s.m.Samples {
		return nil, nil
	}
	return s.nrdlState.codes()
}
