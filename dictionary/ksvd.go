package dictionary

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/internal/lin"
)

// KSVD learns a dictionary of unit atoms for sparse codes [ksvd]:
//
//	min_{D,Γ} ‖X − DΓ‖²   s.t. ‖γ_j‖₀ ≤ T₀ or ‖x_j − Dγ_j‖ ≤ ε for every sample j
//
// A pass codes all samples by orthogonal matching pursuit (coding.OMP), renews
// one atom after the other, with the coefficients of the samples that use it,
// by one power step [bomp], and then replaces atoms that are of little use by
// samples, those with the longest residuals first. It draws no random numbers.
//
// No renewal of an atom raises ‖X − DΓ‖². The pursuit may: it is greedy, and may
// find a code that is worse than the one that a sample has from the pass before.
// With Monotone that code is kept, as [ksvd, IV.C] proposes; then, with ε = 0, no
// pass raises ‖X − DΓ‖² unless the pass before it has replaced an atom. Published
// recipes do without, and it need not lead lower: samples hold on to codes that
// were good early, and on faces the error of 50 passes was larger with it.
type KSVD struct {
	Sparsity  int     `json:"sparsity" help:"T₀ ≥ 1, most atoms a sample; more than there are is all of them"`
	Error     float64 `json:"error" help:"ε ≥ 0, length of the residual at which a sample has atoms enough"`
	Passes    int     `json:"passes" help:"passes over the samples; 0 leaves the atoms as they are"`
	MinUses   int     `json:"min_uses" help:"an atom that fewer samples use, or not all if they are fewer, is replaced by a sample"`
	Coherence float64 `json:"coherence" help:"an atom whose cosine to an earlier one is larger in magnitude is replaced likewise"`
	Monotone  bool    `json:"monotone" help:"a sample keeps its code where the new one is worse" eq:"[ksvd] IV.C"`
}

// DefaultKSVD has the values with which LC-KSVD starts [lcksvd].
var DefaultKSVD = KSVD{Sparsity: 30, Passes: 10, MinUses: 4, Coherence: 0.99}

// Validate reports the first parameter that is outside its range.
func (k KSVD) Validate() error {
	if err := k.pursuit().Validate(); err != nil {
		return err
	}
	switch {
	case k.Passes < 0:
		return fmt.Errorf("passes = %d is negative", k.Passes)
	case k.MinUses < 0:
		return fmt.Errorf("min_uses = %d is negative", k.MinUses)
	case !(k.Coherence > 0):
		return fmt.Errorf("coherence = %v is not > 0", k.Coherence)
	}
	return nil
}

func (k KSVD) pursuit() coding.OMP { return coding.OMP{Sparsity: k.Sparsity, Error: k.Error} }

// What counts as nothing, relative to the norm of a sample.
const (
	rebuilt = 1e-10 // a residual: the sample replaces no atom
	unused  = 1e-7  // a coefficient: the sample does not use the atom [lcksvd]
)

// Learn learns from the samples x, d×N, of any scale, starting from the
// directions of the atoms d0, d×K; both stay as they are. It returns a new D,
// d×K, the same for any number of threads. run.Watch sees each pass: its
// residual is ‖X − DΓ‖/‖X‖, and its terms are
//
//	error     ‖X − DΓ‖² after the renewals, before atoms are replaced
//	nonzeros  mean number of atoms a sample
//	replaced  atoms that were replaced
//	kept      samples that kept their codes
//
// It returns an error if x or d0 is not finite, or if an atom of d0 is zero. Once ctx is done Learn soon returns its cause. Beside x it
// needs memory for the residuals, N×d, the nonzeros of the codes, and K×K and a
// few times K×d numbers.
func (k KSVD) Learn(ctx context.Context, x, d0 *mat.Dense, run classify.Run) (*mat.Dense, classify.Outcome, error) {
	s, err := k.Start(ctx, x, d0)
	if err != nil {
		return nil, classify.Outcome{}, err
	}
	if k.Passes == 0 {
		return s.Dictionary(), classify.Outcome{Status: classify.ClosedForm}, nil
	}
	out, err := classify.Iterate(ctx, s, classify.Limits{Passes: k.Passes}, run.Watch)
	if err != nil {
		return nil, out, fmt.Errorf("learn a dictionary: %w", err)
	}
	return s.Dictionary(), out, nil
}

