package openset

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Surroundings describe strangers who resemble the people of a gallery, as relatives and
// neighbours may. Each enrolled photograph is compared with the other people, as if its person
// were a stranger: what such a stranger reaches with the most similar person is what a
// threshold is about. It is counted as the level of a face: the normal deviate of the share of
// strangers in general who are as similar to anybody, whatever the number of people. So the
// levels of strangers in general are standard normal, those of strangers who resemble the
// people are larger. Given strangers count as further people.
//
// The mean and the variance of the levels are estimated with those of the law, 0 and 1, as a
// prior; see Assumptions.
type surroundings struct {
	people float64 // people and strangers who were seen; 0 if nothing is known
	mean   float64 // of the levels
	sd     float64
	error  float64 // standard error of mean
	shape  float64 // of their distribution
}

// levelOf is the level of a face of this evidence.
func levelOf(evidence float64) float64 { return deviateOf(evidence, 1) }

// ofLevel is the evidence of a face of this level.
func ofLevel(level float64) float64 { return evidenceOf(level, 1) }

// surroundings returns what is known of strangers who resemble the people of c.
func (c *Calibration) surroundings() surroundings {
	by := c.assumptions()
	members := float64(min(c.People, len(c.LeftOut)))
	n := members + float64(len(c.Strangers))
	var sum, square float64
	add := func(level, weight float64) {
		level = max(-by.MostDeviate, min(by.MostDeviate, level))
		sum += weight * level
		square += weight * level * level
	}
	for _, e := range c.LeftOut {
		// The photograph was compared with one person fewer than a stranger is.
		add(levelOf(evidenceOf(deviateOf(e, c.People), c.People-1)), members/float64(len(c.LeftOut)))
	}
	for _, e := range c.Strangers {
		add(levelOf(e), 1)
	}
	s := surroundings{people: n, shape: by.TailShape}
	s.mean = sum / (by.PriorPeople + n)
	variance := max(0, square-sum*sum/max(1, n)) // n times that of what was seen
	s.sd = math.Sqrt((by.PriorPeopleSD + variance) / (by.PriorPeopleSD + n))
	s.error = s.sd * math.Sqrt(by.MeanError/(by.PriorPeople+n))
	return s
}

// predicted is the standard deviation of the level of the next stranger: that of the levels
// and of the error of their mean.
func (s surroundings) predicted() float64 { return math.Hypot(s.sd, s.error) }

// quantile returns the level that this share of strangers who resemble the people exceeds.
func (s surroundings) quantile(share float64) float64 {
	return s.mean + s.predicted()*boundedQuantile(s.shape, share)
}

// exceeding returns the expected share of strangers who resemble the people and exceed a level,
// and the share that it is at most where the mean is off by so many standard errors.
func (s surroundings) exceeding(level, errors float64) (rate, most float64) {
	rate = boundedSurvival(s.shape, (level-s.mean)/s.predicted())
	most = boundedSurvival(s.shape, (level-s.mean-errors*s.error)/s.sd)
	return rate, max(rate, most)
}

// boundedScale is a, such that numbers with a density of exp(−|x/a|^shape), but for a factor, have
// the variance 1.
func boundedScale(shape float64) float64 {
	one, _ := math.Lgamma(1 / shape)
	three, _ := math.Lgamma(3 / shape)
	return math.Exp((one - three) / 2)
}

// boundedSurvival is the probability that such a number exceeds x. Shape 2 is the normal
// distribution; for a larger shape, numbers far from 0 are rarer.
func boundedSurvival(shape, x float64) float64 {
	tail := mathext.GammaIncRegComp(1/shape, math.Pow(math.Abs(x)/boundedScale(shape), shape)) / 2
	if x < 0 {
		return 1 - tail
	}
	return tail
}

// boundedQuantile is the number that is exceeded with probability p.
func boundedQuantile(shape, p float64) float64 {
	if p > 0.5 {
		return -boundedQuantile(shape, 1-p)
	}
	return boundedScale(shape) * math.Pow(mathext.GammaIncRegCompInv(1/shape, 2*p), 1/shape)
}
