package method

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
)

// A rankProblem is that of atoms, d×m, which are to have low rank:
//
//	f(D) = tr(DFDᵀ) − 2⟨E, D⟩ + α‖D‖_*   s.t. ‖d_k‖ ≤ 1
//
// with F ⪰ 0, m×m, and E, d×m; ‖D‖_* is the sum of the singular values.
type rankProblem struct {
	E, F *mat.Dense
	α    float64
}

// value: f(D)
func (p *rankProblem) value(d *mat.Dense) float64 {
	var df mat.Dense
	df.Mul(d, p.F)
	return inner(d, &df) - 2*inner(d, p.E) + p.α*nuclear(d)
}

// solve lowers f in d by so many steps of the method of multipliers on D = J
// [admm]:
//
//	D: a round over the atoms, each the minimiser of tr(DFDᵀ) − 2⟨E, D⟩ + ρ‖D − J + U‖² on its ball
//	J = shrink(D + U, α/(2ρ)) of the singular values,  U ← U + D − J
//
// with ρ the mean of F's diagonal. d becomes D, or J with its atoms on their balls,
// whichever has the lower f; it stays where neither is lower than before.
func (p *rankProblem) solve(d *mat.Dense, steps int) {
	rows, m := d.Dims()
	ρ := mat.Trace(p.F) / float64(m)
	if !(ρ > 0) {
		return
	}
	best := p.value(d)
	dt := mat.DenseCopyOf(d.T()) // an atom a row
	j, u, t := mat.DenseCopyOf(d), mat.NewDense(rows, m, nil), mat.NewDense(rows, m, nil)
	now := mat.DenseCopyOf(d)
	for range steps {
		lin.Set(t, 1, p.E)
		lin.Add(t, ρ, j)
		lin.Add(t, -ρ, u) // E + ρ(J − U)
		round(dt, mat.DenseCopyOf(t.T()), p.F, ρ)
		now.Copy(dt.T())
		lin.Add(u, 1, now) // U + D
		shrinkRank(j, u, p.α/(2*ρ))
		lin.Add(u, -1, j)
	}
	onBall(j)
	for _, to := range []*mat.Dense{now, j} {
		if v := p.value(to); v < best {
			best = v
			lin.Set(d, 1, to)
		}
	}
}

// atomsAtOnce is how many atoms round renews before it brings their changes to the others.
const atomsAtOnce = 32

// round renews the atoms, rows of dt, m×d, one after the other, and changes tt:
//
//	d_k = v/max(F_kk + ρ, ‖v‖),  v = t_k − Σ_{l≠k} F_lk·d_l
func round(dt, tt, f *mat.Dense, ρ float64) {
	m, d := dt.Dims()
	for lo := 0; lo < m; lo += atomsAtOnce {
		hi := min(m, lo+atomsAtOnce)
		block := lin.Block(dt, lo, hi, 0, d)
		for _, other := range [][2]int{{0, lo}, {hi, m}} {
			if from, to := other[0], other[1]; from < to {
				lin.AddAB(lin.Block(tt, lo, hi, 0, d), -1, lin.Block(f, lo, hi, from, to), lin.Block(dt, from, to, 0, d))
			}
		}
		for k := lo; k < hi; k++ {
			v, atom := blas64.Vector{N: d, Inc: 1, Data: tt.RawRowView(k)}, blas64.Vector{N: d, Inc: 1, Data: dt.RawRowView(k)}
			row := f.RawRowView(k) // F is symmetric
			blas64.Gemv(blas.Trans, -1, block.RawMatrix(), blas64.Vector{N: hi - lo, Inc: 1, Data: row[lo:hi]}, 1, v)
			blas64.Axpy(row[k], atom, v)
			blas64.Copy(v, atom)
			blas64.Scal(1/max(row[k]+ρ, blas64.Nrm2(v)), atom)
		}
	}
}

// nuclear: ‖A‖_*
func nuclear(a *mat.Dense) (sum float64) {
	_, σ := lin.Spectrum(a)
	for _, v := range σ {
		sum += v
	}
	return sum
}

// shrinkRank writes a, d×m, with its singular values lowered by t, to 0 at least, into
// dst: A·V·diag(max(0, 1 − t/σ))·Vᵀ.
func shrinkRank(dst, a *mat.Dense, t float64) {
	if _, m := a.Dims(); m >= manyColumns && shrinkAll(dst, a, t) {
		return
	}
	v, σ := lin.Spectrum(a)
	m := len(σ)
	var scaled, p mat.Dense
	scaled.CloneFrom(v)
	for k, x := range σ {
		f := 0.0
		if x > t {
			f = 1 - t/x
		}
		for i := range m {
			scaled.Set(i, k, f*v.At(i, k))
		}
	}
	p.Mul(&scaled, v.T())
	lin.AB(dst, 1, a, &p)
}

// manyColumns of a matrix make products and Cholesky factors faster than its eigenvectors.
const manyColumns = 64

// maxHalley bounds the steps of shrinkAll: from l = 1e-6 on five are enough, and rounding may keep 1 − l above
// any limit.
const maxHalley = 8

