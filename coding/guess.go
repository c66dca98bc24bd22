package coding

import (
	"context"
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/internal/parallel"
)

// A guess finds which atoms a code under an ℓ1 penalty about has, and with which
// signs, for pivoting to start from: P has then hundreds of atoms after one
// factorisation, where from P = ∅ it takes ten. It makes guessSteps steps of the
// method of multipliers [admm] on the splitting s = z, over-relaxed by ω, of all columns
// at once, from z = u = 0:
//
//	s = (G + ρI)⁻¹(f + ρ(z − u))
//	x = ωs + (1 − ω)z + u
//	u = clip(x, λ/ρ),  z = x − u
//
// with z ≥ 0 where that is asked for. Nothing depends on its accuracy.
type guess struct {
	inverse *mat.Dense // (G + ρI)⁻¹, K×K
	t       []float64  // λ/ρ in the units of the scaled atoms, len K
	signed  bool
	pool    sync.Pool // of *starts
}

// The time depends on these, the result by rounding errors only.
const (
	guessSteps = 8
	guessRho   = 0.05 // ρ for atoms of norm 1
	guessOver  = 1.6  // ω

	// guessFrom is the ‖Dᵀy‖∞/λ from which a code has so many atoms that the
	// steps take less time than they save.
	guessFrom = 200

	// guessWide is the K/d from which the inverse takes longer than it is worth.
	guessWide = 2
)

// newGuess returns nil where there is to be no guess.
func (e *exact) newGuess() *guess {
	d, k := e.d.Dims()
	if e.gap == 0 || k > guessWide*d {
		return nil
	}
	a := mat.DenseCopyOf(e.gram)
	lin.AddDiag(a, guessRho)
	var spd lin.SPD
	if spd.Factor(a) != nil {
		return nil
	}
	g := &guess{inverse: mat.NewDense(k, k, nil), t: make([]float64, k), signed: e.signed}
	lin.AddDiag(g.inverse, 1)
	spd.Solve(g.inverse) // (G + ρI)⁻¹
	for k, scale := range e.scale {
		g.t[k] = e.λ / scale / guessRho
	}
	return g
}

// starts are the guesses for some columns, a row each; nil is none.
type starts struct {
	guess   *guess
	rows    []int      // the row of every column, −1 for none
	x, s, b *mat.Dense // z at the end; s; f + ρ(z − u)
}

// of returns the guess for column j, nil if there is none.
func (a *starts) of(j int) []float64 {
	if a == nil || a.rows[j] < 0 {
		return nil
	}
	if z := a.x.RawRowView(a.rows[j]); finite(z) {
		return z
	}
	return nil
}

// free ends the use of a.
func (a *starts) free() {
	if a != nil {
		a.guess.pool.Put(a)
	}
}

// starts makes guesses for the columns whose f = D̂ᵀy are rows.
func (e *exact) starts(ctx context.Context, rows *mat.Dense) *starts {
	if e.gap == 0 {
		return nil
	}
	n, k := rows.Dims()
	at, chosen := make([]int, n), []int{}
	for j := range n {
		var largest float64
		for k, v := range rows.RawRowView(j) {
			largest = max(largest, math.Abs(v)*e.scale[k])
		}
		at[j] = -1
		if largest >= guessFrom*e.λ {
			at[j] = len(chosen)
			chosen = append(chosen, j)
		}
	}
	if len(chosen) == 0 {
		return nil
	}
	g := e.guess()
	if g == nil {
		return nil
	}
	a, ok := g.pool.Get().(*starts)
	if !ok || a.x.RawMatrix().Rows < len(chosen) {
		a = &starts{g, nil, mat.NewDense(n, k, nil), mat.NewDense(n, k, nil), mat.NewDense(n, k, nil)}
	}
	a.rows = at
	g.steps(ctx, a, rows, chosen)
	return a
}

// guessRows is how many columns a thread takes.
const guessRows = 128

// steps makes the steps of guess for the chosen rows.
func (g *guess) steps(ctx context.Context, a *starts, rows *mat.Dense, chosen []int) {
	_, k := rows.Dims()
	parallel.For(len(chosen), guessRows, func(lo, hi int) {
		s, b := lin.Block(a.s, lo, hi, 0, k), lin.Block(a.b, lo, hi, 0, k)
		for i := lo; i < hi; i++ {
			clear(a.x.RawRowView(i))
			copy(a.b.RawRowView(i), rows.RawRowView(chosen[i]))
		}
		for step := 0; step < guessSteps && ctx.Err() == nil; step++ {
			lin.AB(s, 1, b, g.inverse) // s = (G + ρI)⁻¹(f + ρ(z − u))
			for i := lo; i < hi; i++ {
				g.shrink(a.x.RawRowView(i), a.s.RawRowView(i), a.b.RawRowView(i), rows.RawRowView(chosen[i]))
			}
		}
		for i := lo; i < hi; i++ {
			g.end(a.x.RawRowView(i))
		}
	})
}

// shrink: x = ωs + (1 − ω)z + u,  b = f + ρ(z − u)
func (g *guess) shrink(x, s, b, f []float64) {
	for k, v := range x {
		u := g.clip(k, v)
		v = guessOver*s[k] + (1-guessOver)*(v-u) + u
		x[k] = v
		b[k] = f[k] + guessRho*(v-2*g.clip(k, v)) // z − u = x − 2u
	}
}

// end: z = x − u
func (g *guess) end(x []float64) {
	for k, v := range x {
		x[k] = v - g.clip(k, v)
	}
}

// clip is the u of x, at most λ/ρ.
func (g *guess) clip(k int, x float64) float64 {
	if g.signed {
		return min(g.t[k], max(-g.t[k], x))
	}
	return min(g.t[k], x)
}
