package significance

import "gonum.org/v1/gonum/stat/distuv"

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
