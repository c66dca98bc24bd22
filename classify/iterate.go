package classify

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
)

// A Stepper is the state of an iterative learner.
type Stepper interface {
	// Step makes one pass of the updates and returns the quantity that the
	// stopping test compares with the tolerance.
	Step() (residual float64, err error)

	// Objective returns the terms of the objective at the current iterate, and
	// other quantities for the trace. It changes nothing.
	Objective() []Term

	// Largest returns the largest magnitude of an element of the iterate. A value above
	// DivergenceBound is a divergence; 0 leaves that test out.
	Largest() float64
}

// A Term is one named number of a trace.
type Term struct {
	Name  string
	Value float64
	Info  bool // not a part of the objective: a norm, a count, a penalty
}

// Total returns the objective: the sum of the terms that are parts of it.
func Total(terms []Term) (sum float64) {
	for _, t := range terms {
		if !t.Info {
			sum += t.Value
		}
	}
	return sum
}

// Limits say when an iteration ends.
type Limits struct {
	Passes int     // at most
	Tol    float64 // converged when the residual is below it
}

// A Watch is called after every pass. It does not affect the result.
type Watch func(Progress)

// Progress is the state of an iteration after a pass.
type Progress struct {
	Iter     int // passes done, from 1
	Residual float64
	Limits   Limits
	Terms    func() []Term // computes the terms of the objective on demand; valid during the call
}

// A Status says why an iteration ended.
type Status string

// The ways in which an iteration ends without an error.
const (
	ClosedForm Status = "closed-form" // nothing to iterate
	Converged  Status = "converged"   // the residual is below the tolerance
	Exhausted  Status = "exhausted"   // the limit of passes was reached first
	Complete   Status = "complete"    // all passes were made; the tolerance is 0
	Stopped    Status = "stopped"     // the caller ended it before any of these
)

// An Outcome says how a fit ended; it is stored in the model.
type Outcome struct {
	Status   Status  `json:"status"`   // how the learning ended
	Iter     int     `json:"iter"`     // passes
	Residual float64 `json:"residual"` // value of the stopping test
}

// ErrDiverged is returned, wrapped with the pass, when an iterate is not finite
// or exceeds DivergenceBound.
var ErrDiverged = errors.New("diverged")

// DivergenceBound is the largest magnitude that an element of a learned matrix
// may have. In a successful fit, elements are of the order of unit-norm samples
// and of labels.
const DivergenceBound = 1e6

// Iterate steps s until the residual is below lim.Tol or lim.Passes is reached;
// with lim.Tol = 0 it makes all passes. It returns the error of ctx after the
// pass in which ctx ends, and ErrDiverged if a residual is not finite or
// s.Largest exceeds DivergenceBound.
func Iterate(ctx context.Context, s Stepper, lim Limits, w Watch) (Outcome, error) {
	last := Outcome{Status: lim.last(), Residual: math.Inf(1)}
	for out, err := range passes(ctx, s, lim) {
		if err != nil {
			return out, err
		}
		if w != nil {
			w(Progress{Iter: out.Iter, Residual: out.Residual, Limits: lim, Terms: s.Objective})
		}
		last = out
	}
	return last, nil
}

// last is how an iteration ends that makes all passes.
func (l Limits) last() Status {
	if l.Tol == 0 {
		return Complete
	}
	return Exhausted
}

// passes makes the passes of Iterate, one for each turn of a loop: the status is Stopped
// before the last one.
func passes(ctx context.Context, s Stepper, lim Limits) iter.Seq2[Outcome, error] {
	return func(yield func(Outcome, error) bool) {
		out := Outcome{Status: Stopped, Residual: math.Inf(1)}
		for out.Iter < lim.Passes {
			err := out.pass(ctx, s)
			switch {
			case err != nil:
			case out.Residual < lim.Tol:
				out.Status = Converged
			case out.Iter == lim.Passes:
				out.Status = lim.last()
			}
			if !yield(out, err) || err != nil || out.Status != Stopped {
				return
			}
		}
	}
}

// pass makes one pass of s.
func (o *Outcome) pass(ctx context.Context, s Stepper) error {
	if err := context.Cause(ctx); err != nil {
		return fmt.Errorf("stopped after pass %d: %w", o.Iter, err)
	}
	r, err := s.Step()
	o.Iter++
	if err != nil {
		return fmt.Errorf("pass %d: %w", o.Iter, err)
	}
	o.Residual = r
	if math.IsNaN(r) || math.IsInf(r, 0) {
		return fmt.Errorf("%w in pass %d: residual %v", ErrDiverged, o.Iter, r)
	}
	if v := s.Largest(); !(v <= DivergenceBound) {
		return fmt.Errorf("%w in pass %d: an element is %.3g", ErrDiverged, o.Iter, v)
	}
	return nil
}
