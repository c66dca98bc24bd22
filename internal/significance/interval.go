package significance

import "gonum.org/v1/gonum/stat/distuv"

// Interval is the exact interval of Clopper and Pearson for a probability of which
// successes of n independent trials were seen: it covers the probability with at least
// the confidence 1−alpha. It is 0 to 1 of no trial.
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
