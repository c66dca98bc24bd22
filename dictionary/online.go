package dictionary

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/internal/lin"
)

// Online learns a dictionary from small batches of samples [odl]:
//
//	min_D  1/N Σ_j min_s ½‖x_j − D·s‖² + ψ(s)   s.t. ‖d_k‖ ≤ 1 for every atom k
//
// where ψ is what the coder adds, λ‖s‖₁ by default. A batch is coded over the
// present D; then D is improved for the codes of all samples so far, of which
// it needs only
//
//	A = Σ_j w_j·s_js_jᵀ,   B = Σ_j w_j·x_js_jᵀ
//
// so that memory does not grow with N. Codes of a worse, earlier D count less:
// before a batch of η samples is added as number T−η+1 … T, A and B are scaled
// by β = (1 − η/T)^ρ.
//
// The scale of the samples matters, as λ does not follow it: bring them to unit
// norm (classify.Unit) or choose λ for theirs. With a pursuit as the coder K-SVD
// finds more in as many passes; Online then is for samples that do not fit.
type Online struct {
	Coder  coding.Coder `json:"coder" help:"how samples are coded; one that needs no classes" eq:"[odl] (2)"`
	Batch  int          `json:"batch" help:"η, samples a batch, the last one the rest; ≥ 1" eq:"[odl] 3.4.3"`
	Passes int          `json:"passes" help:"passes over the samples, each in an order of its own"`
	Rho    float64      `json:"rho" help:"ρ ≥ 0, how fast earlier codes are forgotten; 0 keeps all" eq:"[odl] 3.4.2"`
	Sweeps int          `json:"sweeps" help:"updates of each atom a batch; ≥ 1" eq:"[odl] alg. 2"`
	Idle   int          `json:"idle" help:"an atom that so many batches in a row do not use is replaced by a sample; 0 replaces none" eq:"[odl] 3.4.5"`
	Tol    float64      `json:"tol" help:"converged when the mean change of an atom in a pass is below it; 0 makes all passes"`

	NonNegative bool `json:"-"` // D ≥ 0
}

// allowed returns a, or its part ≥ 0.
func (o Online) allowed(a *mat.Dense) *mat.Dense {
	if o.NonNegative {
		a = mat.DenseCopyOf(a)
		a.Apply(func(_, _ int, v float64) float64 { return max(0, v) }, a)
	}
	return a
}

// DefaultOnline makes one sweep a batch, as [odl] does. Its ρ is one with which
// faces and patches of them have a low objective after five passes: with ρ = 0
// it is 1 % higher.
var DefaultOnline = Online{Coder: coding.DefaultLasso, Batch: 256, Passes: 10, Rho: 5, Sweeps: 1, Idle: 10}

// Validate reports the first parameter that is outside its range.
func (o Online) Validate() error {
	switch {
	case o.Coder == nil:
		return errors.New("the coder is missing")
	case o.Batch < 1:
		return fmt.Errorf("batch = %d is not ≥ 1", o.Batch)
	case o.Passes < 0:
		return fmt.Errorf("passes = %d is negative", o.Passes)
	case !(o.Rho >= 0) || math.IsInf(o.Rho, 1):
		return fmt.Errorf("rho = %v is not a number ≥ 0", o.Rho)
	case o.Sweeps < 1:
		return fmt.Errorf("sweeps = %d is not ≥ 1", o.Sweeps)
	case o.Idle < 0:
		return fmt.Errorf("idle = %d is negative", o.Idle)
	case !(o.Tol >= 0):
		return fmt.Errorf("tol = %v is not ≥ 0", o.Tol)
	}
	return o.Coder.Validate()
}

// Learn learns from the samples x, d×N, at their own scale, starting from the
// directions of the atoms d0, d×K; both stay as they are. It returns a new D,
// d×K, the same for any number of threads. run.Seed orders the samples; equal
// seeds give equal dictionaries. run.Watch sees each pass: its residual is the
// mean change of an atom, √(‖ΔD‖²/K), and its terms are those of Learner.Terms.
//
// It returns an error if x or d0 is not finite, if the squares of x are out of range,
// if an atom of d0 is zero, or if the coder cannot code over K atoms. Once ctx is done Learn returns its cause, at
// the latest after the batch at hand.
func (o Online) Learn(ctx context.Context, x, d0 *mat.Dense, run classify.Run) (*mat.Dense, classify.Outcome, error) {
	l, err := o.Start(d0)
	if err != nil {
		return nil, classify.Outcome{}, err
	}
	if err := l.check(x); err != nil {
		return nil, classify.Outcome{}, fmt.Errorf("learn a dictionary: %w", err)
	}
	d, k := l.d.Dims()
	_, n := x.Dims()
	s := &onlinePasses{
		ctx: ctx, Learner: l, x: x, seed: run.Seed, previous: mat.NewDense(d, k, nil),
		batch: mat.NewDense(d, min(n, o.Batch), nil),
	}
	out, err := classify.Iterate(ctx, s, classify.Limits{Passes: o.Passes, Tol: o.Tol}, run.Watch)
	if err != nil {
		return nil, out, fmt.Errorf("learn a dictionary: %w", err)
	}
	return l.Dictionary(), out, nil
}

// onlinePasses steps a Learner through samples that are all there.
type onlinePasses struct {
	*Learner
	ctx      context.Context
	x        *mat.Dense
	seed     uint64
	pass     uint64
	previous *mat.Dense // D before the pass
	batch    *mat.Dense
}

func (s *onlinePasses) Step() (float64, error) {
	s.previous.Copy(s.d)
	_, n := s.x.Dims()
	for at := order(n, s.seed, s.pass); len(at) > 0; {
		η := min(len(at), s.param.Batch)
		batch := lin.Cols(s.batch, 0, η)
		lin.Gather(batch, s.x, at[:η])
		if err := s.add(s.ctx, batch); err != nil {
			return 0, err
		}
		at = at[η:]
	}
	s.pass++
	_, k := s.d.Dims()
	s.previous.Sub(s.previous, s.d)
	return math.Sqrt(lin.SquaredNorm(s.previous) / float64(k)), nil
}

func (s *onlinePasses) Objective() []classify.Term { return s.Terms() }

// Largest implements classify.Stepper: atoms have at most norm 1.
func (s *onlinePasses) Largest() float64 { return 0 }

// Start returns a Learner for samples that come batch by batch, for example because they do
// not fit into memory. Passes and Tol are not used. It starts from the directions of the atoms
// d0, d×K, which it copies. The errors are those of Learn.
func (o Online) Start(d0 *mat.Dense) (*Learner, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("learn a dictionary: %w", err)
	}
	if d0 == nil {
		return nil, errors.New("learn a dictionary: no first atoms")
	}
	d, k := d0.Dims()
	if err := coding.Check(o.Coder, d, k); err != nil {
		return nil, fmt.Errorf("learn a dictionary of %d atoms: %w", k, err)
	}
	u, err := unitAtoms(o.allowed(d0))
	if err != nil {
		return nil, fmt.Errorf("learn a dictionary: %w", err)
	}
	return newLearner(o, u), nil
}
