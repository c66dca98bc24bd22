package coding

import "math"

// A penalty is what the problem of a column has beside the least squares, in
// the scaled units of exact. The ℓ2 term is none: it makes the atoms longer.
type penalty struct {
	l1     []float64 // λ of every atom, len K; nil for 0
	signed bool      // whether s ≥ 0 is not asked for; l1 is then not nil
}

// slack is how far atom k, with s_k = 0 and the gradient w_k = w of the least
// squares, is from wanting to enter: it does where this is negative.
func (p *penalty) slack(k int, w float64) float64 {
	switch {
	case p.signed:
		return p.l1[k] - math.Abs(w) // |w| ≤ λ
	case p.l1 != nil:
		return w + p.l1[k] // w + λ ≥ 0
	}
	return w
}

// slope is the derivative by s_k, for atom k in P: 0 at the optimum.
func (p *penalty) slope(k int, w, sign float64) float64 {
	if p.l1 == nil {
		return w
	}
	return w + sign*p.l1[k]
}

// enters is the sign with which atom k enters: s_k·w_k < 0.
func (p *penalty) enters(w float64) float64 {
	if p.signed && w > 0 {
		return -1
	}
	return 1
}

// limits are the optimality conditions of a column and the violations that it
// is allowed, in the scaled units of exact: a w_k of these units is w_k·scale_k
// of the bound's.
type limits struct {
	penalty
	bound float64   // ε of NonNegative
	gap   float64   // duality gap at which a code of Lasso will do; 0 for NonNegative
	yy    float64   // ‖ŷ‖², where there is a gap
	scale []float64 // len K
	most  float64   // the largest scale

	// fine is whether every violation that rounding errors do not explain is
	// worth a round and none above the bound is excused by them, coarse whether
	// only what counts against the bound is worth one.
	fine, coarse bool
}

// floor is what of w may be rounding errors, with sum = ‖s‖₁.
func (l *limits) floor(sum float64) float64 { return roundOff * (1 + sum) }

// violates reports whether the slack v < 0 of atom k is worth a round.
func (l *limits) violates(k int, v float64) bool {
	return !l.coarse && (l.fine || v < -negligible) || v*l.scale[k] < -l.bound/10
}

// exceeds reports whether a violation v of the conditions of atom k is more
// than is allowed and, unless l is fine, than rounding explains.
func (l *limits) exceeds(k int, v, sum float64) bool {
	return v*l.scale[k] > l.bound && (l.fine || v > l.floor(sum))
}

// trusted reports whether w, computed from G, is accurate enough to say that
// the conditions hold.
func (l *limits) trusted(sum float64) bool {
	return l.floor(sum)*l.most <= l.bound
}
