package coding

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

// descent goes on where pivoting gave up: with atoms so nearly dependent that
// the least squares solution over P has huge coefficients of both signs, all
// the negative ones are taken out, and what had been found is lost. With more atoms
// than features, as after a projection, most codes need it; of face crops hardly one
// does. It differs in two things.
//
// Every step is feasible and lowers the objective, as in [lh, 23.10], but many
// atoms enter at a time, and many leave: from s ≥ 0 towards the solution z over
// P it goes to max(0, s + t(z − s)), for the first t = 1, ½, … at which the
// objective is lower, or to where the first s_k becomes 0.
//
// And what it lowers is the proximal objective
//
//	½‖y − D̂s‖² + ½δ‖s − c‖²
//
// whose minimum for c = s is that of the problem. The Gram matrix G + δI has a
// Cholesky factor whatever the atoms are, and at the minimum w_P = −δ(s − c)_P:
// less than is allowed for a δ that is small enough. After each minimum w is
// computed from y − D̂s; if it violates the conditions, c = s and w there,
// free of the errors of G, make the next problem. A penalty λ‖s‖₁ is in all of
// them, and s and z are the magnitudes of pivoting.
type descent struct {
	*pivoting
	ctx      context.Context
	d        blas64.General // D̂, d×K
	y        []float64      // ŷ, len d
	lim      *limits
	centre   []float64 // c, len K
	base     []float64 // Gc − w(c), len K; f at the start
	b        []float64 // base + δc
	x        []float64 // s_P ≥ 0; the s of pivoting is z here
	next     []float64 // as x
	diff     []float64 // scratch of len |P|
	code     []float64 // s, len K
	dual     []float64 // w of y − D̂s, len K
	minDelta float64   // the least δ that may have a factor
	steps    int       // that are left
}

const (
	// The time depends on these, the result only within what is allowed.
	enterDescent = 8        // and a quarter of P
	minShift     = 1e-11    // δ for atoms of norm 1: what Cholesky's method needs
	maxShift     = 1e-6     // more takes more minima
	shiftGrowth  = 100      // of δ without a factor; its fall after a minimum that does not do
	maxMinima    = 60       // minima of the proximal objective
	maxSteps     = 1000     // solutions over a P; a few dozen are usual
	shortest     = 1.0 / 64 // t, before the step to the first s_k = 0
)

// descend replaces f = D̂ᵀŷ by the scaled code and reports whether that
// satisfies the conditions; else f is as it was. It starts at the last P of p
// that had few negative coefficients.
func (p *pivoting) descend(ctx context.Context, f []float64, d blas64.General, y []float64, lim *limits) bool {
	c := p.newDescent(ctx, f, d, y, lim)
	defer func() { p.shift = 0 }()
	c.begin(f, lim)
	if !c.minimise() {
		return false
	}
	copy(f, c.code)
	return true
}

func (p *pivoting) newDescent(ctx context.Context, f []float64, d blas64.General, y []float64, lim *limits) *descent {
	coarse := *lim
	coarse.coarse = true
	return &descent{
		pivoting: p, ctx: ctx, d: d, y: y, lim: &coarse, steps: maxSteps, minDelta: minShift,
		centre: make([]float64, p.k), base: slices.Clone(f), b: make([]float64, p.k), code: make([]float64, p.k),
		dual: make([]float64, p.k),
	}
}

// begin makes the positive coefficients of the last good round s and c, with
// the largest first: small ones will leave, and the less of R is then new. Where
// they are huge and a penalty would not leave them so, s and c are 0.
func (c *descent) begin(f []float64, lim *limits) {
	var largest, sum float64
	for i, k := range c.lastPassive {
		c.centre[k] = c.lastS[i]
		largest = max(largest, math.Abs(c.lastS[i]))
		sum += math.Abs(c.lastS[i])
	}
	if lim.l1 != nil && !lim.trusted(sum) {
		clear(c.centre) // what a penalty asks for would be lost in the rounding errors of w
		largest = 0
	}
	c.start(f, lim)
	for k, v := range c.centre {
		if v != 0 {
			c.sign[k] = math.Copysign(1, v)
			c.join(k)
		}
	}
	slices.SortStableFunc(c.passive, func(a, b int) int {
		return cmp.Compare(math.Abs(c.centre[b]), math.Abs(c.centre[a]))
	})
	for _, k := range c.passive {
		c.x = append(c.x, math.Abs(c.centre[k]))
	}
	c.shift = min(maxShift, max(minShift, c.lim.bound/c.lim.maxScale/(2*max(largest, 1e-9))))
	c.aim()
}

