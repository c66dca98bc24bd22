package openset

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
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

// deviation is that of the logarithm of the scales of strangers in a model of so
// many classes.
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
		n := min(by.SpreadWeight*c.Faces, by.MostSpreadWeight)
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
		return min(c.assumptions().MostSure, known/(known+c.Prior/(c.Faces+2)))
	}
	return known / (known + c.Prior/(c.Faces+2) + known/(held+2))
}
