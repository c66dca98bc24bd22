package coding

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// activeSet is the algorithm NNLS of [lh, 23.10] on the atoms themselves, with
// a QR factorisation D̂_P = QR by twice repeated Gram–Schmidt. It is slow, a
// pass over the dictionary for every atom that enters, and sure: every round
// lowers ‖y − D̂s‖, so no P comes twice, and it tells atoms apart that the Gram
// matrix cannot. An atom at a distance δ from the span of P is refused if
// δ‖y‖ is a fraction of the violation that is allowed: since |w_k| ≤ δ‖y‖,
// that costs no optimality, and it keeps codes from growing like 1/δ.
//
// With a penalty λ‖s‖₁ the solution over P is R⁻¹(Qᵀy − R⁻ᵀλ), atoms have the
// signs of pivoting (the factorisation holds −d̂_k for one whose sign is −1), and
// a dependent atom may be needed after all, since it costs less than the sum of
// atoms of P that it equals: exchange lets it in for one of these.
type activeSet struct {
	ctx      context.Context
	work     int            // how many atoms may still be orthogonalised
	budget   float64        // operations that the code may still take
	d        blas64.General // D̂, d×K
	y        []float64      // len d
	passive  []int          // P in the order of the factor
	q        []float64      // Qᵀ, a row of len d for every atom of P
	r        []float64      // R, upper triangle, rows of len K
	t        []float64      // R⁻ᵀλ
	z        []float64      // Qᵀy − t
	s        []float64      // s_P ≥ 0, magnitudes
	sign     []float64      // len K
	next     []float64      // R⁻¹z, or what takes the place of a dependent atom
	residual []float64      // y − D̂s, len d
	w        []float64      // −D̂ᵀrest, len K
	lim      limits
	free     []bool  // is neither in P nor refused, len K
	resolve  float64 // the largest δ at which an atom is refused
}

const (
	minResolved = 1e-13 // what rounding leaves of δ, for atoms of norm 1

	// minWork + workPerAtom·K atoms may be orthogonalised, for a column whose
	// code should take K of them and a few more.
	minWork, workPerAtom = 2000, 4
)

// lawsonHanson replaces f = D̂ᵀŷ by the scaled code of ŷ = y/2^exp.
func (e *exact) lawsonHanson(ctx context.Context, p *pivoting, f, y []float64, exp int, lim *limits) error {
	g := e.tall().RawMatrix()
	d, k := g.Rows, g.Cols
	limit := min(d, k) + 1
	a := &activeSet{
		ctx: ctx, work: minWork + workPerAtom*k, budget: p.budget, lim: *lim, sign: make([]float64, k),
		d: g, y: y, residual: make([]float64, d), w: make([]float64, k), free: make([]bool, k),
		q: make([]float64, 0, d*limit), r: make([]float64, k*limit), next: make([]float64, 0, limit),
	}
	a.resolve = max(minResolved, lim.bound/lim.maxScale/blas64.Nrm2(vector(a.y))/8)
	a.solve()
	p.budget = a.budget
	clear(f)
	for i, k := range a.passive {
		f[k] = a.sign[k] * a.s[i]
	}
	if k, v := violation(a.w, a.d, a.y, f, lim); k >= 0 {
		how := "found"
		if a.work <= 0 || a.budget <= 0 {
			how = "reached within the bound on the work"
		}
		return fmt.Errorf("no optimal code was %s: the conditions of atom %d are violated by %.3g, %.3g is allowed",
			how, k, math.Ldexp(v*lim.scale[k], exp), math.Ldexp(lim.bound, exp))
	}
	return nil
}

// spent reports whether it is time to end.
func (a *activeSet) spent() bool { return a.work <= 0 || a.budget <= 0 || a.ctx.Err() != nil }

// solve runs the rounds of [lh].
func (a *activeSet) solve() {
	for k := range a.free {
		a.free[k] = true
	}
	copy(a.residual, a.y)
	for !a.spent() {
		a.dual()
		k := a.worst()
		if k < 0 {
			return
		}
		a.free[k], a.sign[k] = false, a.lim.enters(a.w[k])
		if !a.append(k) {
			if a.lim.l1 != nil {
				a.exchange(k)
			}
			continue // refused
		}
		if a.z[len(a.z)-1] <= 0 { // rounding errors: s_k would not become positive
			a.truncate(len(a.passive) - 1)
			continue
		}
		a.s = append(a.s, 0)
		a.descend()
	}
}

// dual sets w = −D̂ᵀ(y − D̂s).
func (a *activeSet) dual() {
	a.budget -= float64(a.d.Rows) * float64(a.d.Cols)
	blas64.Gemv(blas.Trans, -1, a.d, vector(a.residual), 0, vector(a.w))
}

// worst returns the atom that may enter P and has the least slack < 0, or −1.
func (a *activeSet) worst() int {
	worst, lowest := -1, -roundOff/10
	for k, w := range a.w {
		if v := a.lim.slack(k, w); a.free[k] && v < lowest && a.lim.violates(k, v) {
			worst, lowest = k, v
		}
	}
	return worst
}

