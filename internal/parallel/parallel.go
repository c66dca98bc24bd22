// Package parallel divides loops among the cores.
package parallel

import (
	"sync"
	"sync/atomic"

	"nrdl.example/nrdl/internal/blas"
)

// For calls f for the parts lo ≤ j < hi that 0 ≤ j < n is cut into, size
// indices each, on as many threads as a BLAS call may use, and returns when all have
// returned. Which thread does which part is left to chance, so that f must not
// care.
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
