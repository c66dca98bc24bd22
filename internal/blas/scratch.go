package blas

import (
	"sync"
	"unsafe"
)

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
