package coding

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	fast "nrdl.example/nrdl/internal/blas"
)

// factor continues R, whose rows before first hold up to the column fresh ≥
// first, to all of P. It reports whether G_PP is positive definite beyond doubt.
func (p *pivoting) factor(first, fresh int) bool {
	n := len(p.passive)
	p.grow(n)
	for i, a := range p.passive {
		from, to := p.g.Data[a*p.g.Stride:], p.r[i*p.stride:]
		start := fresh
		if i >= first {
			start = i
		}
		for j := start; j < n; j++ {
			to[j] = from[p.passive[j]]
		}
		if i >= first {
			to[i] += p.shift
		}
	}
	if first > 0 && first < n {
		if fresh < n {
			blas64.Trsm(blas.Left, blas.Trans, 1, p.triangle(0, first), p.beside(first, fresh, n))
		}
		blas64.Syrk(blas.Trans, -1, p.beside(first, first, n), 1, blas64.Symmetric{
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

// beside is the columns lo ≤ j < hi of the rows of R before first.
func (p *pivoting) beside(first, lo, hi int) blas64.General {
	return blas64.General{Rows: first, Cols: hi - lo, Stride: p.stride, Data: p.r[lo:]}
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
	if !p.factor(first, first) {
		kept = first
	}
	rest := all[kept:]
	p.passive = all[:kept]
	for _, k := range rest {
		n := len(p.passive)
		column := p.floors[:n] // R⁻ᵀG_Pk
		for i, a := range p.passive {
			column[i] = p.g.Data[a*p.g.Stride+k]
		}
		p.solveRt(column, 0)
		distance := p.g.Data[k*p.g.Stride+k] - blas64.Dot(vector(column), vector(column))
		if !(distance >= dependent) {
			p.member[k], p.dependent[k] = false, true
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

// forward sets u = R⁻ᵀ(f_P − λσ_P); what is before first holds.
func (p *pivoting) forward(f []float64, first int) {
	n := len(p.passive)
	p.u = p.u[:n]
	for i := first; i < n; i++ {
		k := p.passive[i]
		p.u[i] = -p.slope(k, -f[k], p.sign[k])
	}
	if first < n {
		rest := blas64.Vector{N: n - first, Inc: 1, Data: p.u[first:]}
		if first > 0 {
			blas64.Gemv(blas.Trans, -1, p.beside(first, first, n), blas64.Vector{N: first, Inc: 1, Data: p.u}, 1, rest)
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

// backward sets s = σ⊙R⁻¹u.
func (p *pivoting) backward() {
	p.s = append(p.s[:0], p.u...)
	p.solveR(p.s)
	for i, k := range p.passive {
		p.s[i] *= p.sign[k]
	}
}

// solveR sets b = R⁻¹b. Unlike gonum's Trsv it and solveRt are vectorised.
func (p *pivoting) solveR(b []float64) {
	for i := len(b) - 1; i >= 0; i-- {
		row := p.r[i*p.stride+i : i*p.stride+len(b)]
		b[i] = (b[i] - blas64.Dot(vector(row[1:]), vector(b[i+1:]))) / row[0]
	}
}

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
	bound    float64   // ε of NonNegative
	gap      float64   // duality gap at which a code of Lasso will do; 0 for NonNegative
	yy       float64   // ‖ŷ‖², where there is a gap
	scale    []float64 // len K
	maxScale float64   // the largest scale

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
	return l.floor(sum)*l.maxScale <= l.bound
}

// gradient computes w = Gs − f for an s that is given by its magnitudes and its
// signs. It holds copies of the rows of G for which s
// is not 0, side by side: one product with them takes a third of the time of
// as many additions of rows from all over G, and from one round to the next
// few of them change.
type gradient struct {
	g     blas64.General // G, K×K
	w     []float64      // len K
	sign  []float64      // 1, or −1 where s_k < 0; len K
	sum   float64        // ‖s‖₁
	atoms []int          // the atoms whose rows are held, in their order
	place []int          // the place of atom k in held, −1 if it is not; len K
	rows  []float64      // the rows, K each
	coef  []float64      // the coefficients of held
}

func newGradient(g blas64.General) *gradient {
	d := &gradient{g: g, w: make([]float64, g.Rows), sign: make([]float64, g.Rows), place: make([]int, g.Rows)}
	for k := range d.place {
		d.place[k], d.sign[k] = -1, 1
	}
	return d
}

// start sets w = −f, as for s = 0.
func (d *gradient) start(f []float64) {
	for _, k := range d.atoms {
		d.place[k] = -1
	}
	d.atoms, d.sum = d.atoms[:0], 0
	for k, v := range f {
		d.w[k] = -v
	}
}

// hold copies the row of atom k.
func (d *gradient) hold(k int) {
	n := len(d.atoms)
	d.place[k] = n
	d.atoms = append(d.atoms, k)
	d.rows = append(d.rows[:n*d.g.Cols], d.g.Data[k*d.g.Stride:k*d.g.Stride+d.g.Cols]...)
}

// release forgets the row of atom k; the last row takes its place.
func (d *gradient) release(k int) {
	size, hole, last := d.g.Cols, d.place[k], len(d.atoms)-1
	if hole < last {
		copy(d.rows[hole*size:(hole+1)*size], d.rows[last*size:])
		d.atoms[hole] = d.atoms[last]
		d.place[d.atoms[hole]] = hole
	}
	d.atoms, d.place[k] = d.atoms[:last], -1
}

// update sets w = Gs − f for the s that is s[i] for atom atoms[i], times its
// sign, and 0 for all others. Exactly the rows of atoms are held.
func (d *gradient) update(f []float64, atoms []int, s []float64) {
	for k, v := range f {
		d.w[k] = -v
	}
	n := len(atoms)
	if n == 0 {
		d.sum = 0
		return
	}
	d.coef = append(d.coef[:0], s...)
	d.sum = 0
	for i, k := range atoms {
		d.coef[d.place[k]] = d.sign[k] * s[i]
		d.sum += math.Abs(s[i])
	}
	size := d.g.Cols
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1,
		blas64.General{Rows: 1, Cols: n, Stride: n, Data: d.coef},
		blas64.General{Rows: n, Cols: size, Stride: size, Data: d.rows}, 1,
		blas64.General{Rows: 1, Cols: size, Stride: size, Data: d.w})
}
