package significance

import (
	"math"
	"slices"
)

// mostSteps bounds the work for the exact distribution of SignFlips. With more differences
// their sum is approximately normal.
const mostSteps = 1e8

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
	if float64(len(sizes))*float64(sum) > mostSteps {
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
