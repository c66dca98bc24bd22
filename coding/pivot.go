package coding

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	fast "nrdl/internal/blas"
)

// pivoting is block principal pivoting [bpp], [kp] on the conditions
//
//	w = Gs − f,   s ≥ 0,   w ≥ 0,   s_k·w_k = 0
//
// of min ½sᵀGs − fᵀs s.t. s ≥ 0, for one f at a time. A passive set P holds
// s_P = G_PP⁻¹f_P and w_P = 0; outside it s = 0. A round takes the atoms with
// s_k < 0 out of P and puts atoms with w_k < 0 in.
//
// Two things differ from [bpp]. P starts empty and a round puts in no more
// than the enterFirst + |P|/enterPart atoms of the least w: faces are so alike
// that at the start w_k < 0 for every atom, of which a few dozen remain. And
// against cycling that number is halved every enterHalve rounds, down to 1. A
// problem that takes maxRounds all the same, or late loses a large part of P at
// once, is left to descent.
type pivoting struct {
	*gradient
	k       int
	in      []bool // is in P, len K
	refused []bool // depends on P or on a part of it, len K

	passive []int     // P in the order of the factor
	s       []float64 // s_P in this order
	r       []float64 // R: RᵀR = G_PP, in the upper triangle of rows of stride
	stride  int
	u       []float64 // R⁻ᵀf_P

	shift       float64   // δ of descent, else 0
	lastPassive []int     // P of the round before this one
	lastS       []float64 // s_P of that round

	enter []int // the atoms that enter next
	kept  []int // scratch of capacity K, as least
	least []float64
}

const (
	// The time depends on these, the result does not.
	enterFirst, enterPart, enterHalve = 8, 4, 16
	maxRounds                         = 100 // several times what faces take

	// From this round on, P with more than one part in collapsePart negative is
	// left to descent. Faces settle before.
	collapseRound, collapsePart = 24, 6

	// dependent is the squared distance of an atom of norm 1 from the span of
	// others below which G cannot tell that the atom is not in it.
	dependent = 1e-12

	// negligible is the violation of w ≥ 0, f being near 1, that is not worth a
	// round.
	negligible = 1e-11

	// roundOff bounds the error that rounding leaves in w for ‖s‖₁ = 1.
	roundOff = 1e-14
)

func newPivoting(g *mat.Dense) *pivoting {
	k, _ := g.Dims()
	return &pivoting{
		gradient: newGradient(g.RawMatrix()), k: k,
		in: make([]bool, k), refused: make([]bool, k),
		passive: make([]int, 0, k), s: make([]float64, 0, k), u: make([]float64, 0, k),
		enter: make([]int, 0, k), kept: make([]int, 0, k), least: make([]float64, 0, k),
	}
}

// solve finds P and s_P for f, whose largest magnitude is near 1, and reports
// whether they satisfy the conditions within lim.
func (p *pivoting) solve(ctx context.Context, f []float64, lim *limits) bool {
	p.start(f)
	for round := range maxRounds {
		if ctx.Err() != nil {
			return false
		}
		if round >= collapseRound && p.collapsed() {
			return false // the last good P is kept for descent
		}
		p.lastPassive, p.lastS = append(p.lastPassive[:0], p.passive...), append(p.lastS[:0], p.s...)
		first, fewer := p.drop()
		p.choose(lim, max(1, (enterFirst+len(p.passive)/enterPart)>>(round/enterHalve)))
		if !fewer && len(p.enter) == 0 {
			return p.optimal(f, lim)
		}
		kept := len(p.passive)
		p.passive = append(p.passive, p.enter...)
		for _, k := range p.enter {
			p.in[k] = true
			p.hold(k)
		}
		if !p.factor(first) {
			p.factorOneByOne(first, kept)
		}
		p.forward(f, first)
		p.backward()
		p.update(f, p.passive, p.s)
	}
	return false
}

// collapsed reports whether so much of s_P is negative that P is beyond mending
// by pivoting.
func (p *pivoting) collapsed() bool {
	negative := 0
	for _, v := range p.s {
		if v < 0 {
			negative++
		}
	}
	return negative*collapsePart > len(p.s)
}

