package blas

const (
	trsmBase     = 64           // side of the triangles solved in the L1 cache
	trsmSlab     = 96           // smallest number of right-hand sides in a part
	trsmParallel = 64 * 64 * 64 // n·n·nrhs from which threads help
)

// A solve is one call: T·X = B in place, T lower triangular n×n by way of its
// view, B n×nrhs of any stride. An upper triangle is a lower one with the
// order of rows and columns reversed; X·T = B is Tᵀ·Xᵀ = Bᵀ.
type solve[T float] struct {
	mc      *machine[T]
	t, b    view[T]
	n, nrhs int
	unit    bool
	slab    int // right-hand sides in a part

	reversed bool
}

// triangular solves op(A)·X = alpha·B (left) or X·op(A) = alpha·B in place,
// a being the view of op(A), B m×n. up says that op(A) is upper triangular.
func (m *machine[T]) triangular(nt int, left, up, unit bool, rows, cols int, alpha T, a, b view[T]) {
	if rows == 0 || cols == 0 {
		return
	}
	if alpha != 1 {
		scale(rows, cols, alpha, b, full)
	}
	if alpha == 0 {
		return
	}
	n, nrhs := rows, cols
	if !left {
		n, nrhs = cols, rows
		a, b, up = a.t(), b.t(), !up
	}
	if up {
		a, b = view[T]{a.at(n-1, n-1), -a.rs, -a.cs}, view[T]{b.at(n-1, 0), -b.rs, b.cs}
	}
	s := m.solves.get()
	*s = solve[T]{mc: m, t: a, b: b, n: n, nrhs: nrhs, unit: unit, reversed: up}
	s.run(nt)
	m.solves.put(s)
}

// run solves in slabs of right-hand sides: they do not depend on each other.
func (s *solve[T]) run(nt int) {
	s.slab = s.nrhs
	if nt > 1 && s.n*s.n*s.nrhs >= trsmParallel {
		s.slab = even(s.nrhs, max(ceil(s.nrhs, nt), trsmSlab/2), s.mc.nr)
	}
	parallel(nt, ceil(s.nrhs, s.slab), s)
}

func (s *solve[T]) part(i int) {
	j := i * s.slab
	s.recurse(0, s.n, s.b.sub(0, j), min(s.slab, s.nrhs-j))
}

// recurse solves rows i0 ≤ i < i1 of nrhs right-hand sides; the rows before
// are solved and taken away.
func (s *solve[T]) recurse(i0, i1 int, b view[T], nrhs int) {
	n := i1 - i0
	if n <= trsmBase {
		s.base(i0, n, b.sub(i0, 0), nrhs)
		return
	}
	mid := i0 + ceil(n/2, trsmBase)*trsmBase
	s.recurse(i0, mid, b, nrhs)
	s.update(i0, mid, i1, b, nrhs)
	s.recurse(mid, i1, b, nrhs)
}

// update takes from the rows mid ≤ i < i1 what the rows i0 ≤ i < mid explain.
func (s *solve[T]) update(i0, mid, i1 int, b view[T], nrhs int) {
	t, x, y := s.t.sub(mid, i0), b.sub(i0, 0), b.sub(mid, 0)
	if s.reversed { // multiply in the order of memory
		t = view[T]{s.t.at(i1-1, mid-1), -s.t.rs, -s.t.cs}
		x, y = view[T]{b.at(mid-1, 0), -b.rs, b.cs}, view[T]{b.at(i1-1, 0), -b.rs, b.cs}
	}
	if b.cs == 1 {
		s.mc.multiply(1, i1-mid, nrhs, mid-i0, -1, t, x, 1, y, full)
		return
	}
	s.mc.multiply(1, nrhs, i1-mid, mid-i0, -1, x.t(), t.t(), 1, y.t(), full)
}

// base solves n ≤ trsmBase rows from row i0 on, whose first row is b.
func (s *solve[T]) base(i0, n int, b view[T], nrhs int) {
	mc := s.mc
	nr := mc.nr
	buf := mc.bits.get(trsmBase * (nr + 1))
	d := buf.buf[trsmBase*nr:]
	t := s.t.sub(i0, i0)
	for i := range n {
		d[i] = 1
		if !s.unit {
			d[i] /= *t.at(i, i)
		}
	}
	for j := 0; j < nrhs; j += nr {
		cols := min(nr, nrhs-j)
		x := b.sub(0, j)
		if b.cs == 1 {
			mc.solvePanel(t, d, n, x, cols)
			continue
		}
		y := view[T]{&buf.buf[0], nr, 1}
		s.carry(y, x, n, cols, true)
		mc.solvePanel(t, d, n, y, cols)
		s.carry(y, x, n, cols, false)
	}
	mc.bits.put(buf)
}

// carry transposes the n×cols block x, contiguous along its columns, to y, or
// back.
func (s *solve[T]) carry(y, x view[T], n, cols int, to bool) {
	if s.reversed { // contiguous from the last row on
		x = view[T]{x.at(n-1, 0), -x.rs, x.cs}
		y = view[T]{y.at(n-1, 0), -y.rs, y.cs}
	}
	if to {
		s.mc.transpose(y, x.t(), cols, n)
	} else {
		s.mc.transpose(x.t(), y, n, cols)
	}
}

// solvePanel solves T·X = B for cols ≤ nr right-hand sides with unit column
// stride; d has the reciprocals of T's diagonal.
func (m *machine[T]) solvePanel(t view[T], d []T, n int, b view[T], cols int) {
	for i := 0; i < n; {
		h := m.height(n - i)
		rows := 1 << h
		x := b.at(i, 0)
		if i > 0 {
			m.tile(rows, cols, i, -1, t.sub(i, 0), b.p, b.rs, x, b.rs, add)
		}
		m.solveRows(h, t.sub(i, i), &d[i], x, b.rs, cols)
		i += rows
	}
}

// solveRows solves for 1<<h rows and cols columns.
func (m *machine[T]) solveRows(h int, t view[T], d, b *T, rsb, cols int) {
	for j := 0; j < cols; {
		v, done := m.vectors(cols - j)
		m.trsm[h][v-1](t.p, t.rs, t.cs, d, after(b, j), rsb, done-(v-1)*m.lanes)
		j += done
	}
}