// Start returns what Learn iterates, for a caller who makes the passes. The arguments and
// the errors are those of Learn.
func (k KSVD) Start(ctx context.Context, x, d0 *mat.Dense) (*KSVDLearner, error) {
	s, err := newKSVDLearner(ctx, k, x, d0)
	if err != nil {
		return nil, fmt.Errorf("learn a dictionary: %w", err)
	}
	return s, nil
}

// Dictionary returns the present D, d×K, a copy.
func (s *KSVDLearner) Dictionary() *mat.Dense {
	if s.passes == 0 {
		return mat.DenseCopyOf(s.first)
	}
	return s.expand(transposed(s.D))
}

// Codes returns the codes Γ of the samples, K×N, a copy. The last pass has not coded them
// over the atoms that it replaced by samples: these have zeros.
func (s *KSVDLearner) Codes() *mat.Dense {
	_, n := s.X.Dims()
	out := mat.NewDense(len(s.stale), n, nil)
	if s.passes == 0 {
		return out
	}
	for j := range n {
		atoms, coef := s.Γ.Column(j)
		for i, a := range atoms {
			if !s.stale[a] {
				out.Set(int(a), j, coef[i])
			}
		}
	}
	return out
}

// Errors returns ‖x_j − Dγ_j‖² of each sample; ‖x_j‖² where the last pass has replaced an atom
// of its code.
func (s *KSVDLearner) Errors() []float64 {
	out := slices.Clone(s.distances)
	if s.passes == 0 {
		return out
	}
	for j := range out {
		atoms, _ := s.Γ.Column(j)
		if slices.ContainsFunc(atoms, func(a int32) bool { return s.stale[a] }) {
			out[j] = s.energy[j]
		}
	}
	return out
}

// Resume continues a fit of the same samples that was interrupted: codes, K×N, and errors, len
// N, are the Codes and Errors of the earlier learner. s must have been started from the
// Dictionary of the earlier learner.
func (s *KSVDLearner) Resume(codes *mat.Dense, errors []float64) {
	k, n := codes.Dims()
	s.next = coding.SparseCodes{First: []int{0}}
	for j := range n {
		for a := range k {
			if v := codes.At(a, j); v != 0 {
				s.next.Atom, s.next.Coef = append(s.next.Atom, int32(a)), append(s.next.Coef, v)
			}
		}
		s.next.First = append(s.next.First, len(s.next.Atom))
	}
	s.rebuild(0, n)
	s.choose()
	copy(s.distances, errors)
	s.passes = 1
}

// KSVDLearner is the state of KSVD. It holds atoms and residuals as rows, so that each lies
// in one piece.
type KSVDLearner struct {
	KSVD
	first  *mat.Dense                    // d×K, the atoms of the start at norm 1
	ctx    context.Context               // ends a pass half-way
	expand func(d *mat.Dense) *mat.Dense // takes atoms from the coordinates of X and D back

	X *mat.Dense         // d×N
	D *mat.Dense         // Dᵀ, K×d
	Γ coding.SparseCodes // K×N
	E *mat.Dense         // (X − DΓ)ᵀ, N×d

	energy    []float64          // ‖x_j‖², len N
	distances []float64          // ‖x_j − Dγ_j‖², len N
	next      coding.SparseCodes // the codes that the pursuit finds
	fixed     []bool             // samples that keep their codes, len N
	stale     []bool             // atoms that the pass before replaced, len K
	users     users              // of each atom
	fresh     []float64          // a renewed atom, len d

	passes, replacements, oldCodes int
}

