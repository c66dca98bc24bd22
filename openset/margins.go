package openset

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// ErrNoStrangers is returned if there are no impostor margins to estimate a
// threshold from.
var ErrNoStrangers = errors.New("too few people to estimate a threshold for strangers")

// ErrNoMargins is returned if the impostor margins are all 0, whatever their number.
var ErrNoMargins = errors.New("the two best scores of every face of a stranger are equal")

// A Law is prior knowledge of the distribution of impostor margins in a
// classifier. The values were measured by go run ./bench/strangers at commit `1a8a9d37091a`,
// on photos/lfw_several, whose people appear in no test.
type Law struct {
	// Scale is the standard deviation of the logarithm of the strangers' scales in
	// a model of Assumptions.ScalePeople people, and grows with them.
	Scale float64
	// Ratio is the mean margin of strangers divided by their mean spread; 0 if not
	// known.
	Ratio float64
	// Faces is the weight of Scale, as a number of faces. From n faces of left-out
	// people the deviation is estimated again and gets the weight n/(n + Faces). 0
	// means that Scale is exact.
	Faces float64
	// Caution is the number of standard errors of the mean margin by which the
	// threshold is raised.
	Caution float64
}

// PlainLaw and ProjectedLaw are for the default coder and rule on the features
// of Faces96, without and with a projection; UnknownLaw is for everything else.
// Other methods have very different ratios: 1.3 to 1.5 for CRC.
var (
	PlainLaw     = Law{Scale: 0, Ratio: 0.76, Caution: 0.8}
	ProjectedLaw = Law{Scale: 0.1, Ratio: 0.84, Caution: 1}
	UnknownLaw   = Law{Scale: 0.15, Faces: 100, Caution: 1.3}
)

// minKnown is how many classes a classifier has at least.
const minKnown = 2

// deviation is the standard deviation of the logarithm of the scales of strangers, in a
// model of so many classes.
func (l Law) deviation(by *Assumptions, classes int) float64 {
	return max(0, l.Scale+by.ScaleGrowth*math.Log2(float64(classes)/by.ScalePeople))
}

// fitMean sets the mean margin of strangers in a model of so many classes and
// in how many faces' worth it was seen.
//
// The margin of a face is one number, and the faces of few people tell its mean
// badly: the mean of ten people may be a third too small, and eight times as many
// strangers as wanted then pass. The spread of the scores of a face is made of as
// many numbers as there are classes, and its mean varies half as much.
func (c *Calibration) fitMean(classes int, l Law) error {
	if len(c.LeftOut)+len(c.Strangers) == 0 {
		return ErrNoStrangers
	}
	by, left, given := c.assumptions(), sum(c.LeftOut), sum(c.Strangers)
	c.Faces = float64(len(c.Strangers))
	if n := float64(len(c.LeftOut)); n > 0 {
		alone := n / (1 + by.SameStranger*(n/float64(c.People)-1))
		known := classes - (c.People+c.Folds-1)/c.Folds // when those were left out
		left *= alone / n * spacing(classes) / spacing(max(known, minKnown))
		c.Faces += alone
	}
	c.RawMean = (left + given) / c.Faces
	if !(c.RawMean > 0) {
		return fmt.Errorf("%w (%d faces, %d people)", ErrNoMargins, len(c.LeftOut)+len(c.Strangers), classes)
	}
	c.Mean = c.RawMean
	if l.Ratio > 0 && c.Spread > 0 {
		n := min(by.SpreadWeight*c.Faces, by.MaxSpreadWeight)
		c.Mean = (c.Faces*c.RawMean + n*l.Ratio*c.Spread) / (c.Faces + n)
	}
	return nil
}

// thresholds returns the least margin for a target FPIR, as a function of it, in a
// model of so many classes.
func (c *Calibration) thresholds(classes int, l Law) func(fpir float64) float64 {
	law := spacingVariation(classes)
	deviation := c.deviation(classes, l, law)
	variation := (1+law)*math.Exp(deviation*deviation) - 1
	unsure := math.Exp(l.Caution * math.Sqrt(variation/c.Faces))
	return func(fpir float64) float64 {
		if n := len(c.Strangers); float64(n)*fpir >= float64(c.assumptions().SureTail) {
			return c.Strangers[n-int(float64(n)*fpir)]
		}
		return c.Mean * marginQuantile(classes, fpir, deviation) * unsure
	}
}