// join puts atom k into P.
func (c *descent) join(k int) {
	c.member[k] = true
	c.hold(k)
	c.passive = append(c.passive, k)
}

// aim sets b for δ and the centre.
func (c *descent) aim() {
	for k, v := range c.base {
		c.b[k] = v + c.shift*c.centre[k]
	}
}

// minimise runs until the conditions hold, and reports whether they do.
func (c *descent) minimise() bool {
	first, known := 0, 0
	for minima := 0; minima < maxMinima; {
		if !c.relax(first, known) {
			return false
		}
		c.update(c.b, c.passive, c.x)
		c.choose(c.lim, enterDescent+len(c.passive)/4)
		if first, known = len(c.passive), len(c.passive); len(c.enter) > 0 {
			for _, k := range c.enter {
				c.join(k)
				c.x = append(c.x, 0)
			}
			continue
		}
		c.budget -= 2 * float64(c.d.Rows) * float64(c.d.Cols)
		ok := c.optimum()
		if minima++; ok && minima > 1 {
			return true
		}
		if known = 0; !ok && c.shift > c.minDelta {
			c.shift, first = max(c.minDelta, c.shift/shiftGrowth), 0
		}
		c.aim()
	}
	return false
}

// relax moves s to the minimum over the part of P where it is positive, and
// takes the rest out of P; the rows of R before first hold, and of R⁻ᵀb_P those
// before known. It reports whether it came to an end.
func (c *descent) relax(first, known int) bool {
	for {
		c.spend(first)
		if c.steps--; c.steps < 0 || c.budget < 0 || c.ctx.Err() != nil {
			return false
		}
		for !c.factor(first, first) {
			if c.shift *= shiftGrowth; c.shift > 1 {
				return false
			}
			c.minDelta = c.shift
			c.aim()
			first, known = 0, 0
		}
		c.forward(c.b, known)
		c.backward()
		if len(c.s) == 0 || slices.Min(c.s) > 0 {
			c.x = append(c.x[:0], c.s...)
			return true
		}
		c.step()
		n := 0
		for i, v := range c.x {
			if v == 0 && c.s[i] <= 0 {
				c.s[i] = -1 // drop takes it out
				continue
			}
			c.s[i], c.x[n] = 1, v
			n++
		}
		c.x = c.x[:n]
		first, _ = c.drop(false)
		known = first
	}
}

// step moves s towards z, and at least one of its elements to 0.
func (c *descent) step() {
	c.next = append(c.next[:0], c.x...)
	now := c.above(c.x)
	for t := 1.0; t >= shortest; t /= 2 {
		for i, v := range c.x {
			c.next[i] = max(0, v+t*(c.s[i]-v))
		}
		if slices.Contains(c.next, 0) && c.above(c.next) < now {
			copy(c.x, c.next)
			return
		}
	}
	t, stop := 1.0, -1
	for i, z := range c.s {
		if v := c.x[i]; z <= 0 && v == 0 {
			return // it leaves
		} else if to := v / (v - z); z <= 0 && (stop < 0 || to < t) {
			t, stop = to, i
		}
	}
	for i, v := range c.x {
		c.x[i] = max(0, v+t*(c.s[i]-v))
	}
	c.x[stop] = 0
}

// above returns twice by how much the objective at x is above that at z,
// ‖R(σ⊙(x − z))‖².
func (c *descent) above(x []float64) (sum float64) {
	c.diff = append(c.diff[:0], x...)
	blas64.Axpy(-1, vector(c.s), vector(c.diff))
	for i, k := range c.passive {
		c.diff[i] *= c.sign[k]
	}
	n := len(c.diff)
	for i := range n {
		v := blas64.Dot(vector(c.r[i*c.stride+i:i*c.stride+n]), vector(c.diff[i:]))
		sum += v * v
	}
	return sum
}

// optimum reports whether s satisfies the conditions with w = −D̂ᵀ(y − D̂s), and
// makes s the centre of the next problem.
func (c *descent) optimum() bool {
	clear(c.code)
	for i, k := range c.passive {
		c.code[k] = c.sign[k] * c.x[i]
	}
	k, _ := violation(c.dual, c.d, c.y, c.code, c.lim)
	clear(c.base)
	c.update(c.base, c.passive, c.x) // the w of G with f = 0: Gs
	for k, v := range c.w {
		c.base[k] = v - c.dual[k]
	}
	copy(c.centre, c.code)
	return k < 0
}
