package coding

import (
	"context"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/internal/parallel"
)

// robustChunk is how many columns huber works on together, each with its error
// of d features.
const robustChunk = 128

// huber codes by rounds of
//
//	b = 2/ρ·H·(Dᵀy − Dᵀe),   passes of admm on b,   e = soft(y − D·z, λ)
//
// The passes multiply all columns together; Dᵀe and D·z, one column after the
// other, take no more than the elements of e and z that are not 0, which are
// few.
type huber struct {
	robust
	admm *admm
	pool sync.Pool // of *huberState
}

// A huberState has a row for every column of y.
type huberState struct {
	admmState
	f, y, e *mat.Dense // Dᵀy, n×K; y and e, n×d
}

func (h *huber) state(n int) *huberState {
	s, ok := h.pool.Get().(*huberState)
	if !ok || s.f.RawMatrix().Rows < n {
		d, k := h.d.Dims()
		s = &huberState{*h.admm.state(n), mat.NewDense(n, k, nil), mat.NewDense(n, d, nil), mat.NewDense(n, d, nil)}
	}
	return s
}

// first views the first n rows of every matrix of s.
func (s *huberState) first(n int) huberState {
	_, d := s.e.Dims()
	_, k := s.f.Dims()
	return huberState{s.admmState.first(n), lin.Block(s.f, 0, n, 0, k), lin.Block(s.y, 0, n, 0, d), lin.Block(s.e, 0, n, 0, d)}
}

func (h *huber) Code(ctx context.Context, s, y *mat.Dense) error {
	return h.CodeWith(ctx, Details{S: s}, y)
}

func (h *huber) CodeWith(ctx context.Context, out Details, y *mat.Dense) error {
	s, e, n, err := h.outputs(out, y)
	if err != nil {
		return err
	}
	state := h.state(min(n, robustChunk))
	defer h.pool.Put(state)
	for lo := 0; lo < n; lo += robustChunk {
		hi := min(n, lo+robustChunk)
		v := state.first(hi - lo)
		if err := h.solve(ctx, v, lin.Cols(y, lo, hi)); err != nil {
			return err
		}
		lin.Transpose(lin.Cols(s, lo, hi), v.x)
		lin.Clamp(lin.Cols(s, lo, hi), 0)
		if e != nil {
			lin.Transpose(lin.Cols(e, lo, hi), v.e)
		}
	}
	return lin.Finite("the robust code of column", s)
}

// solve codes the columns of y: into x, of which the code is the positive part,
// and e.
func (h *huber) solve(ctx context.Context, v huberState, y *mat.Dense) error {
	_, n := y.Dims()
	lin.Transpose(v.y, y)
	lin.AtB(v.f, 1, y, h.d) // (Dᵀy)ᵀ
	v.x.Zero()              // z = Δ = 0
	parallel.For(n, 1, func(j, _ int) {
		e := v.e.RawRowView(j)
		h.start(e, v.y.RawRowView(j))
		soft(e, h.λ)
		h.project(v, j)
	})
	for range h.Rounds {
		h.admm.target(v.admmState) // b = 2/ρ·H·Dᵀ(y − e)
		if err := h.admm.repeat(ctx, v.admmState, h.Passes); err != nil {
			return err
		}
		parallel.For(n, 1, func(j, _ int) {
			h.errors(v, j)
			h.project(v, j)
		})
	}
	return nil
}

// project sets row j of abs to Dᵀy − Dᵀe.
func (h *huber) project(v huberState, j int) {
	f := v.abs.RawRowView(j)
	copy(f, v.f.RawRowView(j))
	for i, err := range v.e.RawRowView(j) {
		if err != 0 {
			blas64.Axpy(-err, vector(h.d.RawRowView(i)), vector(f))
		}
	}
}

// errors sets row j of e to soft(y − D·z, λ).
func (h *huber) errors(v huberState, j int) {
	z, e := v.abs.RawRowView(j), v.e.RawRowView(j)
	for k, x := range v.x.RawRowView(j) {
		z[k] = max(0, x)
	}
	h.residual(e, v.y.RawRowView(j), z)
	soft(e, h.λ)
}