// start sets P = ∅, s = 0, w = −f.
func (p *pivoting) start(f []float64) {
	clear(p.in)
	clear(p.refused)
	p.passive, p.s, p.u = p.passive[:0], p.s[:0], p.u[:0]
	p.lastPassive, p.lastS = p.lastPassive[:0], p.lastS[:0]
	p.gradient.start(f)
}

// drop takes the atoms with s_k < 0 out of P. It returns how many rows of R
// still hold, and whether there was such an atom.
func (p *pivoting) drop() (first int, fewer bool) {
	first = slices.IndexFunc(p.s, func(v float64) bool { return v < 0 })
	if first < 0 {
		return len(p.passive), false
	}
	clear(p.refused)
	kept := p.kept[:0] // the columns of R that stay, of those from first on
	for j := first; j < len(p.passive); j++ {
		if p.s[j] < 0 {
			p.in[p.passive[j]] = false
			p.release(p.passive[j])
		} else {
			kept = append(kept, j)
		}
	}
	for n, j := range kept {
		p.passive[first+n] = p.passive[j]
	}
	for i := range first {
		row := p.r[i*p.stride:]
		for n, j := range kept {
			row[first+n] = row[j]
		}
	}
	p.passive = p.passive[:first+len(kept)]
	return first, true
}

// choose collects in enter the atoms outside P that violate w ≥ 0 most, no
// more than most.
func (p *pivoting) choose(lim *limits, most int) {
	// The first loop has no branch that depends on w: half the time it would
	// be predicted wrongly.
	enter, n, floor := p.enter[:p.k], 0, -lim.floor(p.sum)
	for k, w := range p.w {
		enter[n] = k
		if w < floor {
			n++
		}
	}
	p.enter, p.least = enter[:0], p.least[:0]
	for _, k := range enter[:n] {
		if w := p.w[k]; !p.in[k] && !p.refused[k] && lim.violates(k, w) {
			p.enter = append(p.enter, k)
			p.least = append(p.least, w)
		}
	}
	if len(p.enter) <= most {
		return
	}
	last := nth(p.least, most-1)
	below := 0
	for _, v := range p.least[:most] {
		if v < last {
			below++
		}
	}
	equal, n := most-below, 0
	for _, k := range p.enter {
		if w := p.w[k]; w < last || w == last && equal > 0 {
			if w == last {
				equal--
			}
			p.enter[n] = k
			n++
		}
	}
	p.enter = p.enter[:n]
}

// factor continues R, whose rows before first hold, to all of P. It reports
// whether G_PP is positive definite beyond doubt.
func (p *pivoting) factor(first int) bool {
	n := len(p.passive)
	p.grow(n)
	for i, a := range p.passive {
		from, to := p.g.Data[a*p.g.Stride:], p.r[i*p.stride:]
		for j := max(i, first); j < n; j++ {
			to[j] = from[p.passive[j]]
		}
		if i >= first {
			to[i] += p.shift
		}
	}
	if first > 0 && first < n {
		beside := p.beside(first, n)
		blas64.Trsm(blas.Left, blas.Trans, 1, p.triangle(0, first), beside)
		blas64.Syrk(blas.Trans, -1, beside, 1, blas64.Symmetric{
			Uplo: blas.Upper, N: n - first, Stride: p.stride, Data: p.r[first*p.stride+first:],
		})
	}
	if first < n && !fast.Potrf(blas.Upper, n-first, p.r[first*p.stride+first:], p.stride) {
		return false
	}
	for i := first; i < n; i++ {
		if v := p.r[i*p.stride+i]; !(v*v >= dependent) {
			return false
		}
	}
	return true
}

// triangle is the rows and columns lo ≤ i < hi of R.
func (p *pivoting) triangle(lo, hi int) blas64.Triangular {
	return blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: hi - lo, Stride: p.stride, Data: p.r[lo*p.stride+lo:]}
}

// beside is the columns first ≤ j < n of the rows of R before first.
func (p *pivoting) beside(first, n int) blas64.General {
	return blas64.General{Rows: first, Cols: n - first, Stride: p.stride, Data: p.r[first:]}
}

