package measure

import (
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"nrdl.example/nrdl/openset"
)

// The upper tail of a law is a line: cosines of different people are nearly normal there, so the
// cosine is a linear function of the deviate. Few pairs are as similar, some of them are one
// person with two names, and a quantile of few pairs would decide for people who look alike. The
// line is fitted to the two decades of the false match rate above the least one that tailPairs
// exceed, with the pairs as weights.
const (
	tailPairs   = 30
	tailDecades = 100  // by which the false match rates of the fitted points differ
	tailShare   = 0.05 // of the pairs, at most: farther in, cosines bend off the line
	tailPoints  = 4    // at least
)

// A tail is where the points of a law are on a line: from first on. Those before end are fitted.
type tail struct{ first, end int }

// tailOf returns the tail of a law of so many comparisons with these deviates, ascending.
func tailOf(comparisons int, deviates []float64) tail {
	beyond := func(share float64) int {
		i, _ := slices.BinarySearch(deviates, distuv.UnitNormal.Quantile(1-min(share, 1)))
		return i
	}
	least := tailPairs / float64(comparisons)
	end := max(tailPoints, beyond(least))
	return tail{min(beyond(min(tailDecades*least, tailShare)), end-tailPoints), end}
}

// straighten appends to the cosines of deviates[:t.end] those of the other deviates, and puts
// the tail on its line.
func (t tail) straighten(cosines, deviates []float64) []float64 {
	var weights []float64
	for _, z := range deviates[t.first:t.end] {
		weights = append(weights, distuv.UnitNormal.Survival(z))
	}
	at, slope := stat.LinearRegression(deviates[t.first:t.end], cosines[t.first:t.end], weights, false)
	cosines = cosines[:t.first]
	for _, z := range deviates[t.first:] {
		cosines = append(cosines, rounded5(at+slope*z))
	}
	return cosines
}

// ascending drops the deviates at which a row of l does not rise: few cosines are there.
func ascending(l *openset.Impostors) {
	for i := 1; i < len(l.Deviates); {
		if !slices.ContainsFunc(l.Cosines, func(row []float64) bool { return !(row[i] > row[i-1]) }) {
			i++
			continue
		}
		l.Deviates = slices.Delete(l.Deviates, i, i+1)
		for k := range l.Cosines {
			l.Cosines[k] = slices.Delete(l.Cosines[k], i, i+1)
		}
	}
}
