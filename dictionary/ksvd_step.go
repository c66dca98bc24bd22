package dictionary

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/internal/parallel"
)

// code: Γ by orthogonal matching pursuit, E = X − DΓ
func (s *KSVDLearner) code() error {
	over, err := s.pursuit().OverSparse(coding.Basis{D: transposed(s.D)})
	if err != nil {
		return err
	}
	if err := over.CodeSparse(s.ctx, &s.next, s.X); err != nil {
		return err
	}
	_, n := s.X.Dims()
	parallel.For(n, strip, func(lo, hi int) {
		if s.ctx.Err() == nil {
			s.rebuild(lo, hi)
		}
	})
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	s.choose()
	return nil
}

// rebuild computes the residuals of the samples lo ≤ j < hi with their new
// codes, and says which of them keep their old codes, with the old residuals.
func (s *KSVDLearner) rebuild(lo, hi int) {
	d, _ := s.X.Dims()
	e := mat.NewDense(hi-lo, d, nil)
	readColumns(e, lin.Cols(s.X, lo, hi), nil)
	for j := lo; j < hi; j++ {
		r := e.RawRowView(j - lo)
		atoms, coef := s.next.Column(j)
		for i, a := range atoms {
			axpy(-coef[i], s.D.RawRowView(int(a)), r)
		}
		rest := dot(r, r)
		s.fixed[j] = s.keep(j, rest)
		if !s.fixed[j] {
			copy(s.E.RawRowView(j), r)
			s.distances[j] = rest
		}
	}
}

// keep reports whether the old code of sample j is better than a new one with
// the squared residual rest.
func (s *KSVDLearner) keep(j int, rest float64) bool {
	if !s.Monotone || s.passes == 0 || rest <= s.distances[j] || rest <= s.Error*s.Error {
		return false
	}
	atoms, _ := s.Γ.Column(j)
	return !slices.ContainsFunc(atoms, func(a int32) bool { return s.stale[a] })
}

// choose makes Γ of the new codes and of the old ones of samples that keep them.
func (s *KSVDLearner) choose() {
	s.oldCodes = 0
	for _, keeps := range s.fixed {
		if keeps {
			s.oldCodes++
		}
	}
	if s.oldCodes == 0 {
		s.Γ, s.next = s.next, s.Γ
		return
	}
	chosen := coding.SparseCodes{First: []int{0}}
	for j, keeps := range s.fixed {
		from := &s.next
		if keeps {
			from = &s.Γ
		}
		atoms, coef := from.Column(j)
		chosen.Atom = append(chosen.Atom, atoms...)
		chosen.Coef = append(chosen.Coef, coef...)
		chosen.First = append(chosen.First, len(chosen.Atom))
	}
	s.Γ = chosen
}

// users lists the elements of sparse codes by atom.
type users struct {
	first []int // len K+1: atom a has the elements first[a] ≤ i < first[a+1]
	uses  []use
}

// A use is an element of a sparse code: sample and place.
type use struct {
	sample int32
	index  int // in Coef
}

// find lists the elements of codes that are not zero, by sample for each atom.
func (u *users) find(codes *coding.SparseCodes, atoms int) {
	u.first = append(u.first[:0], make([]int, atoms+1)...)
	for i, a := range codes.Atom {
		if codes.Coef[i] != 0 {
			u.first[a+1]++
		}
	}
	for a := range atoms {
		u.first[a+1] += u.first[a]
	}
	if total := u.first[atoms]; cap(u.uses) < total {
		u.uses = make([]use, total)
	}
	u.uses = u.uses[:u.first[atoms]]
	next := append([]int(nil), u.first[:atoms]...)
	for j := range len(codes.First) - 1 {
		for i := codes.First[j]; i < codes.First[j+1]; i++ {
			if a := codes.Atom[i]; codes.Coef[i] != 0 {
				u.uses[next[a]] = use{int32(j), i}
				next[a]++
			}
		}
	}
}

// share is how many users of an atom make a part of its renewal: sums over
// more are sums of the sums of the parts.
const share = 512

// renew: d ← F·g/‖F·g‖, then g ← Fᵀd, where g are the coefficients of atom a and
// F = E + d·gᵀ the residuals without it, of the samples that use it
func (s *KSVDLearner) renew(a int) {
	of := s.users.uses[s.users.first[a]:s.users.first[a+1]]
	d := s.D.RawRowView(a)
	squares := s.correlate(of) // E·g, ‖g‖²
	axpy(squares, d, s.fresh)  // E·g + ‖g‖²d = F·g
	norm := math.Sqrt(dot(s.fresh, s.fresh))
	if !(norm > 0) {
		return
	}
	for i := range s.fresh {
		s.fresh[i] /= norm
	}
	cos := dot(d, s.fresh)
	parallel.For(len(of), share, func(lo, hi int) {
		for _, u := range of[lo:hi] {
			e, g := s.E.RawRowView(int(u.sample)), s.Γ.Coef[u.index]
			now := dot(e, s.fresh) + g*cos // Fᵀd
			axpy(g, d, e)
			axpy(-now, s.fresh, e) // F − d·gᵀ with the new d and g
			s.Γ.Coef[u.index] = now
		}
	})
	copy(d, s.fresh)
}

