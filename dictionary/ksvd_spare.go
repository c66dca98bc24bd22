package dictionary

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/internal/parallel"
)

// spares are the samples that may replace atoms, those with the longest
// residuals first. They are read, and multiplied with atoms, many at a time.
type spares struct {
	X     *mat.Dense // d×N
	atoms *mat.Dense // that they are compared with, a row each
	order []int      // the samples
	lo    int        // order[lo:hi] are the rows of unit
	hi    int
	at    int        // the sample is order[at]; −1 before the first
	unit  *mat.Dense // samples at norm 1
	cos   *mat.Dense // unit·atomsᵀ; nil until it is asked for
}

// spare returns the samples that are not rebuilt, for comparison with atoms.
func (s *KSVDLearner) spare(atoms []int) *spares {
	_, d := s.D.Dims()
	p := &spares{X: s.X, atoms: &mat.Dense{}, at: -1}
	if len(atoms) > 0 {
		p.atoms = mat.NewDense(len(atoms), d, nil)
	}
	for i, a := range atoms {
		copy(p.atoms.RawRowView(i), s.D.RawRowView(a))
	}
	for j, v := range s.rest {
		if v > rebuilt*rebuilt*s.energy[j] {
			p.order = append(p.order, j)
		}
	}
	slices.SortStableFunc(p.order, func(i, j int) int { return cmp.Compare(s.rest[j], s.rest[i]) })
	return p
}

// next goes on to the next sample; false where there is none.
func (p *spares) next() bool {
	if p.at+1 == len(p.order) {
		return false
	}
	p.at++
	if p.at == p.hi {
		p.read()
	}
	return true
}

// The samples that are read at a time: twice as many as the time before, since
// most passes replace few atoms.
const (
	fewest = 8
	most   = 256
)

func (p *spares) read() {
	size := min(max(fewest, 2*(p.hi-p.lo)), most)
	p.lo, p.hi = p.hi, min(p.hi+size, len(p.order))
	d, _ := p.X.Dims()
	p.unit, p.cos = mat.NewDense(p.hi-p.lo, d, nil), nil
	parallel.For(p.hi-p.lo, strip, func(lo, hi int) {
		part := lin.Block(p.unit, lo, hi, 0, d)
		readColumns(part, p.X, p.order[p.lo+lo:p.lo+hi])
		for i := range hi - lo {
			x := part.RawRowView(i)
			norm := math.Sqrt(dot(x, x))
			for i := range x {
				x[i] /= norm
			}
		}
	})
}

// sample returns the sample at norm 1, not copied.
func (p *spares) sample() []float64 { return p.unit.RawRowView(p.at - p.lo) }

// cosines returns the products of the sample at norm 1 with the atoms.
func (p *spares) cosines() []float64 {
	if p.cos == nil {
		k, _ := p.atoms.Dims()
		p.cos = mat.NewDense(p.hi-p.lo, k, nil)
		lin.ABt(p.cos, 1, p.unit, p.atoms)
	}
	return p.cos.RawRowView(p.at - p.lo)
}

// transposed returns xᵀ.
func transposed(x *mat.Dense) *mat.Dense {
	m, n := x.Dims()
	t := mat.NewDense(n, m, nil)
	parallel.For(n, strip, func(lo, hi int) {
		readColumns(lin.Block(t, lo, hi, 0, m), lin.Cols(x, lo, hi), nil)
	})
	return t
}

// strip is how many columns a thread turns into rows at a time.
const strip = 32

// readColumns makes columns of x, or all of them for nil, the rows of dst.
func readColumns(dst, x *mat.Dense, columns []int) {
	const block = 16 // rows of x that stay in the cache together
	from, to := x.RawMatrix(), dst.RawMatrix()
	for i0 := 0; i0 < from.Rows; i0 += block {
		i1 := min(i0+block, from.Rows)
		for k := range to.Rows {
			j := k
			if columns != nil {
				j = columns[k]
			}
			row := to.Data[k*to.Stride+i0 : k*to.Stride+i1]
			for i := range row {
				row[i] = from.Data[(i0+i)*from.Stride+j]
			}
		}
	}
}
