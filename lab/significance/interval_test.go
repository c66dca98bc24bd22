package significance

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// The values are those that binom.test of R prints.
func TestIntervalAgainstR(t *testing.T) {
	for _, g := range []struct {
		k, n      int
		low, high float64
	}{
		{0, 10, 0, 0.3085}, {10, 10, 0.6915, 1}, {1, 2, 0.0126, 0.9874},
	} {
		low, high := Interval(g.k, g.n, 0.05)
		if math.Abs(low-g.low) > 6e-5 || math.Abs(high-g.high) > 6e-5 {
			t.Errorf("%d of %d: %v, %v, want %v, %v", g.k, g.n, low, high, g.low, g.high)
		}
	}
}

// At each end of the interval, a result at least as extreme as the one seen has the
// probability alpha/2.
func TestIntervalByItsDefinition(t *testing.T) {
	const alpha = 0.05
	for _, n := range []int{1, 7, 160, 1654} {
		for _, k := range []int{0, 1, n / 2, n - 1, n} {
			low, high := Interval(k, n, alpha)
			if !(0 <= low && low <= float64(k)/float64(n) && float64(k)/float64(n) <= high && high <= 1) {
				t.Fatalf("%d of %d: %v to %v", k, n, low, high)
			}
			atLeast := func(p float64) float64 { return 1 - distuv.Binomial{N: float64(n), P: p}.CDF(float64(k-1)) }
			atMost := func(p float64) float64 { return distuv.Binomial{N: float64(n), P: p}.CDF(float64(k)) }
			if k > 0 && math.Abs(atLeast(low)-alpha/2) > 1e-6 {
				t.Errorf("%d of %d: P(≥ k) = %v at %v", k, n, atLeast(low), low)
			}
			if k < n && math.Abs(atMost(high)-alpha/2) > 1e-6 {
				t.Errorf("%d of %d: P(≤ k) = %v at %v", k, n, atMost(high), high)
			}
		}
	}
}
