package parallel

import (
	"runtime"
	"sync/atomic"
	"testing"

	"nrdl.example/nrdl/internal/blas"
)

func TestForVisitsEveryIndexOnce(t *testing.T) {
	for _, n := range []int{0, 1, 7, 8, 9, 1000} {
		for _, size := range []int{1, 8, 5000} {
			visits := make([]atomic.Int32, n)
			For(n, size, func(lo, hi int) {
				if lo%size != 0 || hi-lo > size {
					t.Errorf("n %d, size %d: part from %d to %d", n, size, lo, hi)
				}
				for j := lo; j < hi; j++ {
					visits[j].Add(1)
				}
			})
			for j := range visits {
				if v := visits[j].Load(); v != 1 {
					t.Errorf("n %d, size %d: index %d is visited %d times", n, size, j, v)
				}
			}
		}
	}
}

func TestForHasTheThreadsOfLinearAlgebra(t *testing.T) {
	defer blas.SetThreads(blas.SetThreads(0))
	for threads := 1; threads <= 3; threads++ {
		blas.SetThreads(threads)
		var now, largest atomic.Int64
		For(1000, 1, func(int, int) {
			n := now.Add(1)
			for seen := largest.Load(); n > seen && !largest.CompareAndSwap(seen, n); seen = largest.Load() {
			}
			runtime.Gosched()
			now.Add(-1)
		})
		if n := int(largest.Load()); n > threads {
			t.Errorf("%d at once on %d threads", n, threads)
		}
	}
}
