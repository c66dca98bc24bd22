package network

import (
	"math/rand/v2"
	"testing"
)

// Products of any size and layout are those of the definition.
func TestMultiply(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	whole := func(n int) []float32 { // whole numbers, whose sums are exact
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(r.IntN(17) - 8)
		}
		return x
	}
	for range 200 {
		m, n, k := r.IntN(4), r.IntN(12), r.IntN(6)
		a, b, o := whole(m*k), whole(k*n), make([]float32, m*n)
		am, ak, bk, bn := k, 1, n, 1
		if r.IntN(2) == 0 {
			am, ak = 1, m
		}
		if r.IntN(2) == 0 {
			bk, bn = 1, k
		}
		multiply(o, a, b, m, n, k, am, ak, bk, bn, 0.5)
		for y := range m {
			for x := range n {
				var want float32
				for j := range k {
					want += a[y*am+j*ak] * b[j*bk+x*bn]
				}
				if o[y*n+x] != want/2 {
					t.Fatalf("%d×%d×%d: element %d, %d is %v, not %v", m, k, n, y, x, o[y*n+x], want/2)
				}
			}
		}
	}
}