// deviation is that of the logarithm of the scales of strangers, by l and, where l
// does not know it, by the squared coefficient of variation of the margins of people
// left out: (1 + v)·exp(deviation²) − 1, with v that of the law without scales.
func (c *Calibration) deviation(classes int, l Law, v float64) float64 {
	prior := l.deviation(c.assumptions(), classes)
	n := float64(len(c.LeftOut))
	if l.Faces == 0 || n < 2 {
		return prior
	}
	mean, variance := stat.MeanVariance(c.LeftOut, nil)
	seen := math.Sqrt(max(0, math.Log((1+variance/(mean*mean))/(1+v))))
	w := n / (n + l.Faces)
	return w*seen + (1-w)*prior
}

// SmallestFPIR is the smallest FPIR that the calibration supports, 1/(Reach·Faces) with the Reach of its Assumptions. A
// threshold for a lower rate is extrapolated.
func (c *Calibration) SmallestFPIR() float64 { return 1 / (c.assumptions().Reach * c.Faces) }

// MaxProbability is the largest probability that the sample supports. If none of n faces of
// strangers and none of h faces of enrolled people was misidentified, the next one may be,
// with probabilities 1/(n + 2) and 1/(h + 2) by the rule of succession. Where c follows the
// law of a network, n is the number of independent comparisons in that law for each person,
// and h does not count.
func (c *Calibration) MaxProbability() float64 {
	held := float64(len(c.Right) + len(c.Wrong))
	if turns := c.assumptions().Turns; c.Folds > turns { // each was held out several times
		held *= float64(turns) / float64(c.Folds)
	}
	known := 1 - c.Prior
	if c.FollowsLaw() {
		return min(c.assumptions().MaxSure, known/(known+c.Prior/(c.Faces+2)))
	}
	return known / (known + c.Prior/(c.Faces+2) + known/(held+2))
}

// Integrals over a normal number go this far and take so many points; those over
// the logarithm of a scale take fewer.
const (
	farOut      = 9.0
	points      = 200
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

// A memo keeps values of a function that takes long.
type memo[K comparable, V any] struct {
	value  func(K) V
	lock   sync.Mutex
	values map[K]V
}

func (m *memo[K, V]) at(k K) V {
	m.lock.Lock()
	v, ok := m.values[k]
	m.lock.Unlock()
	if ok {
		return v
	}
	v = m.value(k)
	m.lock.Lock()
	defer m.lock.Unlock()
	const limit = 1000
	if len(m.values) >= limit || m.values == nil {
		m.values = map[K]V{}
	}
	m.values[k] = v
	return v
}

// Every threshold of a model needs these, and its rates the same thresholds again.
var (
	spacings   = memo[int, float64]{value: newSpacing}
	variations = memo[int, float64]{value: newSpacingVariation}
	quantiles  = memo[quantileOf, float64]{value: newMarginQuantile}
)

// spacing is the expected distance between the two largest of n standard normal
// numbers, n ∫ Φ(x)ⁿ⁻¹(1 − Φ(x)) dx.
func spacing(n int) float64 { return spacings.at(n) }

func newSpacing(n int) float64 {
	return overNumbers().integrate(func(x float64) float64 {
		p := distuv.UnitNormal.CDF(x)
		return float64(n) * math.Pow(p, float64(n-1)) * distuv.UnitNormal.Survival(x)
	})
}

// spacingVariation is the variance of that distance in units of its squared mean:
// 0.57 for two numbers, and towards 1, that of an exponential number, for many.
func spacingVariation(n int) float64 { return variations.at(n) }

func newSpacingVariation(n int) float64 {
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
	return quantiles.at(quantileOf{n, p, deviation})
}

type quantileOf struct {
	n            int
	p, deviation float64
}

func newMarginQuantile(q quantileOf) float64 {
	n, p, deviation := q.n, q.p, q.deviation
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
		const limit = 20 // of them: what rounding does not let them end, halves end
		if line := float64(last-before) * excess / (excessBefore - excess); secants < limit && math.Abs(line) < steps {
			guess = last + int(math.Round(line))
		}
	}
	return (float64(lo) + 0.5) * step
}
