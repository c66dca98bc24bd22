package coding

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// pivoting is block principal pivoting [bpp], [kp] on the conditions
//
//	w = Gs − f,   s ≥ 0,   w ≥ 0,   s_k·w_k = 0
//
// of min ½sᵀGs − fᵀs s.t. s ≥ 0, for one f at a time. A passive set P holds
// s_P = G_PP⁻¹f_P and w_P = 0; outside it s = 0. A round takes the atoms with
// s_k < 0 out of P and puts atoms with w_k < 0 in.
//
// A penalty λ‖s‖₁ changes little: s_P = G_PP⁻¹(f_P − λ), and w_k < −λ lets an
// atom in. Without s ≥ 0 every atom also has an opposite one, which w_k > λ lets
// in: its sign is then σ_k = −1, and s_P = σ_P⊙G_PP⁻¹(f_P − λσ_P) are magnitudes,
// of which none may be negative.
//
// Two things differ from [bpp]. P starts empty, or with the atoms of a guess,
// and a round puts in no more
// than the enterFirst + |P|/enterPart atoms of the least w: faces are so alike
// that at the start w_k < 0 for every atom, of which a few dozen remain. And
// against cycling that number is halved every enterHalve rounds, down to 1. A
// problem that takes maxRounds all the same, or late loses a large part of P at
// once, is left to descent.
type pivoting struct {
	*gradient
	penalty
	k         int
	member    []bool // is in P, len K
	dependent []bool // depends on P or on a part of it, len K

	passive []int     // P in the order of the factor
	s       []float64 // s_P in this order, magnitudes
	r       []float64 // R: RᵀR = G_PP, in the upper triangle of rows of stride
	stride  int
	u       []float64 // R⁻ᵀ(f_P − λσ_P)

	budget float64 // operations that the code may still take
	shift  float64 // δ of descent, else 0

	lastPassive []int     // P of the round before this one
	lastS       []float64 // s_P of that round with its signs, 0 where it is negative

	costs   []float64 // room for l1, len K
	slacks  []float64 // of every atom outside P, len K; w itself where there is no penalty
	enter   []int     // the atoms that enter next
	scratch []int     // scratch of capacity K, as least
	floors  []float64
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
		gradient: newGradient(g.RawMatrix()), k: k, budget: maxSample,
		member: make([]bool, k), dependent: make([]bool, k),
		passive: make([]int, 0, k), s: make([]float64, 0, k), u: make([]float64, 0, k),
		costs: make([]float64, k), slacks: make([]float64, k),
		enter: make([]int, 0, k), scratch: make([]int, 0, k), floors: make([]float64, 0, k),
	}
}

// solveFrom finds P and s_P for f, whose largest magnitude is near 1, and reports
// whether they satisfy the conditions within lim. It starts from the P and the
// signs of the code z, unless that is nil.
func (p *pivoting) solveFrom(ctx context.Context, f, z []float64, lim *limits) bool {
	p.start(f, lim)
	if z != nil && !p.adopt(f, z) {
		p.start(f, lim)
	}
	return p.pivot(ctx, f, lim)
}

// pivot makes the rounds of solveFrom.
func (p *pivoting) pivot(ctx context.Context, f []float64, lim *limits) bool {
	for round := range maxRounds {
		if ctx.Err() != nil || p.budget < 0 {
			return false
		}
		if round >= collapseRound && p.collapsed() {
			return false // the last good P is kept for descent
		}
		p.remember()
		first, fewer := p.drop(p.l1 != nil)
		if !fewer && lim.gap > 0 && p.gap(f, lim) <= lim.gap {
			return true
		}
		p.choose(lim, max(1, (enterFirst+len(p.passive)/enterPart)>>(round/enterHalve)))
		if !fewer && len(p.enter) == 0 {
			return p.optimal(f, lim)
		}
		kept := len(p.passive)
		p.passive = append(p.passive, p.enter...)
		for _, k := range p.enter {
			p.member[k] = true
			p.hold(k)
		}
		fresh := first
		if p.signed {
			fresh = kept // NonNegative computes these columns again: its codes are on record
		}
		if !p.factor(first, fresh) {
			p.factorOneByOne(first, kept)
		}
		p.spend(first)
		p.forward(f, first)
		p.backward()
		p.update(f, p.passive, p.s)
	}
	return false
}

// spend counts the operations of a round in which the rows of R from first on
// are new.
func (p *pivoting) spend(first int) {
	n := float64(len(p.passive))
	p.budget -= 2*n*n*(n-float64(first)) + 4*n*n + float64(p.k)*(n+8) + passWork
}

// gap returns the duality gap of s_P ≥ 0, as Lasso states it, from what G tells
// of r: Dᵀr = −w and ‖r‖² = ‖y‖² − fᵀs + sᵀw.
func (p *pivoting) gap(f []float64, lim *limits) float64 {
	largest := 1.0 // max_k |w_k|/λ_k, or 1
	for k, w := range p.w {
		if λ := p.l1[k]; -w > largest*λ || p.signed && w > largest*λ {
			largest = math.Abs(w) / λ
		}
	}
	rr, gap := lim.yy, 0.0
	for i, k := range p.passive {
		w := p.sign[k] * p.w[k]
		rr += p.s[i] * (w - p.sign[k]*f[k])
		gap += p.s[i] * (p.l1[k] + w/largest)
	}
	rest := 1 - 1/largest
	return gap + rest*rest/2*max(0, rr)
}

