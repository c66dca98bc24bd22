package classify

import (
	"context"
	"errors"
	"fmt"
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
}

// A Term is one named number of a trace.
type Term struct {
	Name  string
	Value float64
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
)

// An Outcome says how a fit ended; it is stored in the model.
type Outcome struct {
	Status   Status  `json:"status"`
	Iter     int     `json:"iter"`
	Residual float64 `json:"residual"`
}

// ErrDiverged is returned, wrapped with the pass, when an iterate is not finite
// or exceeds DivergenceBound.
var ErrDiverged = errors.New("diverged")

// DivergenceBound is the largest magnitude that an element of a learned matrix
// may have. In a successful fit, elements are of the order of unit-norm samples
// and of labels.
const DivergenceBound = 1e6

// A Bounded Stepper reports the largest magnitude of an element of its iterate.
// A value above DivergenceBound is a divergence.
type Bounded interface{ Largest() float64 }

// Iterate steps s until the residual is below lim.Tol or lim.Passes is reached;
// with lim.Tol = 0 it makes all passes. It returns the error of ctx after the
// pass in which ctx ends, and ErrDiverged if a residual is not finite or a
// Bounded Stepper exceeds DivergenceBound.
func Iterate(ctx context.Context, s Stepper, lim Limits, w Watch) (Outcome, error) {
	out := Outcome{Status: Exhausted, Residual: math.Inf(1)}
	if lim.Tol == 0 {
		out.Status = Complete
	}
	for out.Iter < lim.Passes {
		if err := context.Cause(ctx); err != nil {
			return out, fmt.Errorf("stopped after pass %d: %w", out.Iter, err)
		}
		r, err := s.Step()
		out.Iter++
		if err != nil {
			return out, fmt.Errorf("pass %d: %w", out.Iter, err)
		}
		out.Residual = r
		if math.IsNaN(r) || math.IsInf(r, 0) {
			return out, fmt.Errorf("%w in pass %d: residual %v", ErrDiverged, out.Iter, r)
		}
		if b, ok := s.(Bounded); ok {
			if v := b.Largest(); !(v <= DivergenceBound) {
				return out, fmt.Errorf("%w in pass %d: an element is %.3g", ErrDiverged, out.Iter, v)
			}
		}
		if w != nil {
			w(Progress{Iter: out.Iter, Residual: r, Limits: lim, Terms: s.Objective})
		}
		if r < lim.Tol {
			out.Status = Converged
			break
		}
	}
	return out, nil
}
