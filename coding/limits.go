package coding

// limits are the violations of the optimality conditions that a column is
// allowed, in the scaled units of exact: a w_k of these units is w_k·scale_k
// of the bound's.
type limits struct {
	bound float64   // ε of NonNegative
	scale []float64 // len K
	most  float64   // the largest scale

	// coarse is whether only what counts against the bound is worth a round.
	coarse bool
}

// floor is what of w may be rounding errors, with sum = ‖s‖₁.
func (l *limits) floor(sum float64) float64 { return roundOff * (1 + sum) }

// violates reports whether w_k = w < 0 is worth a round.
func (l *limits) violates(k int, w float64) bool {
	return !l.coarse && w < -negligible || w*l.scale[k] < -l.bound/10
}

// exceeds reports whether a violation v of the conditions of atom k is more
// than is allowed and than rounding explains.
func (l *limits) exceeds(k int, v, sum float64) bool {
	return v*l.scale[k] > l.bound && v > l.floor(sum)
}

// trusted reports whether w, computed from G, is accurate enough to say that
// the conditions hold.
func (l *limits) trusted(sum float64) bool {
	return l.floor(sum)*l.most <= l.bound
}
