package feature

import "sync"

// buffers are slices of one size that are used again and again.
type buffers = recycled[float64]

type recycled[T any] struct {
	size int
	pool sync.Pool // of *[]T
}

// get returns a slice of that size with anything in it.
func (r *recycled[T]) get() *[]T {
	if s, ok := r.pool.Get().(*[]T); ok {
		return s
	}
	s := make([]T, r.size)
	return &s
}

func (r *recycled[T]) put(s *[]T) { r.pool.Put(s) }
