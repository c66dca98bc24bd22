package blas

import "math"

// cholBlock is the number of rows factored at a time. It is a multiple of
// every nr, for the packed panels to start where the blocks do.
const cholBlock = 96

// A cholesky is one factorization A = UᵀU in place, the upper triangle of an
// n×n matrix. For each block of rows: solve for its rest, UᵢᵢᵀUᵢⱼ = Aᵢⱼ, then
// update what is below. The update factors the next diagonal block as soon as
// that is up to date, while the other threads go on.
type cholesky[T float] struct {
	update product[T] // of the trailing matrix; its mc, nt, kb, bbuf serve all
	a      view[T]
	n      int
	j      int  // first row of the block
	trails bool // the phase
	ok     bool
	d      [cholBlock]T // reciprocals of the block's diagonal
}

func (f *cholesky[T]) part(i int) {
	if f.trails {
		f.trail(i)
		return
	}
	f.solve(i)
}

// factor factors the upper triangle of a, n×n; false if it is not positive
// definite.
func (m *machine[T]) factor(nt, n int, a view[T]) bool {
	f := m.chols.get()
	f.a, f.n = a, n
	f.update = product[T]{mc: m, alpha: -1, mode: add, tri: upper, rank: true}
	ok := f.run(nt)
	m.chols.put(f)
	return ok
}

func (f *cholesky[T]) run(nt int) bool {
	g := &f.update
	mc := g.mc
	if !f.diagonal(0) {
		return false
	}
	if f.n <= cholBlock {
		return true
	}
	buf := mc.panels.get(cholBlock * ceil(f.n, mc.nr) * mc.nr)
	defer mc.panels.put(buf)
	g.bbuf, g.kb = &buf.buf[0], cholBlock
	f.ok = true
	for f.j = 0; f.j+cholBlock < f.n && f.ok; f.j += cholBlock {
		next := f.j + cholBlock
		rest := f.n - next
		g.m, g.n, g.mb, g.nb = rest, rest, rest, rest
		g.c = f.a.sub(next, next)
		f.trails = false
		parallel(nt, ceil(rest, mc.nr), f)
		f.trails = true
		s := ceil(rest, cholBlock)
		parallel(nt, s*(s+1)/2, f)
	}
	return f.ok
}

// solve finds panel i of the block's rows right of the diagonal and packs it.
func (f *cholesky[T]) solve(i int) {
	g := &f.update
	mc := g.mc
	c := i * mc.nr
	cols := min(mc.nr, g.n-c)
	b := f.a.sub(f.j, f.j+cholBlock+c)
	mc.solvePanel(f.a.sub(f.j, f.j).t(), f.d[:], cholBlock, b, cols)
	mc.packB(after(g.bbuf, c*cholBlock), b, cholBlock, cols)
}

// trail updates square i of the trailing matrix, counted along its rows.
func (f *cholesky[T]) trail(i int) {
	g := &f.update
	r, s := 0, ceil(g.n, cholBlock)
	for ; i >= s-r; r++ {
		i -= s - r
	}
	i0, j0 := r*cholBlock, (r+i)*cholBlock
	g.tiles(i0, min(i0+cholBlock, g.n), j0, min(j0+cholBlock, g.n))
	if j0 == 0 {
		f.ok = f.diagonal(f.j + cholBlock)
	}
}

// diagonal factors the block of the diagonal that starts at row j, looking
// left: a few rows at a time are updated, factored, and solved for the rest.
func (f *cholesky[T]) diagonal(j int) bool {
	mc := f.update.mc
	n := min(cholBlock, f.n-j)
	a := f.a.sub(j, j)
	s := mc.bits.get(mc.mr * mc.nr)
	defer mc.bits.put(s)
	for i := 0; i < n; {
		h := mc.height(n - i)
		rows := 1 << h
		if !f.corner(a, i, rows, s) {
			return false
		}
		for c := i + rows; c < n; c += mc.nr {
			cols := min(mc.nr, n-c)
			b := a.at(i, c)
			if i > 0 {
				mc.tile(rows, cols, i, -1, view[T]{a.at(0, i), 1, a.rs}, a.at(0, c), a.rs, b, a.rs, add)
			}
			mc.solveRows(h, a.sub(i, i).t(), &f.d[i], b, a.rs, cols)
		}
		i += rows
	}
	return true
}

// corner updates and factors the rows×rows corner at (i, i). The kernels write
// squares, so it is done in s.
func (f *cholesky[T]) corner(a view[T], i, rows int, s *scratch[T]) bool {
	mc := f.update.mc
	x := view[T]{&s.buf[0], mc.nr, 1}
	for r := range rows {
		copy(x.row(r, r, rows), a.row(i+r, i+r, i+rows))
	}
	if i > 0 {
		mc.tile(rows, rows, i, -1, view[T]{a.at(0, i), 1, a.rs}, a.at(0, i), a.rs, x.p, x.rs, add)
	}
	ok := factorSmall(x, f.d[i:i+rows])
	for r := range rows {
		copy(a.row(i+r, i+r, i+rows), x.row(r, r, rows))
	}
	return ok
}

// factorSmall factors the upper triangle of x, as large as d, which gets the
// reciprocals of the diagonal.
func factorSmall[T float](x view[T], d []T) bool {
	n := len(d)
	for k := range d {
		row := x.row(k, k, n)
		if !(row[0] > 0) { // or NaN
			return false
		}
		root := T(math.Sqrt(float64(row[0])))
		d[k] = 1 / root
		row[0] = root
		for j := 1; j < len(row); j++ {
			row[j] *= d[k]
		}
		for i := 1; i < len(row); i++ {
			y := x.row(k+i, k+i, n)
			u := row[i:][:len(y)]
			for j := range y {
				y[j] -= T(row[i] * u[j]) // rounded, so that every processor does the same
			}
		}
	}
	return true
}

// factorLower factors the lower triangle of a, A = LLᵀ, by way of a transposed
// copy.
func (m *machine[T]) factorLower(nt, n int, a view[T]) bool {
	buf := m.panels.get(n * n)
	defer m.panels.put(buf)
	u := view[T]{&buf.buf[0], n, 1}
	m.transposeLower(u, a, n, false)
	ok := m.factor(nt, n, u)
	m.transposeLower(a, u, n, true)
	return ok
}

// transposeLower transposes one triangle of src to the opposite one of dst,
// the lower one of dst if toLower, and leaves the rest of dst alone.
func (m *machine[T]) transposeLower(dst, src view[T], n int, toLower bool) {
	const block = 64
	for i := 0; i < n; i += block { // of the lower triangle
		rows := min(block, n-i)
		if toLower {
			m.transpose(dst.sub(i, 0), src.sub(0, i), i, rows)
		} else {
			m.transpose(dst.sub(0, i), src.sub(i, 0), rows, i)
		}
		for r := range rows {
			if toLower {
				transposeSlow(dst.sub(i, i), src.sub(i, i), r, r+1, r, rows)
			} else {
				transposeSlow(dst.sub(i, i), src.sub(i, i), r, r+1, 0, r+1)
			}
		}
	}
}
