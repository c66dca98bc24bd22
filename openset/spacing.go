package openset

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"
)

// Integrals over a normal number go this far and take so many points; those over
// the logarithm of a scale take fewer.
const (
	farOut = 9.0
	points = 200

	scalePoints = 24
)

// A rule of quadrature: Σ w f(x).
type quadrature struct{ x, w []float64 }

func legendre(n int, lo, hi float64) quadrature {
	q := quadrature{make([]float64, n), make([]float64, n)}
	quad.Legendre{}.FixedLocations(q.x, q.w, lo, hi)
	return q
}

func (q quadrature) integrate(f func(float64) float64) (sum float64) {
	for i, x := range q.x {
		sum += q.w[i] * f(x)
	}
	return sum
}

var (
	overNumbers   = sync.OnceValue(func() quadrature { return legendre(points, -farOut, farOut) })
	overDistances = sync.OnceValue(func() quadrature { return legendre(points, 0, 2*farOut) })
	densities     = sync.OnceValue(func() []float64 { // at the points of overNumbers
		d := make([]float64, points)
		for i, x := range overNumbers().x {
			d[i] = distuv.UnitNormal.Prob(x)
		}
		return d
	})
	overScales = sync.OnceValue(func() quadrature { return legendre(scalePoints, -farOut/2, farOut/2) })
)

// spacing is the expected distance between the two largest of n standard normal
// numbers, n ∫ Φ(x)ⁿ⁻¹(1 − Φ(x)) dx.
func spacing(n int) float64 {
	return overNumbers().integrate(func(x float64) float64 {
		p := distuv.UnitNormal.CDF(x)
		return float64(n) * math.Pow(p, float64(n-1)) * distuv.UnitNormal.Survival(x)
	})
}

// spacingVariation is the variance of that distance in units of its squared mean:
// 0.57 for two numbers, and towards 1, that of an exponential number, for many.
func spacingVariation(n int) float64 {
	square := overDistances().integrate(func(t float64) float64 { return 2 * t * spacingSurvival(n, t) })
	mean := spacing(n)
	return square/(mean*mean) - 1
}

// spacingSurvival is the probability that it exceeds t, n ∫ φ(x)Φ(x − t)ⁿ⁻¹ dx.
func spacingSurvival(n int, t float64) (p float64) {
	q, density := overNumbers(), densities()
	for i, x := range q.x {
		if x < t-farOut {
			continue // Φ is less than 10⁻¹⁸
		}
		p += q.w[i] * (float64(n) * density[i] * math.Pow(distuv.UnitNormal.CDF(x-t), float64(n-1)))
	}
	return p
}

// marginSurvival is the probability that the distance exceeds t where the n
// numbers have a scale of their own in each draw, whose logarithm is normal with
// this deviation.
func marginSurvival(n int, t, deviation float64) float64 {
	if deviation == 0 {
		return spacingSurvival(n, t)
	}
	return overScales().integrate(func(z float64) float64 {
		return distuv.UnitNormal.Prob(z) * spacingSurvival(n, t*math.Exp(-deviation*z))
	})
}

// marginQuantile is what the distance exceeds with probability p, in units of its
// mean: the middle of the step of 200/2³⁰ in which the survival falls to p.
func marginQuantile(n int, p, deviation float64) float64 {
	const farthest, steps = 200.0, 1 << 30
	const step = farthest / steps
	mean := spacing(n) * math.Exp(deviation*deviation/2)
	// The logarithm of the survival is nearly a line, so that secants find the step in
	// a few evaluations; a bisection takes 30.
	lo, hi := 0, steps
	last, before := 0, 0
	excess, excessBefore := -math.Log(p), 0.0
	guess := min(steps/2, int(excess/step)) // if the law were exponential
	for secants := 0; hi-lo > 1; secants++ {
		before, excessBefore = last, excess
		last = min(hi-1, max(lo+1, guess))
		excess = math.Log(marginSurvival(n, float64(last)*step*mean, deviation) / p)
		if excess > 0 {
			lo = last
		} else {
			hi = last
		}
		guess = lo + (hi-lo)/2
		const most = 20 // of them: what rounding does not let them end, halves end
		if line := float64(last-before) * excess / (excessBefore - excess); secants < most && math.Abs(line) < steps {
			guess = last + int(math.Round(line))
		}
	}
	return (float64(lo) + 0.5) * step
}
