package coding

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/internal/parallel"
)

// reweighted codes by rounds of
//
//	w = weights of r,   s = (DᵀWD + αI)⁻¹DᵀWy,   r = y − D·s,   W = diag(w)
//
// and by a last w of the last r for the errors.
type reweighted struct {
	robust
	pool sync.Pool // of *reweightedState
}

var (
	_ Detailed = (*huber)(nil)
	_ Detailed = (*reweighted)(nil)
)

// A reweightedState is for one column.
type reweightedState struct {
	y, r, w []float64  // len d
	wd, wy  *mat.Dense // √W·D, d×K, and √W·y, d×1
	g, s    *mat.Dense // DᵀWD + αI, K×K, and s, K×1
	gram    lin.SPD
}

func (c *reweighted) state() *reweightedState {
	if s, ok := c.pool.Get().(*reweightedState); ok {
		return s
	}
	d, k := c.d.Dims()
	return &reweightedState{
		make([]float64, d), make([]float64, d), make([]float64, d),
		mat.NewDense(d, k, nil), mat.NewDense(d, 1, nil), mat.NewDense(k, k, nil), mat.NewDense(k, 1, nil),
		lin.SPD{},
	}
}

func (c *reweighted) Code(ctx context.Context, s, y *mat.Dense) error {
	return c.CodeWith(ctx, Details{S: s}, y)
}

func (c *reweighted) CodeWith(ctx context.Context, out Details, y *mat.Dense) error {
	s, e, n, err := c.outputs(out, y)
	if err != nil {
		return err
	}
	if err := lin.Finite("column", y); err != nil {
		return fmt.Errorf("robust code: %w", err)
	}
	var once sync.Once
	var failed error
	parallel.For(n, 1, func(j, _ int) {
		if ctx.Err() != nil {
			return
		}
		state := c.state()
		defer c.pool.Put(state)
		mat.Col(state.y, j, y)
		if err := c.solve(ctx, state); err != nil {
			once.Do(func() { failed = err })
			return
		}
		s.SetCol(j, state.s.RawMatrix().Data)
		if e != nil {
			e.SetCol(j, c.errors(state))
		}
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if failed != nil {
		return failed
	}
	return lin.Finite("the robust code of column", s)
}

// solve finds s and r of the sample y of state.
func (c *reweighted) solve(ctx context.Context, state *reweightedState) error {
	if isZero(state.y) {
		state.s.Zero()
		clear(state.r)
		return nil
	}
	c.start(state.r, state.y)
	for range c.Rounds {
		if ctx.Err() != nil {
			return nil // which CodeWith reports
		}
		if !finite(state.r) {
			return errors.New("robust code: the residual is not finite")
		}
		c.weigh(state.w, state.r)
		for i, w := range state.w {
			root := math.Sqrt(w)
			state.wy.Set(i, 0, root*state.y[i])
			row := state.wd.RawRowView(i)
			for k, v := range c.d.RawRowView(i) {
				row[k] = root * v
			}
		}
		lin.AtA(state.g, 1, state.wd) // DᵀWD
		lin.AddDiag(state.g, c.L2)    // DᵀWD + αI
		if _, err := state.gram.FactorOrRidge(state.g); err != nil {
			return fmt.Errorf("factor DᵀWD + αI of the robust coder: %w", err)
		}
		lin.AtB(state.s, 1, state.wd, state.wy) // DᵀWy
		state.gram.Solve(state.s)
		c.residual(state.r, state.y, state.s.RawMatrix().Data)
	}
	return nil
}

// weigh writes the weights of the residual r into w.
func (c *reweighted) weigh(w, r []float64) {
	if c.Weights == HuberWeights {
		for i, v := range r {
			w[i] = min(1, c.λ/math.Abs(v))
		}
		return
	}
	for i, v := range r {
		w[i] = v * v
	}
	δ := nth(w, min(int(c.Quantile*float64(len(w))), len(w)-1))
	for i, v := range r {
		w[i] = 1 / (1 + math.Exp(c.Steepness*(part(v*v, δ)-1)))
	}
}

// part is a/δ; where δ is 0, what is 0 too is no part of it.
func part(a, δ float64) float64 {
	if a == 0 {
		return 0
	}
	return a / δ
}

// errors returns the errors: what soft leaves of r, which is (1 − w)·r, for the
// Huber weights, and for the logistic ones the residuals of the features that
// have less than half of their weight.
func (c *reweighted) errors(state *reweightedState) []float64 {
	if c.Weights == HuberWeights {
		soft(state.r, c.λ)
		return state.r
	}
	c.weigh(state.w, state.r)
	for i, w := range state.w {
		if w >= 0.5 {
			state.r[i] = 0
		}
	}
	return state.r
}
