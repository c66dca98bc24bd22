package nrdl

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"
)

// Integrals over a normal number go this far and take so many points.
const (
	farOut = 9.0
	points = 200
)

// spacing is the expected distance between the two largest of n standard normal
// numbers, n ∫ Φ(x)ⁿ⁻¹(1 − Φ(x)) dx.
func spacing(n int) float64 {
	return quad.Fixed(func(x float64) float64 {
		p := distuv.UnitNormal.CDF(x)
		return float64(n) * math.Pow(p, float64(n-1)) * distuv.UnitNormal.Survival(x)
	}, -farOut, farOut, points, quad.Legendre{}, 0)
}

// spacingVariation is the variance of that distance in units of its squared mean:
// 0.57 for two numbers, and towards 1, that of an exponential number, for many.
func spacingVariation(n int) float64 {
	square := quad.Fixed(func(t float64) float64 { return 2 * t * spacingSurvival(n, t) }, 0, 2*farOut, points, quad.Legendre{}, 0)
	mean := spacing(n)
	return square/(mean*mean) - 1
}

// spacingQuantile is the distance that the two largest of n standard normal
// numbers exceed with probability p.
func spacingQuantile(n int, p float64) float64 {
	lo, hi := 0.0, 2*farOut
	for range 60 {
		if mid := (lo + hi) / 2; spacingSurvival(n, mid) > p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// spacingSurvival is the probability that it exceeds t, n ∫ φ(x)Φ(x − t)ⁿ⁻¹ dx.
func spacingSurvival(n int, t float64) float64 {
	return quad.Fixed(func(x float64) float64 {
		return float64(n) * distuv.UnitNormal.Prob(x) * math.Pow(distuv.UnitNormal.CDF(x-t), float64(n-1))
	}, -farOut, farOut, points, quad.Legendre{}, 0)
}
