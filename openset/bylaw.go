package openset

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// ByLaw returns the calibration of a gallery of embeddings, the columns of x, d×n of
// unit norm and grouped by person, of a network whose impostors are l. Given are the
// evidences of strangers from the same surroundings; may be nil. It takes
// milliseconds, as nothing is trained.
func ByLaw(opt Options, l *Impostors, x *mat.Dense, groups []int, given []float64) (*Calibration, error) {
	return ByLawOf(opt, l, galleryOf(x, groups), given)
}

// ByLawOf is ByLaw for a Gallery, which reads the embeddings person by person.
func ByLawOf(opt Options, l *Impostors, g Gallery, given []float64) (*Calibration, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	groups, people := g.Groups, len(g.Groups)-1
	c := opt.calibration(people)
	alike, compared := l.compare(g, c.assumptions().Comparisons, c.assumptions().MostDeviate)
	c.Resemblance, c.Strangers = &alike, given
	for p := range people {
		c.Photographs = append(c.Photographs, groups[p+1]-groups[p])
	}
	for _, one := range compared {
		person, _ := slices.BinarySearch(groups, one.Column+1)
		switch {
		case one.Single:
		case one.Best == person-1:
			c.Right = append(c.Right, one.Evidence)
		default:
			c.Wrong = append(c.Wrong, one.Evidence)
		}
		c.LeftOut = append(c.LeftOut, one.Stranger)
	}
	return c, c.FitByLaw(l)
}

// FitByLaw computes the threshold and the probabilities from the evidences and from the
// Resemblance of the people, for a network whose impostors are l.
func (c *Calibration) FitByLaw(l *Impostors) error {
	if c.Resemblance == nil || c.People == 0 {
		return fmt.Errorf("calibration: nothing is known of how alike the people are")
	}
	for _, list := range []*[]float64{&c.Right, &c.Wrong, &c.LeftOut, &c.Strangers} {
		slices.Sort(*list)
	}
	c.Mean = 1 / math.Ln10 // of −log10 of a share that is uniform
	c.RawMean = c.Mean
	c.Faces = l.Independent/float64(c.People) + float64(len(c.Strangers))
	c.Threshold = c.lawThreshold(c.FPIR)
	c.Odds = oddsOf(c.trialsByLaw(l))
	return c.Validate()
}

// lawThreshold is the least evidence of a face that is named, for this share of strangers.
func (c *Calibration) lawThreshold(fpir float64) float64 {
	if n := len(c.Strangers); float64(n)*fpir >= float64(c.assumptions().SureTail) {
		return c.Strangers[n-int(float64(n)*fpir)]
	}
	return evidenceOf(c.resemblance().threshold(c.assumptions(), fpir, c.People), c.People)
}

// resemblance is that of the people, updated by the given strangers.
func (c *Calibration) resemblance() Resemblance {
	return c.Resemblance.withStrangers(c.assumptions(), c.Strangers, c.People)
}

// trialsByLaw are the held-out faces and, of so few, some as the law has them; and
// strangers as the threshold takes them to be.
func (c *Calibration) trialsByLaw(l *Impostors) []trial {
	by := c.assumptions()
	strangers, of := float64(by.StrangerTrials), float64(by.GenuineTrials)
	held := float64(len(c.Right)+len(c.Wrong)) + of
	n := held + strangers
	var all []trial
	add := func(evidence, right, share, of float64) {
		all = append(all, trial{c.terms(evidence, c.Mean), right, n * share / of})
	}
	for _, v := range c.Right {
		add(v, 1, 1-c.Prior, held)
	}
	for _, v := range c.Wrong {
		add(v, 0, 1-c.Prior, held)
	}
	photographs := slices.Sorted(slices.Values(c.Photographs))
	genuine := l.Genuine[min(len(l.Genuine), photographs[len(photographs)/2])-1]
	for i := range by.GenuineTrials {
		z := distuv.UnitNormal.Quantile((float64(i) + 0.5) / of)
		add(evidenceOf(genuine[0]+genuine[1]*z, c.People), 1, 1-c.Prior, held)
	}
	alike := c.resemblance()
	for i := range by.StrangerTrials {
		share := (float64(i) + 0.5) / strangers
		add(evidenceOf(alike.threshold(by, share, c.People), c.People), 0, c.Prior, strangers)
	}
	return all
}

// A Share is a share of strangers who are named, and its interval of 90 %.
type Share struct {
	Rate  float64 `json:"rate"`
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
}

// Known reports whether s could be estimated: its interval ends below 1.
func (s Share) Known() bool { return s.Most < 1 }

// interval is the number of standard deviations of an interval of 90 %.
const interval = 1.645

// StrangerRates returns the expected shares of strangers who are named at the threshold: of
// people chosen at random, and of strangers who resemble the people of the gallery. Both are
// zero if margins are not evidence.
func (c *Calibration) StrangerRates(l *Impostors) (atLarge, like Share) {
	if c.Resemblance == nil {
		return Share{}, Share{}
	}
	z := deviateOf(c.Threshold, c.People)
	rate := math.Pow(10, -c.Threshold)
	// Of n independent comparisons a share q varies by √(q/n).
	by := c.assumptions()
	spread := math.Sqrt(by.GalleryVariance + 1/(l.Independent*ofOne(min(rate, 0.5), c.People)))
	atLarge = Share{rate, rate * math.Exp(-interval*spread), min(1, rate*math.Exp(interval*spread))}
	around := c.resemblance()
	like.Rate = around.exceedance(by, z, c.People, 0)
	if like.Rate == 0 { // less than a float64 can say
		like.Most = around.exceedance(by, z, c.People, interval)
		return atLarge, like
	}
	// The error of the mean, and how galleries differ, are independent.
	factor := func(errors float64) float64 {
		return math.Exp(math.Hypot(math.Log(around.exceedance(by, z, c.People, errors)/like.Rate), interval*math.Sqrt(by.GalleryVariance)))
	}
	like.Least, like.Most = like.Rate/factor(-interval), min(1, like.Rate*factor(interval))
	return atLarge, like
}
