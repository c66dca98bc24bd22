package significance

import (
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"
)

// Ranks ranks a row of rates: the highest is 1, equal ones share the mean of
// their ranks. NaN has the rank NaN and does not count.
func Ranks(row []float64) []float64 {
	negated, at := make([]float64, 0, len(row)), make([]int, 0, len(row))
	ranks := make([]float64, len(row))
	for i, x := range row {
		ranks[i] = math.NaN()
		if !math.IsNaN(x) {
			negated, at = append(negated, -x), append(at, i)
		}
	}
	for i, r := range midranks(negated, equalWithin*largest(negated)) {
		ranks[at[i]] = r
	}
	return ranks
}

// A FriedmanTest is the outcome of Friedman's test on n blocks and k methods.
type FriedmanTest struct {
	MeanRanks  []float64 // of each method, 1 the best
	ChiSquared float64   // corrected for ties
	P          float64   // of ChiSquared, at k − 1 degrees of freedom
	F          float64   // of Iman and Davenport; +Inf where all blocks agree
	PF         float64   // of F, at k − 1 and (k − 1)(n − 1); less conservative than P
}

// Friedman tests that k methods rank alike over n blocks, databases or splits:
// rates is n×k, a block a row, higher is better. With rᵢⱼ the rank of method j
// in block i, Rⱼ = Σᵢ rᵢⱼ, A = Σᵢⱼ rᵢⱼ², B = ΣⱼRⱼ²/n and C = nk(k+1)²/4,
//
//	χ² = n(k−1)·(B − C)/(A − C)    F = (n−1)·(B − C)/(A − B)
//
// which are [demsar] and [iman] where nothing ties, and correct for ties where
// something does. If every block ties throughout, both are 0 and both p-values
// 1. It is an error if there are fewer than two blocks or methods, rows are of
// unequal lengths or a rate is not finite.
func Friedman(rates [][]float64) (FriedmanTest, error) {
	if len(rates) < 2 || len(rates[0]) < 2 {
		return FriedmanTest{}, fmt.Errorf("rank methods over blocks: at least 2 of each are needed")
	}
	blocks, methods := len(rates), len(rates[0])
	n, k := float64(blocks), float64(methods)
	sums := make([]float64, methods)
	squares := 0.0 // A
	for i, row := range rates {
		if len(row) != methods {
			return FriedmanTest{}, fmt.Errorf("block %d has %d rates, block 1 has %d", i+1, len(row), methods)
		}
		for j, x := range row {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return FriedmanTest{}, fmt.Errorf("block %d: rate %d is %v", i+1, j+1, x)
			}
		}
		for j, r := range Ranks(row) {
			sums[j] += r
			squares += r * r
		}
	}
	t := FriedmanTest{MeanRanks: make([]float64, methods), P: 1, PF: 1}
	ofSums := 0.0 // n·B
	for j, s := range sums {
		t.MeanRanks[j] = s / n
		ofSums += s * s
	}
	// n times the terms of the equations: multiples of ¼, and so exact.
	constant := n * n * k * (k + 1) * (k + 1) / 4
	between, total := ofSums-constant, n*squares-constant // n(B − C), n(A − C)
	if between == 0 {
		return t, nil
	}
	t.ChiSquared = n * (k - 1) * between / total
	t.P = distuv.ChiSquared{K: k - 1}.Survival(t.ChiSquared)
	t.F = (n - 1) * between / (total - between)
	t.PF = distuv.F{D1: (k - 1) * (n - 1), D2: k - 1}.CDF(1 / t.F) // 1/F has the degrees of freedom exchanged
	return t, nil
}

// CriticalDifference returns the critical difference of Nemenyi's test at level α: two of k
// methods over n blocks are significantly different if their mean ranks differ by at least
// this much [demsar]:
//
//	CD = q/√2 · √(k(k+1)/(6n))
//
// where q is exceeded with probability α by the studentised range of k values
// at infinite degrees of freedom. It is an error if k < 2 or k > 1000, n < 1 or
// α is not between 0 and 1.
func CriticalDifference(k, n int, alpha float64) (float64, error) {
	switch {
	case k < 2 || k > maxMethods:
		return 0, fmt.Errorf("critical difference of %d methods: not 2 to %d", k, maxMethods)
	case n < 1:
		return 0, fmt.Errorf("critical difference over %d blocks: at least 1 is needed", n)
	case !(alpha > 0 && alpha < 1):
		return 0, fmt.Errorf("critical difference at level %v: not between 0 and 1", alpha)
	}
	m := float64(k)
	type of struct{ k, alpha float64 }
	q, ok := quantiles.Load(of{m, alpha})
	if !ok {
		q = rangeQuantile(m, alpha)
		quantiles.Store(of{m, alpha}, q)
	}
	return q.(float64) / math.Sqrt2 * math.Sqrt(m*(m+1)/(6*float64(n))), nil
}

// quantiles are those that rangeQuantile returned: each takes some 50 integrals, and all
// tables of a report need the same few.
var quantiles sync.Map

// rangeQuantile is the q of which rangeSurvival is α, to the last bits, by
// bisection.
func rangeQuantile(k, alpha float64) float64 {
	low, high := 0.0, 1.0
	for rangeSurvival(k, high) > alpha {
		low, high = high, 2*high
	}
	for {
		q := low + (high-low)/2
		if q <= low || q >= high {
			return q
		}
		if rangeSurvival(k, q) > alpha {
			low = q
		} else {
			high = q
		}
	}
}

const (
	maxMethods  = 1000 // the more, the narrower is the peak under the integral
	rangeTail   = 9    // φ(9) < 1e-17
	rangePoints = 300  // of the quadrature: rangeSurvival(1000, 0) is 1 to 1e-13
)

// rangeSurvival is the probability that the range of k independent standard
// normal values exceeds q ≥ 0. It is 1 less the usual integral of the
// distribution, with z the largest value and the difference under the integral
// sign, so that small probabilities keep their digits:
//
//	k ∫ φ(z)·{Φ(z)ᵏ⁻¹ − [Φ(z) − Φ(z−q)]ᵏ⁻¹} dz
func rangeSurvival(k, q float64) float64 {
	normal := distuv.UnitNormal
	density := func(z float64) float64 {
		all := normal.CDF(z)
		return normal.Prob(z) * math.Pow(all, k-1) * -math.Expm1((k-1)*math.Log1p(-normal.CDF(z-q)/all))
	}
	return k * quad.Fixed(density, -rangeTail, q+rangeTail, rangePoints, quad.Legendre{}, 0)
}