// correlate sets fresh to E·g over the uses of an atom and returns ‖g‖².
func (s *KSVDLearner) correlate(of []use) float64 {
	clear(s.fresh)
	if len(of) <= share {
		return s.add(s.fresh, of)
	}
	parts := (len(of) + share - 1) / share
	sums, squares := mat.NewDense(parts, len(s.fresh), nil), make([]float64, parts)
	parallel.For(len(of), share, func(lo, hi int) {
		squares[lo/share] = s.add(sums.RawRowView(lo/share), of[lo:hi])
	})
	var total float64
	for i, v := range squares {
		axpy(1, sums.RawRowView(i), s.fresh)
		total += v
	}
	return total
}

// add adds Σ g_j·e_j to sum and returns Σ g_j².
func (s *KSVDLearner) add(sum []float64, of []use) (squares float64) {
	for _, u := range of {
		g := s.Γ.Coef[u.index]
		axpy(g, s.E.RawRowView(int(u.sample)), sum)
		squares += g * g
	}
	return squares
}

// measure: ‖x_j − Dγ_j‖² of every sample
func (s *KSVDLearner) measure() {
	parallel.For(len(s.distances), share, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			e := s.E.RawRowView(j)
			s.distances[j] = dot(e, e)
		}
	})
}

// replace puts the samples with the longest residuals in the place of atoms
// that few samples use or that resemble an earlier atom. Cosines are computed
// of the used atoms alone, since none of the others stays.
func (s *KSVDLearner) replace() {
	clear(s.stale)
	s.replacements = 0
	used := s.used()
	spare := s.spare(used)
	cos := s.cosines(spare.atoms)
	repeats := make([]bool, len(used)) // used[i] resembles an atom before it
	next := 0                          // used[next:] are the used atoms from a on
	for a := range s.stale {
		if next < len(used) && used[next] == a {
			next++
			if !repeats[next-1] {
				s.mark(repeats[next:], func() []float64 { return cos.RawRowView(next - 1)[next:] })
				continue
			}
		}
		if !spare.next() {
			return // all others are rebuilt
		}
		copy(s.D.RawRowView(a), spare.sample())
		s.stale[a] = true
		s.replacements++
		s.mark(repeats[next:], func() []float64 { return spare.cosines()[next:] })
	}
}

// mark notes which of the later atoms resemble one, by their cosines to it.
func (s *KSVDLearner) mark(repeats []bool, cosines func() []float64) {
	if len(repeats) == 0 || s.Coherence >= 1 {
		return
	}
	for i, v := range cosines() {
		if math.Abs(v) > s.Coherence {
			repeats[i] = true
		}
	}
}

// cosines returns the upper triangle of AAᵀ; nil where no one asks.
func (s *KSVDLearner) cosines(atoms *mat.Dense) *mat.Dense {
	k, _ := atoms.Dims()
	if k == 0 || s.Coherence >= 1 {
		return nil
	}
	g := mat.NewDense(k, k, nil)
	lin.AAt(g, 1, atoms)
	return g
}

// used returns the atoms that as many samples use as MinUses asks.
func (s *KSVDLearner) used() (atoms []int) {
	for a := range s.stale {
		if s.uses(a) >= min(s.MinUses, len(s.distances)) {
			atoms = append(atoms, a)
		}
	}
	return atoms
}

func (s *KSVDLearner) uses(a int) (uses int) {
	for _, u := range s.users.uses[s.users.first[a]:s.users.first[a+1]] {
		if g := s.Γ.Coef[u.index]; g*g > unused*unused*s.energy[u.sample] {
			uses++
		}
	}
	return uses
}

// spares are the samples that may replace atoms, those with the longest
// residuals first. They are read, and multiplied with atoms, many at a time.
type spares struct {
	X        *mat.Dense // d×N
	atoms    *mat.Dense // that they are compared with, a row each
	order    []int      // the samples
	lo       int        // order[lo:hi] are the rows of unit
	hi       int
	position int        // the sample is order[at]; −1 before the first
	unit     *mat.Dense // samples at norm 1
	cos      *mat.Dense // unit·atomsᵀ; nil until it is asked for
}

// spare returns the samples that are not rebuilt, for comparison with atoms.
func (s *KSVDLearner) spare(atoms []int) *spares {
	_, d := s.D.Dims()
	p := &spares{X: s.X, atoms: &mat.Dense{}, position: -1}
	if len(atoms) > 0 {
		p.atoms = mat.NewDense(len(atoms), d, nil)
	}
	for i, a := range atoms {
		copy(p.atoms.RawRowView(i), s.D.RawRowView(a))
	}
	for j, v := range s.distances {
		if v > rebuilt*rebuilt*s.energy[j] {
			p.order = append(p.order, j)
		}
	}
	slices.SortStableFunc(p.order, func(i, j int) int { return cmp.Compare(s.distances[j], s.distances[i]) })
	return p
}

// next goes on to the next sample; false where there is none.
func (p *spares) next() bool {
	if p.position+1 == len(p.order) {
		return false
	}
	p.position++
	if p.position == p.hi {
		p.read()
	}
	return true
}

// The samples that are read at a time: twice as many as the time before, since
// most passes replace few atoms.
const (
	minLimit = 8
	limit    = 256
)

func (p *spares) read() {
	size := min(max(minLimit, 2*(p.hi-p.lo)), limit)
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
func (p *spares) sample() []float64 { return p.unit.RawRowView(p.position - p.lo) }

// cosines returns the products of the sample at norm 1 with the atoms.
func (p *spares) cosines() []float64 {
	if p.cos == nil {
		k, _ := p.atoms.Dims()
		p.cos = mat.NewDense(p.hi-p.lo, k, nil)
		lin.ABt(p.cos, 1, p.unit, p.atoms)
	}
	return p.cos.RawRowView(p.position - p.lo)
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
