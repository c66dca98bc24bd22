package significance

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Method selects how Wilcoxon computes its p-value.
type Method int

const (
	Auto        Method = iota // Exact for up to 50 pairs that differ, else Approximate
	Exact                     // from all 2ⁿ signs of the ranks
	Approximate               // from the normal limit, without correction for continuity
)

const (
	autoExactPairs = 50  // where SciPy changes over, too; near 0.05 the limit is within some 3 % there
	maxExactPairs  = 200 // the distribution costs O(n³)
)

// Wilcoxon is the signed-rank test [wilcoxon] that the differences aᵢ − bᵢ are
// symmetric about 0. Pairs that do not differ are dropped; N counts the others,
// n. Tied |aᵢ − bᵢ| share the mean of their ranks rᵢ. The statistic is
// W = min(W⁺, W⁻), of the sums of the ranks of the positive and of the negative
// differences. The exact p-value is that of all 2ⁿ signs of these ranks, with
// ties as without; the approximate one that of the normal distribution of mean
// Σrᵢ/2 and variance Σrᵢ²/4, which is the correction for ties.
//
// Where no pair differs P is 1. It is an error if a and b are empty or of
// unequal lengths, a difference is not finite, or an exact p-value is asked for
// more than 200 pairs.
func Wilcoxon(a, b []float64, method Method) (Test, error) {
	d, err := differences(a, b)
	if err != nil {
		return Test{}, err
	}
	differ := slices.DeleteFunc(d.differences, func(x float64) bool { return x == 0 })
	n := len(differ)
	exact := method == Exact || method == Auto && n <= autoExactPairs
	if method < Auto || method > Approximate {
		panic(fmt.Sprintf("significance: method %d", method))
	}
	if exact && n > maxExactPairs {
		return Test{}, fmt.Errorf("exact signed-rank test of %d pairs: more than %d", n, maxExactPairs)
	}
	magnitudes := make([]float64, n)
	for i, x := range differ {
		magnitudes[i] = math.Abs(x)
	}
	ranks := midranks(magnitudes, d.tolerance)
	var plus, minus, squares float64
	for i, r := range ranks {
		squares += r * r
		if differ[i] > 0 {
			plus += r
		} else {
			minus += r
		}
	}
	t := Test{Statistic: min(plus, minus), P: 1, N: n, Exact: exact}
	switch {
	case n == 0:
	case exact:
		t.P = min(1, 2*signedRankCDF(ranks, t.Statistic))
	default:
		z := (t.Statistic - (plus+minus)/2) / math.Sqrt(squares/4)
		t.P = math.Erfc(-z / math.Sqrt2) // 2·Φ(z), z ≤ 0
	}
	return t, nil
}

// signedRankCDF is P(W ≤ w) of the sum W of those of the ranks, multiples of ½,
// that independent fair coins choose.
func signedRankCDF(ranks []float64, w float64) float64 {
	probability := []float64{1} // of each 2·W, coin by coin
	for _, r := range ranks {
		step := int(2 * r)
		next := make([]float64, len(probability)+step)
		for s, p := range probability {
			next[s] += p / 2
			next[s+step] += p / 2
		}
		probability = next
	}
	sum := 0.0
	for _, p := range probability[:int(2*w)+1] {
		sum += p
	}
	return sum
}

// CorrectedT is Student's t-test that the differences aᵢ − bᵢ, taken to be normal,
// have mean 0, for runs on random splits of one set, whose training parts overlap
// [nadeau]: the variance of the mean is that of the differences times 1/n + ratio,
// where ratio is the number of test samples for each training sample. Ratio 0 is
// the usual paired test. N counts all pairs. The p-value is exact for normal
// differences only, so Exact is false.
//
// Differences that are all equal have variance 0, for which P is the limit: 1
// if they are 0, and else 0, with t = ±Inf. That limit follows from normality,
// which equal differences speak against: then read Wilcoxon's p-value instead.
// It returns an error if there are fewer than two pairs, a and b are of unequal
// lengths or a difference is not finite.
func CorrectedT(a, b []float64, ratio float64) (Test, error) {
	d, err := differences(a, b)
	if err != nil {
		return Test{}, err
	}
	n := len(d.differences)
	if n < 2 {
		return Test{}, fmt.Errorf("paired t-test of %d pair: at least 2 are needed", n)
	}
	// The sample is scaled to magnitudes of at most 1, which t does not depend
	// on: its squares stay finite.
	scale := largest(d.differences)
	if scale == 0 {
		return Test{P: 1, N: n}, nil
	}
	scaled := make([]float64, n)
	for i, x := range d.differences {
		scaled[i] = x / scale
	}
	if slices.Max(scaled)-slices.Min(scaled) <= d.tolerance/scale {
		return Test{Statistic: math.Copysign(math.Inf(1), scaled[0]), N: n}, nil
	}
	mean, deviation := stat.MeanStdDev(scaled, nil)
	t := mean / (deviation * math.Sqrt(1/float64(n)+ratio))
	p := 2 * distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}.Survival(math.Abs(t))
	return Test{Statistic: t, P: p, N: n}, nil
}