// remember keeps P and s_P for descent.
func (p *pivoting) remember() {
	p.lastPassive, p.lastS = append(p.lastPassive[:0], p.passive...), p.lastS[:0]
	for i, k := range p.passive {
		p.lastS = append(p.lastS, p.sign[k]*max(0, p.s[i]))
	}
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
func (p *pivoting) start(f []float64, lim *limits) {
	p.penalty = lim.penalty
	clear(p.member)
	clear(p.dependent)
	p.passive, p.s, p.u = p.passive[:0], p.s[:0], p.u[:0]
	p.lastPassive, p.lastS = p.lastPassive[:0], p.lastS[:0]
	p.gradient.start(f)
}

// adopt makes P and the signs those of z, with the largest first, and solves for
// s_P. It reports whether there is such an s_P beyond doubt.
func (p *pivoting) adopt(f, z []float64) bool {
	for k, v := range z {
		if v != 0 {
			p.passive = append(p.passive, k)
		}
	}
	slices.SortFunc(p.passive, func(a, b int) int {
		return cmp.Or(cmp.Compare(math.Abs(z[b]), math.Abs(z[a])), cmp.Compare(a, b))
	})
	for _, k := range p.passive {
		p.member[k], p.sign[k] = true, math.Copysign(1, z[k])
		p.hold(k)
	}
	if !p.factor(0, 0) {
		return false
	}
	p.forward(f, 0)
	p.backward()
	p.update(f, p.passive, p.s)
	return true
}

// drop takes the atoms with s_k < 0 out of P. It returns how many rows of R
// still hold, and whether there was such an atom. If sort is set, the atoms
// whose rows do not hold are put in the order of s_k, with the largest first:
// small ones will leave, and the less of R is then new.
func (p *pivoting) drop(sort bool) (first int, fewer bool) {
	first = slices.IndexFunc(p.s, func(v float64) bool { return v < 0 })
	if first < 0 {
		return len(p.passive), false
	}
	clear(p.dependent)
	kept := p.scratch[:0] // the columns of R that stay, of those from first on
	for j := first; j < len(p.passive); j++ {
		if p.s[j] < 0 {
			p.member[p.passive[j]] = false
			p.release(p.passive[j])
		} else {
			kept = append(kept, j)
		}
	}
	if sort {
		slices.SortFunc(kept, func(a, b int) int {
			return cmp.Or(cmp.Compare(p.s[b], p.s[a]), cmp.Compare(a, b))
		})
	}
	atoms := p.enter[:len(kept)]
	for n, j := range kept {
		atoms[n] = p.passive[j]
	}
	p.passive = append(p.passive[:first], atoms...)
	column := p.floors[:len(kept)]
	for i := range first {
		row := p.r[i*p.stride:]
		for n, j := range kept {
			column[n] = row[j]
		}
		copy(row[first:], column)
	}
	return first, true
}

// choose collects in enter the atoms outside P that violate w ≥ 0, or the condition
// that replaces it, the most, and gives them their signs: no more than limit atoms.
func (p *pivoting) choose(lim *limits, limit int) {
	slacks := p.slackness()
	// The first loop has no branch that depends on w: half the time it would
	// be predicted wrongly.
	enter, n, floor := p.enter[:p.k], 0, -lim.floor(p.sum)
	for k, v := range slacks {
		enter[n] = k
		if v < floor {
			n++
		}
	}
	p.enter, p.floors = enter[:0], p.floors[:0]
	for _, k := range enter[:n] {
		if v := slacks[k]; !p.member[k] && !p.dependent[k] && lim.violates(k, v) {
			p.enter = append(p.enter, k)
			p.floors = append(p.floors, v)
		}
	}
	if len(p.enter) > limit {
		p.worst(slacks, limit)
	}
	for _, k := range p.enter {
		p.sign[k] = p.enters(p.w[k])
	}
}

// slackness returns the slacks of all atoms.
func (p *pivoting) slackness() []float64 {
	if p.l1 == nil {
		return p.w
	}
	for k, w := range p.w {
		p.slacks[k] = p.slack(k, w)
	}
	return p.slacks
}

// worst keeps those atoms of enter that have the least slack, no more than limit.
func (p *pivoting) worst(slacks []float64, limit int) {
	last := nth(p.floors, limit-1)
	below := 0
	for _, v := range p.floors[:limit] {
		if v < last {
			below++
		}
	}
	equal, n := limit-below, 0
	for _, k := range p.enter {
		if v := slacks[k]; v < last || v == last && equal > 0 {
			if v == last {
				equal--
			}
			p.enter[n] = k
			n++
		}
	}
	p.enter = p.enter[:n]
}

// optimal reports whether s and w satisfy all the conditions, after a step of
// iterative refinement if w_P is not small.
func (p *pivoting) optimal(f []float64, lim *limits) bool {
	for range 2 {
		var largest float64
		for _, k := range p.passive {
			largest = max(largest, math.Abs(p.slope(k, p.w[k], p.sign[k])))
		}
		if largest <= lim.floor(p.sum) {
			break
		}
		p.refine(f)
	}
	for i, k := range p.passive {
		if p.s[i] < 0 || lim.exceeds(k, math.Abs(p.slope(k, p.w[k], p.sign[k])), p.sum) {
			return false
		}
	}
	for k, w := range p.w {
		if lim.exceeds(k, -p.slack(k, w), p.sum) {
			return false
		}
	}
	return lim.trusted(p.sum)
}

// refine adds σ⊙R⁻¹R⁻ᵀ(f − λσ − G(σ⊙s))_P to s.
func (p *pivoting) refine(f []float64) {
	n := len(p.passive)
	r := p.floors[:n]
	for i, k := range p.passive {
		r[i] = -p.slope(k, p.w[k], p.sign[k])
	}
	p.solveRt(r, 0)
	p.solveR(r)
	for i, v := range r {
		p.s[i] += p.sign[p.passive[i]] * v
	}
	p.update(f, p.passive, p.s)
}