// grow makes room for n rows in R.
func (p *pivoting) grow(n int) {
	if n <= p.stride {
		return
	}
	stride := min(p.k, 2*n+48)
	stride += 8 - stride%8 + stride/64%2*8 // no power of two, whose rows share cache lines
	r := make([]float64, stride*stride)
	for i := range p.stride {
		copy(r[i*stride:], p.r[i*p.stride:(i+1)*p.stride])
	}
	p.r, p.stride = r, stride
}

// factorOneByOne does what factor does but leaves atoms that depend on those
// before them out of P: most likely none of the first kept, which had a factor
// in the last round.
func (p *pivoting) factorOneByOne(first, kept int) {
	all := p.passive
	p.passive = all[:kept]
	if !p.factor(first) {
		kept = first
	}
	rest := all[kept:]
	p.passive = all[:kept]
	for _, k := range rest {
		n := len(p.passive)
		column := p.least[:n] // R⁻ᵀG_Pk
		for i, a := range p.passive {
			column[i] = p.g.Data[a*p.g.Stride+k]
		}
		p.solveRt(column, 0)
		distance := p.g.Data[k*p.g.Stride+k] - blas64.Dot(vector(column), vector(column))
		if !(distance >= dependent) {
			p.in[k], p.refused[k] = false, true
			p.release(k)
			continue
		}
		for i, v := range column {
			p.r[i*p.stride+n] = v
		}
		p.r[n*p.stride+n] = math.Sqrt(distance)
		p.passive = append(p.passive, k) // overwrites what rest is past
	}
}

// forward sets u = R⁻ᵀf_P; what is before first holds.
func (p *pivoting) forward(f []float64, first int) {
	n := len(p.passive)
	p.u = p.u[:n]
	for i := first; i < n; i++ {
		p.u[i] = f[p.passive[i]]
	}
	if first < n {
		rest := blas64.Vector{N: n - first, Inc: 1, Data: p.u[first:]}
		if first > 0 {
			blas64.Gemv(blas.Trans, -1, p.beside(first, n), blas64.Vector{N: first, Inc: 1, Data: p.u}, 1, rest)
		}
		p.solveRt(p.u, first)
	}
}

// solveRt sets the elements of b from first on to those of R⁻ᵀb, as if the
// rows of R before first were zero.
func (p *pivoting) solveRt(b []float64, first int) {
	for i := first; i < len(b); i++ {
		row := p.r[i*p.stride+i : i*p.stride+len(b)]
		b[i] /= row[0]
		blas64.Axpy(-b[i], vector(row[1:]), vector(b[i+1:]))
	}
}

// backward sets s = R⁻¹u.
func (p *pivoting) backward() {
	p.s = append(p.s[:0], p.u...)
	p.solveR(p.s)
}

// solveR sets b = R⁻¹b. Unlike gonum's Trsv it and solveRt are vectorised.
func (p *pivoting) solveR(b []float64) {
	for i := len(b) - 1; i >= 0; i-- {
		row := p.r[i*p.stride+i : i*p.stride+len(b)]
		b[i] = (b[i] - blas64.Dot(vector(row[1:]), vector(b[i+1:]))) / row[0]
	}
}

// optimal reports whether s and w satisfy all the conditions, after a step of
// iterative refinement if w_P is not small.
func (p *pivoting) optimal(f []float64, lim *limits) bool {
	for range 2 {
		var largest float64
		for _, k := range p.passive {
			largest = max(largest, math.Abs(p.w[k]))
		}
		if largest <= lim.floor(p.sum) {
			break
		}
		p.refine(f)
	}
	for i, k := range p.passive {
		if p.s[i] < 0 || lim.exceeds(k, math.Abs(p.w[k]), p.sum) {
			return false
		}
	}
	for k, w := range p.w {
		if lim.exceeds(k, -w, p.sum) {
			return false
		}
	}
	return lim.trusted(p.sum)
}

// refine adds R⁻¹R⁻ᵀ(f − Gs)_P to s.
func (p *pivoting) refine(f []float64) {
	n := len(p.passive)
	r := p.least[:n]
	for i, k := range p.passive {
		r[i] = -p.w[k]
	}
	p.solveRt(r, 0)
	p.solveR(r)
	for i, v := range r {
		p.s[i] += v
	}
	p.update(f, p.passive, p.s)
}
