// Package parallel divides loops among the cores.
package parallel

import (
	"context"
	"sync"
	"sync/atomic"

	"nrdl.example/nrdl/internal/blas"
)

// For divides the indices 0 ≤ j < n into parts of size, the last one of the rest, and calls
// f(lo, hi) once for each part lo ≤ j < hi. The calls run at the same time, in any order, on
// as many threads as a BLAS call may use. For returns when all calls have returned.
func For(n, size int, f func(lo, hi int)) {
	if n <= size {
		if n > 0 {
			f(0, n)
		}
		return
	}
	parts := (n + size - 1) / size
	var next atomic.Int64
	work := func() {
		for {
			lo := (int(next.Add(1)) - 1) * size
			if lo >= n {
				return
			}
			f(lo, min(n, lo+size))
		}
	}
	var wg sync.WaitGroup
	for range min(parts, blas.Threads()) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
}

// Each is For of single indices, until ctx ends. After each it calls progress, which may be nil, with
// the number of those that are done; never by two goroutines at once.
func Each(ctx context.Context, n int, progress func(done, total int), f func(j int)) {
	var mu sync.Mutex
	done := 0
	For(n, 1, func(j, _ int) {
		if ctx.Err() != nil {
			return
		}
		f(j)
		mu.Lock()
		defer mu.Unlock()
		if done++; progress != nil {
			progress(done, n)
		}
	})
}
