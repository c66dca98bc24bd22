package method

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
)

// conjugateGradients solves J·A = B with A = γL + μI for all rows of B at once. A row of
// ones spans the null space of L: its part is solved exactly, by 1/μ, and the rest among
// the rows whose mean is 0, where the system is well conditioned whatever μ, since the
// other eigenvalues of L lie near the degrees z, which differ little.
type conjugateGradients struct {
	apply func(dst, a *mat.Dense) // dst = a·A
	p, ap *mat.Dense              // C×N
}

// The iteration ends when every row's residual is this much smaller than its
// right-hand side; by then it is dominated by rounding. The limit is generous:
// 10 to 20 are needed.
const (
	cgTolerance = 1e-14
	cgLimit     = 500
)

// solve writes the solution into j, from what it holds, and uses b up.
func (q *conjugateGradients) solve(j, b *mat.Dense, μ float64) error {
	c, n := b.Dims()
	if q.p == nil {
		q.p, q.ap = mat.NewDense(c, n, nil), mat.NewDense(c, n, nil)
	}
	q.p.Zero()
	rows := make([]gradientRow, c)
	for i := range rows {
		r := b.RawRowView(i)
		size := dot(r, r)
		rows[i] = gradientRow{target: cgTolerance * cgTolerance * size, mean: center(r)}
		if center(j.RawRowView(i)); size == 0 {
			clear(j.RawRowView(i))
		}
	}
	q.apply(q.ap, j)
	lin.Add(b, -1, q.ap)
	for i := range rows {
		rows[i].norm = dot(b.RawRowView(i), b.RawRowView(i))
	}
	if err := q.iterate(j, b, rows); err != nil {
		return err
	}
	for i, row := range rows {
		to := j.RawRowView(i)
		for u := range to {
			to[u] += row.mean / μ
		}
	}
	return nil
}

// iterate improves j, of which r are the residuals, until every row is solved.
func (q *conjugateGradients) iterate(j, r *mat.Dense, rows []gradientRow) error {
	for range cgLimit {
		active := false
		for _, row := range rows {
			active = active || row.norm > row.target
		}
		if !active {
			return nil
		}
		for i := range rows {
			rows[i].turn(q.p.RawRowView(i), r.RawRowView(i))
		}
		q.apply(q.ap, q.p)
		for i := range rows {
			rows[i].advance(j.RawRowView(i), q.p.RawRowView(i), r.RawRowView(i), q.ap.RawRowView(i))
		}
	}
	return fmt.Errorf("conjugate gradients did not converge in %d iterations", cgLimit)
}

// A gradientRow is what the conjugate gradients of a row know.
type gradientRow struct {
	mean     float64 // of the right-hand side
	target   float64 // ‖r‖² at which the row is solved
	norm     float64 // ‖r‖²
	previous float64 // ‖r‖² of the last step; 0 before the first
}

// turn makes p the direction in which x goes next.
func (w *gradientRow) turn(p, r []float64) {
	if !(w.norm > w.target) {
		clear(p)
		return
	}
	turn := 0.0
	if w.previous > 0 {
		turn = w.norm / w.previous
	}
	w.previous = w.norm
	for u, v := range r {
		p[u] = v + turn*p[u]
	}
}

// advance goes along p as far as it helps: x ← x + t·p, r ← r − t·ap.
func (w *gradientRow) advance(x, p, r, ap []float64) {
	if !(w.norm > w.target) {
		return
	}
	step := w.norm / dot(p, ap)
	for u, v := range p {
		x[u] += step * v
		r[u] -= step * ap[u]
	}
	center(r)
	w.norm = dot(r, r)
}

// dot returns ⟨a, b⟩.
func dot(a, b []float64) float64 {
	var sum float64
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
