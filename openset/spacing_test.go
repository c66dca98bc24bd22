package openset

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The quantile by secants has the bits of the bisection, where the law is that of an
// exponential number and where its tail is far heavier.
func TestQuantileIsThatOfTheBisection(t *testing.T) {
	bisection := func(n int, p, deviation float64) float64 {
		mean := spacing(n) * math.Exp(deviation*deviation/2)
		lo, hi := 0.0, 200.0
		for range 30 {
			if mid := (lo + hi) / 2; marginSurvival(n, mid*mean, deviation) > p {
				lo = mid
			} else {
				hi = mid
			}
		}
		return (lo + hi) / 2
	}
	rng := rand.New(rand.NewPCG(21, 22))
	for i := range 16 {
		n, p := 2+rng.IntN(60), 0.5*math.Exp(-14*rng.Float64())
		deviation := 1.5 * rng.Float64() * float64(i%2)
		if got, want := marginQuantile(n, p, deviation), bisection(n, p, deviation); got != want {
			t.Errorf("n = %d, p = %v, deviation %v: %v, by bisection %v", n, p, deviation, got, want)
		}
	}
	if got := marginQuantile(3, 1e-9, 5); math.Abs(got-200) > 1e-6 {
		t.Errorf("a tail that ends nowhere: %v", got)
	}
}