// shrinkAll is shrinkRank where all singular values are above t, or none is, and reports
// whether one of the two holds. In the first case dst is A − t·U, with U the orthogonal factor
// of A = UH. From X = A/s, whose singular values are in [l, 1], it is the limit of [qdwh]
//
//	X ← b/c·X + (a − b/c)·X(I + cXᵀX)⁻¹,  l ← l(a + bl²)/(1 + cl²)
func shrinkAll(dst, a *mat.Dense, t float64) bool {
	_, m := a.Dims()
	g := mat.NewDense(m, m, nil)
	gram := func(f float64, x *mat.Dense, diagonal float64) *mat.Dense {
		lin.AtA(g, f, x)
		lin.AddDiag(g, diagonal)
		return g
	}
	var spd lin.SPD
	if spd.Factor(gram(-1, a, t*t)) == nil { // t²I − AᵀA ≻ 0
		dst.Zero()
		return true
	}
	s := math.Sqrt(mat.Norm(a, 1) * mat.Norm(a, math.Inf(1))) // at least the largest
	if t < 1e-6*s || spd.Factor(gram(1, a, -t*t)) != nil {    // AᵀA − t²I ⊁ 0
		return false
	}
	x, y := mat.DenseCopyOf(a), mat.DenseCopyOf(a)
	lin.Set(x, 1/s, a)
	for i, l := 0, t/s; 1-l > 1e-15 && i < maxHalley; i++ {
		a, b, c := halley(l)
		if spd.Factor(gram(c, x, 1)) != nil {
			return false
		}
		lin.Set(y, a-b/c, x)
		spd.SolveRight(y)
		lin.Set(x, b/c, x)
		lin.Add(x, 1, y)
		l *= (a + b*l*l) / (1 + c*l*l)
	}
	lin.Set(dst, 1, a)
	lin.Add(dst, -t, x)
	return true
}

// halley has the weights with which x(a + bx²)/(1 + cx²) raises [l, 1] to the narrowest [l', 1].
func halley(l float64) (a, b, c float64) {
	l2 := l * l
	root := math.Sqrt(1 + math.Cbrt(4*(1-l2)/(l2*l2)))
	a = root + math.Sqrt(8-4*(root*root-1)+8*(2-l2)/(l2*root))/2
	b = (a - 1) * (a - 1) / 4
	return a, b, a + b - 1
}

// A ballProblem is that of the atoms of a class, d×m, in methods that ask for
// little correlation between the atoms of different classes:
//
//	f(D) = tr(DFDᵀ) − 2⟨E, D⟩ + 2η⟨D, WD⟩   s.t. ‖d_k‖ ≤ 1
//
// with F ⪰ 0, m×m, E, d×m, and W, d×d, the sum of d_kd_kᵀ over the atoms of the
// other classes.
type ballProblem struct {
	E, F, W *mat.Dense
	η       float64
}

// gradient: G = DF − E + 2ηWD, half the gradient of f
func (p *ballProblem) gradient(g, d *mat.Dense) {
	lin.AB(g, 1, d, p.F)
	lin.Add(g, -1, p.E)
	lin.AddAB(g, 2*p.η, p.W, d)
}

// value: f(D)
func (p *ballProblem) value(g, d *mat.Dense) float64 {
	p.gradient(g, d)
	return inner(d, g) - inner(d, p.E)
}

// solve lowers f in d by so many projected gradient steps with momentum [fista],
// which restarts where a step raises f. The result never has a larger f: where the steps
// would raise it, one step without momentum is made instead.
func (p *ballProblem) solve(d *mat.Dense, steps int) {
	l := math.Sqrt(lin.SquaredNorm(p.F)) + 2*p.η*math.Sqrt(lin.SquaredNorm(p.W)) // at least the largest curvature
	if l == 0 {
		return
	}
	rows, m := d.Dims()
	g, at, next, start := mat.NewDense(rows, m, nil), mat.DenseCopyOf(d), mat.NewDense(rows, m, nil), mat.DenseCopyOf(d)
	before := p.value(g, d)
	t := 1.0
	for range steps {
		p.gradient(g, at)
		lin.Set(next, 1, at)
		lin.Add(next, -1/l, g)
		onBall(next) // D⁺ = Π(Y − ∇f(Y)/(2l))
		if inner(g, next) > inner(g, d) {
			t = 1 // momentum leads up
		}
		last := t
		t = (1 + math.Sqrt(1+4*t*t)) / 2
		lin.Set(at, 1+(last-1)/t, next)
		lin.Add(at, -(last-1)/t, d) // Y = D⁺ + (t_k − 1)/t_{k+1}·(D⁺ − D)
		lin.Set(d, 1, next)
	}
	if !(p.value(g, d) <= before) {
		p.gradient(g, start)
		lin.Set(d, 1, start)
		lin.Add(d, -1/l, g)
		onBall(d)
	}
}

// onBall divides the columns of d whose norm is above 1 by their norm.
func onBall(d *mat.Dense) {
	_, m := d.Dims()
	norms := make([]float64, m)
	lin.SquaredColumnNorms(norms, d)
	for k, v := range norms {
		norms[k] = 1 / math.Sqrt(max(1, v))
	}
	for i := range d.RawMatrix().Rows {
		row := d.RawRowView(i)
		for k := range row {
			row[k] *= norms[k]
		}
	}
}
