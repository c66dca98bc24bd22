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