func newKSVDLearner(ctx context.Context, k KSVD, x, d0 *mat.Dense) (*KSVDLearner, error) {
	if err := cmp.Or(k.Validate(), alike(x, d0)); err != nil {
		return nil, err
	}
	_, n := x.Dims()
	_, atoms := d0.Dims()
	if err := learnable(x); err != nil {
		return nil, err
	}
	unit, err := unitAtoms(d0)
	if err != nil {
		return nil, err
	}
	x, d0, expand := Compress(x, unit)
	d, _ := x.Dims()
	s := &KSVDLearner{
		KSVD: k, first: unit, ctx: ctx, expand: expand, X: x, D: transposed(d0), E: mat.NewDense(n, d, nil),
		energy: make([]float64, n), distances: make([]float64, n), fixed: make([]bool, n),
		stale: make([]bool, atoms), fresh: make([]float64, d),
	}
	lin.SquaredColumnNorms(s.energy, x)
	return s, nil
}

func (s *KSVDLearner) Step() (residual float64, err error) {
	if err := s.code(); err != nil {
		return 0, err
	}
	s.users.find(&s.Γ, len(s.stale))
	for a := range s.stale {
		if s.ctx.Err() != nil {
			return 0, context.Cause(s.ctx)
		}
		s.renew(a)
	}
	s.measure()
	s.replace()
	s.passes++
	var rest, whole float64
	for j, v := range s.distances {
		rest, whole = rest+v, whole+s.energy[j]
	}
	if whole == 0 {
		return 0, nil
	}
	return math.Sqrt(rest / whole), nil
}

// Largest implements classify.Stepper: the atoms have norm 1.
func (s *KSVDLearner) Largest() float64 { return 0 }

func (s *KSVDLearner) Objective() []classify.Term {
	var rest float64
	for _, v := range s.distances {
		rest += v
	}
	return []classify.Term{
		{Name: "error", Value: rest},
		{Name: "nonzeros", Value: float64(len(s.Γ.Atom)) / float64(len(s.distances)), Info: true},
		{Name: "replaced", Value: float64(s.replacements), Info: true},
		{Name: "kept", Value: float64(s.oldCodes), Info: true},
	}
}

// outside is the part of a unit atom outside the span of the samples that is
// rounding.
const outside = 1e-13

// Compress returns the samples x, d×N, and the atoms d0, d×K, of norm 1 or 0, in
// the coordinates of a space that holds them, where these are fewer than d, and
// expand, which takes atoms back; else x and d0 themselves. Inner products, and
// so every update of K-SVD, are the same in both. Learn does this of its own
// accord, but cannot where rows that are no combination of the others, such as
// labels, are stacked below.
func Compress(x, d0 *mat.Dense) (xs, ds *mat.Dense, expand func(atoms *mat.Dense) *mat.Dense) {
	d, n := x.Dims()
	_, k := d0.Dims()
	same := func(atoms *mat.Dense) *mat.Dense { return atoms }
	if n >= d {
		return x, d0, same
	}
	both := mat.NewDense(d, n+k, nil)
	lin.Set(lin.Cols(both, 0, n), 1, x)
	lin.Set(lin.Cols(both, n, n+k), 1, d0)
	qr := lin.FactorQR(both)
	r := qr.R()
	rows, _ := r.Dims()
	size := n // of the coordinates: the atoms may lie in the span of the samples
	for i := n; i < rows && size == n; i++ {
		for _, v := range r.RawRowView(i)[n:] {
			if math.Abs(v) > outside {
				size = rows
			}
		}
	}
	if size == d {
		return x, d0, same
	}
	return mat.DenseCopyOf(lin.Block(r, 0, size, 0, n)), mat.DenseCopyOf(lin.Block(r, 0, size, n, n+k)), qr.Q
}
