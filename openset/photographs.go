package openset

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// counted returns as how many people one with 1, 2, … photographs counts in a gallery of people with so
// many photographs; together they count as many as they are. It is nil if all count as one.
//
// A person with one photograph is recognised worse than one with five. So the first may be named for more
// strangers, and the second for fewer, as with weighted p-values [weightedpvalues]: a person who counts as
// a people may be named for as many strangers as a people who count as one each. With best weights,
// the likelihood ratio of a face at the threshold, of its person to a stranger, is the same for any number
// of photographs. They are best for faces as those of the law. Where all faces are hard to recognise, such
// as those of children, equal weights are best. So a person counts as the square root of the best weight.
func (l *Impostors) counted(photographs []int) []float64 {
	maxStrangers := len(l.Cosines)
	of := make([]int, maxStrangers)
	for _, k := range photographs {
		of[min(max(k, 1), maxStrangers)-1]++
	}
	weights, sum, kinds := make([]float64, maxStrangers), 0.0, 0
	for k, n := range of {
		if weights[k] = math.Sqrt(l.weight(k + 1)); n > 0 {
			sum, kinds = sum+float64(n)*weights[k], kinds+1
		}
	}
	if kinds < 2 {
		return nil
	}
	for k := range weights {
		weights[k] *= float64(len(photographs)) / sum
	}
	return weights
}

// weight is the share of strangers above the deviate for k photographs at which the likelihood ratio of the person to a
// stranger is that of the most photographs where one stranger in 10,000 is above.
func (l *Impostors) weight(k int) float64 {
	const share = 1e-4
	ratio := func(k int, z float64) float64 {
		g := l.Genuine[k-1]
		short := max(0, g[0]-z) / g[1]
		return (z*math.Abs(z)-short*short)/2 - math.Log(g[1])
	}
	of := -distuv.UnitNormal.Quantile(share)
	maxStrangers := len(l.Genuine)
	if k == maxStrangers {
		return share
	}
	minRatio := ratio(maxStrangers, of)
	const steps, far = 4096, 6
	i := sort.Search(steps*far, func(i int) bool { return ratio(k, float64(i)/steps) >= minRatio })
	return distuv.UnitNormal.Survival(float64(i) / steps)
}

// among is the deviate at which a person who counts as one person is named for as few strangers as one
// who counts as so many is at z.
func among(z, people float64) float64 {
	const maxStrangers = 1 - 1e-12 // share of strangers
	return -distuv.UnitNormal.Quantile(min(maxStrangers, powerOf(distuv.UnitNormal.Survival(z), 1/people)))
}

// powerOf is 1 − (1 − p)ⁿ.
func powerOf(p, n float64) float64 { return -math.Expm1(n * math.Log1p(-p)) }