// exchange lets in atom k, which append has just refused: with d̂_k = D̂_P·c it
// raises s_k and lowers s_P by c·s_k, as far as s ≥ 0 allows. That leaves D̂s as
// it is and lowers λ‖s‖₁.
func (a *activeSet) exchange(k int) {
	n, stride := len(a.passive), len(a.free)
	a.next = a.next[:n]
	for i := range n {
		a.next[i] = a.r[i*stride+n]
	}
	blas64.Trsv(blas.NoTrans, a.triangle(), vector(a.next)) // c
	step, stop := 0.0, -1
	for i, v := range a.next {
		if v > 0 && (stop < 0 || a.s[i]/v < step) {
			step, stop = a.s[i]/v, i
		}
	}
	if stop < 0 {
		return
	}
	for i, v := range a.next {
		a.s[i] = max(0, a.s[i]-step*v)
	}
	a.s[stop] = 0
	a.remove()
	if a.free[k] = false; a.append(k) {
		a.s = append(a.s, step)
	}
	a.descend()
}

// descend moves s to the least squares solution over P, or as far towards it
// as s ≥ 0 allows, where it takes the atoms that became 0 out of P and goes on
// [lh, steps 6–11].
func (a *activeSet) descend() {
	for len(a.passive) > 0 {
		a.next = append(a.next[:0], a.z...)
		blas64.Trsv(blas.NoTrans, a.triangle(), vector(a.next))
		a.budget -= float64(len(a.passive)) * float64(len(a.passive)+a.d.Rows)
		step, stop := 1.0, -1
		for i, v := range a.next {
			if v <= 0 {
				if t := a.s[i] / (a.s[i] - v); stop < 0 || t < step {
					step, stop = t, i
				}
			}
		}
		if stop < 0 {
			copy(a.s, a.next)
			break
		}
		for i, v := range a.next {
			a.s[i] = max(0, a.s[i]+step*(v-a.s[i]))
		}
		a.s[stop] = 0
		a.remove()
	}
}

// remove takes the atoms with s_k = 0 out of P, and refused ones out of
// refusal.
func (a *activeSet) remove() {
	first := slices.Index(a.s, 0)
	rest := slices.Clone(a.passive[first:])
	s := slices.Clone(a.s[first:])
	a.truncate(first)
	a.s = a.s[:first]
	for k := range a.free {
		a.free[k] = true
	}
	for _, k := range a.passive {
		a.free[k] = false
	}
	for i, k := range rest {
		if s[i] > 0 && a.append(k) {
			a.free[k] = false
			a.s = append(a.s, s[i])
		}
	}
}

// append adds atom k to the factorisation unless it depends on P or the time is
// up.
func (a *activeSet) append(k int) bool {
	n, d, stride := len(a.passive), a.d.Rows, len(a.free)
	if n == min(d, stride) && a.lim.l1 == nil || a.spent() {
		return false
	}
	a.work--
	a.budget -= float64(n+1) * float64(4*d+n)
	a.q = a.q[:(n+1)*d]
	q := a.q[n*d:]
	for i := range q {
		q[i] = a.sign[k] * a.d.Data[i*a.d.Stride+k]
	}
	for i := range n {
		a.r[i*stride+n] = 0
	}
	for range 2 { // once is not enough [lh's Q is orthogonal by construction]
		for i := range n {
			row := a.q[i*d : (i+1)*d]
			c := blas64.Dot(vector(row), vector(q))
			blas64.Axpy(-c, vector(row), vector(q))
			a.r[i*stride+n] += c
		}
	}
	distance := blas64.Nrm2(vector(q))
	if !(distance > a.resolve) {
		a.q = a.q[:n*d]
		return false
	}
	blas64.Scal(1/distance, vector(q))
	a.r[n*stride+n] = distance
	var t float64
	if a.lim.l1 != nil {
		t = a.lim.l1[k]
		for i, v := range a.t {
			t -= a.r[i*stride+n] * v
		}
		t /= distance
	}
	z := blas64.Dot(vector(q), vector(a.residual)) - t // the rest holds all of y that q can see
	blas64.Axpy(-z, vector(q), vector(a.residual))
	a.t, a.z = append(a.t, t), append(a.z, z)
	a.passive = append(a.passive, k)
	return true
}

// truncate keeps the first n atoms of the factorisation.
func (a *activeSet) truncate(n int) {
	d := a.d.Rows
	a.passive, a.t, a.z, a.q = a.passive[:n], a.t[:n], a.z[:n], a.q[:n*d]
	copy(a.residual, a.y)
	for i, z := range a.z {
		blas64.Axpy(-z, vector(a.q[i*d:(i+1)*d]), vector(a.residual))
	}
}

func (a *activeSet) triangle() blas64.Triangular {
	return blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: len(a.passive), Stride: len(a.free), Data: a.r}
}

// violation sets w = −D̂ᵀ(y − D̂s) and returns the atom whose optimality
// conditions the code s, of len K, violates most, if more than is allowed, and
// by how much; else −1.
func violation(w []float64, d blas64.General, y, s []float64, lim *limits) (atom int, largest float64) {
	rest := slices.Clone(y)
	blas64.Gemv(blas.NoTrans, -1, d, vector(s), 1, vector(rest)) // y − D̂s
	blas64.Gemv(blas.Trans, -1, d, vector(rest), 0, vector(w))
	var sum float64
	for _, v := range s {
		sum += math.Abs(v)
	}
	atom = -1
	for k, w := range w {
		v := -lim.slack(k, w)
		if s[k] != 0 {
			v = math.Abs(lim.slope(k, w, math.Copysign(1, s[k])))
		}
		if lim.exceeds(k, v, sum) && (atom < 0 || v*lim.scale[k] > largest*lim.scale[atom]) {
			atom, largest = k, v
		}
	}
	return atom, largest
}

func vector(v []float64) blas64.Vector { return blas64.Vector{N: len(v), Inc: 1, Data: v} }
