// Package significance tests whether methods differ: two of them over paired
// runs (Wilcoxon, CorrectedT) or on the same faces (SignFlips), several over
// databases (Friedman, CriticalDifference), with Holm's adjustment where many
// hypotheses are tested at once. All tests are two-sided.
//
// The tests take pairs, and databases, to be independent. Random splits of one
// database share samples and are not: over them a p-value says how steady a
// difference is from split to split and comes out too small as a statement
// about new faces; CorrectedT allows for that.
//
// Rates are quotients k/n, and the differences and means of equal ones differ
// by rounding. Values are therefore equal, and differences zero, where they are
// within 1e-12 of the largest magnitude in the sample: far above rounding, and
// below 1/(n·m), the least distance of two unequal rates k/n and l/m, for up
// to a million faces.
//
// Tags such as [demsar] are the keys of doc/references.bib.
//
// Experimental: this package may change in any version.
package significance

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// equalWithin, of the largest magnitude in a sample, is how far apart two equal
// values may lie.
const equalWithin = 1e-12

// A Test is the outcome of a two-sided test on pairs.
type Test struct {
	Statistic float64 // the smaller rank sum, or t
	P         float64 // p-value, in [0, 1]
	N         int     // pairs that counted
	Exact     bool    // P is from the exact null distribution, not a limit
}

// pairs holds the differences of paired values, of a sample of at least one.
type pairs struct {
	differences []float64 // aᵢ − bᵢ, 0 where equal
	tolerance   float64   // within which differences are equal
}

func differences(a, b []float64) (pairs, error) {
	if len(a) != len(b) {
		return pairs{}, fmt.Errorf("pair %d values with %d: not as many", len(a), len(b))
	}
	if len(a) == 0 {
		return pairs{}, fmt.Errorf("compare pairs: there are none")
	}
	tolerance := equalWithin * max(largest(a), largest(b))
	d := make([]float64, len(a))
	for i := range d {
		d[i] = a[i] - b[i]
		if math.IsNaN(d[i]) || math.IsInf(d[i], 0) {
			return pairs{}, fmt.Errorf("pair %d: the difference of %v and %v is not finite", i+1, a[i], b[i])
		}
		if math.Abs(d[i]) <= tolerance {
			d[i] = 0
		}
	}
	return pairs{d, tolerance}, nil
}

// largest is the largest finite magnitude in v, or 0.
func largest(v []float64) (m float64) {
	for _, x := range v {
		if a := math.Abs(x); a > m && !math.IsInf(a, 0) {
			m = a
		}
	}
	return m
}

// midranks ranks v, which holds no NaN: the smallest is 1, and values within
// the tolerance of the smallest among them share the mean of their ranks, a
// multiple of ½.
func midranks(v []float64, tolerance float64) []float64 {
	order := ascending(v)
	ranks := make([]float64, len(v))
	for i, j := 0, 0; i < len(order); i = j {
		lowest := v[order[i]]
		for j < len(order) && (v[order[j]] == lowest || v[order[j]]-lowest <= tolerance) {
			j++
		}
		for _, o := range order[i:j] {
			ranks[o] = float64(i+1+j) / 2 // of i+1 … j
		}
	}
	return ranks
}

// ascending is the stable order that sorts v.
func ascending(v []float64) []int {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(v[i], v[j]) })
	return order
}

// Holm returns the p-values adjusted for the number of tests [holm], in the order given: if
// all tests with an adjusted p-value up to α are rejected, the chance of any false rejection
// is at most α. With p₍₁₎ ≤ … ≤ p₍ₘ₎,
//
//	p̃₍ᵢ₎ = max_{j ≤ i} min(1, (m − j + 1)·p₍ⱼ₎)
//
// A value that is no probability, such as NaN, becomes NaN and does not count as a test.
func Holm(p []float64) []float64 {
	adjusted := make([]float64, len(p))
	order := ascending(p)
	order = slices.DeleteFunc(order, func(i int) bool {
		adjusted[i] = math.NaN()
		return !(p[i] >= 0 && p[i] <= 1)
	})
	highest := 0.0
	for j, i := range order {
		highest = max(highest, min(1, float64(len(order)-j)*p[i]))
		adjusted[i] = highest
	}
	return adjusted
}

// Interval returns the exact interval of Clopper and Pearson for a probability, from the
// number of successes in n independent trials. It covers the probability with a confidence
// of at least 1−alpha. For n = 0 it is 0 to 1.
func Interval(successes, n int, alpha float64) (low, high float64) {
	k, m := float64(successes), float64(n)
	low, high = 0, 1
	if successes > 0 {
		low = distuv.Beta{Alpha: k, Beta: m - k + 1}.Quantile(alpha / 2)
	}
	if successes < n {
		high = distuv.Beta{Alpha: k + 1, Beta: m - k}.Quantile(1 - alpha/2)
	}
	return low, high
}

// maxSteps bounds the work for the exact distribution of SignFlips. With more differences
// their sum is approximately normal.
const maxSteps = 1e8

// SignFlips is Fisher's randomisation test for paired samples [fisher]. It returns the
// two-sided p-value of the sum of the integer differences d under the hypothesis that the
// sign of each is random. If d has, for each face, the difference of the errors of two
// classifiers, summed over runs on the same faces, the unit of the test is the face; for a
// single run it is McNemar's test [mcnemar]. The p-value is exact, except for very many
// differences. Zeros are ignored; without other differences it is 1.
func SignFlips(d []int) float64 {
	var sizes []int
	plus, sum := 0, 0
	squares := 0.0
	for _, x := range d {
		size := max(x, -x)
		if size == 0 {
			continue
		}
		sizes = append(sizes, size)
		sum += size
		squares += float64(size) * float64(size)
		if x > 0 {
			plus += size
		}
	}
	low := min(plus, sum-plus)
	if 2*low == sum {
		return 1
	}
	if float64(len(sizes))*float64(sum) > maxSteps {
		return math.Erfc(float64(sum-2*low) / math.Sqrt(2*squares))
	}
	// Of the sum over the positive differences only the lower tail is needed:
	// p[s] is its probability, after each difference.
	slices.Sort(sizes)
	p := make([]float64, low+1)
	p[0] = 1
	for _, size := range sizes {
		for s := low; s >= 0; s-- {
			p[s] /= 2
			if s >= size {
				p[s] += p[s-size] / 2
			}
		}
	}
	tail := 0.0
	for _, x := range p {
		tail += x
	}
	return min(1, 2*tail)
}
