// Package parallel divides loops among the cores.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

var maxThreads atomic.Int64

// SetThreads limits each For to n cores; 0, the default, means GOMAXPROCS. It
// returns the previous limit.
func SetThreads(n int) (old int) {
	return int(maxThreads.Swap(int64(max(n, 0))))
}

// For calls f for the parts lo ≤ j < hi that 0 ≤ j < n is cut into, size
// indices each, on the cores that there are, and returns when all have returned. Which core
// does which part is left to chance, so that f must not care.
func For(n, size int, f func(lo, hi int)) {
	if n <= size {
		if n > 0 {
			f(0, n)
		}
		return
	}
	parts := (n + size - 1) / size
	threads := min(parts, runtime.GOMAXPROCS(0))
	if n := int(maxThreads.Load()); n > 0 {
		threads = min(threads, n)
	}
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
	for range threads - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
}
