package blas

import (
	"sync"
	"unsafe"
)

// packB writes the k×cols panel b, cols ≤ nr, to dst as k rows of nr elements;
// the columns that are not there stay as they are, and no kernel reads them.
func (m *machine[T]) packB(dst *T, b view[T], k, cols int) {
	switch {
	case b.cs != 1:
		m.transpose(view[T]{dst, m.nr, 1}, b.t(), cols, k)
	case cols == m.nr && !m.plain:
		m.copy(k, b.p, b.rs, dst)
	default:
		m.packRows(dst, m.nr, b, k, cols)
	}
}

// packRows copies k rows of cols elements to dst, ld apart.
func (m *machine[T]) packRows(dst *T, ld int, b view[T], k, cols int) {
	for p := range k {
		copy(unsafe.Slice(after(dst, p*ld), cols), b.row(p, 0, cols))
	}
}

// transpose writes src, rows×cols with unit column stride, to dst, cols×rows.
func (m *machine[T]) transpose(dst, src view[T], rows, cols int) {
	if m.plain {
		transposeSlow(dst, src, 0, rows, 0, cols)
		return
	}
	w := m.square
	full := cols / w
	i := 0
	if full > 0 {
		for ; i+w <= rows; i += w {
			m.trans(full, src.at(i, 0), src.rs, dst.at(0, i), dst.rs)
			transposeSlow(dst, src, i, i+w, full*w, cols)
		}
	}
	transposeSlow(dst, src, i, rows, 0, cols)
}

// transposeSlow transposes rows i0 ≤ i < i1, columns j0 ≤ j < j1 of src.
func transposeSlow[T float](dst, src view[T], i0, i1, j0, j1 int) {
	if i0 == i1 || j0 == j1 {
		return
	}
	for i := i0; i < i1; i++ {
		p := dst.at(j0, i)
		for j, x := range src.row(i, j0, j1) {
			*after(p, j*dst.rs) = x
		}
	}
}

// packA writes rows ≤ mr rows of a, k wide, to dst and returns the view of
// them. Rows stay rows: the kernels read any stride, and copying is cheaper
// than interleaving.
func (m *machine[T]) packA(dst *T, a view[T], rows, k int) view[T] {
	v := m.slivered(dst, a, k)
	if a.cs == 1 {
		m.packRows(dst, k, a, rows, k)
	} else {
		m.packRows(dst, m.mr, a.t(), k, rows)
	}
	return v
}

// slivered is the view of the rows of a that packA wrote to dst.
func (m *machine[T]) slivered(dst *T, a view[T], k int) view[T] {
	if a.cs == 1 {
		return view[T]{dst, k, 1}
	}
	return view[T]{dst, 1, m.mr}
}

// scratch is reusable memory; a call takes what it needs and gives it back.
type scratch[T float] struct {
	buf []T
}

// An arena lends memory of one element type.
type arena[T float] struct{ pool sync.Pool }

// get returns n elements of unspecified value, starting at a cache line.
func (a *arena[T]) get(n int) *scratch[T] {
	s, _ := a.pool.Get().(*scratch[T])
	if s == nil {
		s = new(scratch[T])
	}
	if cap(s.buf) < n {
		s.buf = aligned[T](n)
	}
	s.buf = s.buf[:n]
	return s
}

func (a *arena[T]) put(s *scratch[T]) { a.pool.Put(s) }

// aligned makes n elements that start at a cache line.
func aligned[T float](n int) []T {
	const line = 64
	size := int(unsafe.Sizeof(*new(T)))
	b := make([]T, n+line/size)
	skip := (line - int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))%line)) % line / size
	return b[skip : skip+n : skip+n]
}

// A stock keeps used values of one type, for calls to allocate nothing.
type stock[T any] struct{ pool sync.Pool }

func (s *stock[T]) get() *T {
	if x, ok := s.pool.Get().(*T); ok {
		return x
	}
	return new(T)
}

func (s *stock[T]) put(x *T) {
	var zero T
	*x = zero // keep no hold on the caller's matrices
	s.pool.Put(x)
}
