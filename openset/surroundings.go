package openset

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// A Kind is a kind of people whom a network tells apart worse than people chosen at random. It
// has the distribution of the levels that strangers of this kind reach among people of the
// same kind (doc/openset.md).
type Kind struct {
	Mean  float64 `json:"mean"`
	SD    float64 `json:"sd"`
	Shape float64 `json:"shape"` // the density falls as exp(−|x|^shape): less far than that of normal numbers, as even people who are very alike differ
	Odds  float64 `json:"odds"`  // prior odds against people chosen at random, for one enrolled person
}

// random is what people chosen at random are: the levels of strangers are standard normal.
var random = Kind{Mean: 0, SD: 1, Shape: 2}

// exceeds is the share of strangers of this kind who exceed a level.
func (k Kind) exceeds(level float64) float64 { return boundedSurvival(k.Shape, (level-k.Mean)/k.SD) }

// quantile is the level that this share of strangers of this kind exceeds.
func (k Kind) quantile(share float64) float64 { return k.Mean + k.SD*boundedQuantile(k.Shape, share) }

// logDensity is the logarithm of the density, but for a constant, of normal levels with the
// mean of k and so many times its variance.
func (k Kind) logDensity(level, variance float64) float64 {
	d := level - k.Mean
	return -(d*d/(k.SD*k.SD*variance)+math.Log(variance))/2 - math.Log(k.SD)
}

// Surroundings describe strangers who resemble people of a gallery, as relatives and
// neighbours may. Each enrolled photograph is compared with the other people, as if its person
// were a stranger: what such a stranger reaches with the most similar person is what a
// threshold is about. It is counted as the level of a face: the normal deviate of the share of
// strangers in general who are as similar to anybody, whatever the number of people. So the
// levels of strangers in general are standard normal, those of strangers who resemble the
// people are larger.
//
// Of which kind these strangers are is found from the mean level of each person: some of the
// people are of that kind, the others chosen at random. Given strangers count as further
// people. See Assumptions.
type surroundings struct {
	seen  int       // people and strangers; 0 if nothing is known
	kinds []Kind    // random first, then those of Assumptions
	odds  []float64 // logarithms of the posterior odds that strangers are of kind i, or of one after it
	steep float64
}

// levelOf is the level of a face of this evidence.
func levelOf(evidence float64) float64 { return deviateOf(evidence, 1) }

// ofLevel is the evidence of a face of this level.
func ofLevel(level float64) float64 { return evidenceOf(level, 1) }

// A seenLevel is a level of a person, the mean over so many photographs, or of one photograph
// that counts only a part.
type seenLevel struct{ level, photographs, weight float64 }

// seenLevels returns the levels of the people of c, and of given strangers.
func (c *Calibration) seenLevels() (all []seenLevel) {
	each := 1.0
	if n := len(c.Levels); n > 0 {
		each = max(1, float64(len(c.LeftOut))/float64(n))
		for _, level := range c.Levels {
			all = append(all, seenLevel{level, each, 1})
		}
	} else if n := min(c.People, len(c.LeftOut)); n > 0 { // a file of an earlier version
		for _, e := range c.LeftOut {
			all = append(all, seenLevel{c.strangerLevel(e), 1, float64(n) / float64(len(c.LeftOut))})
		}
	}
	for _, e := range c.Strangers {
		all = append(all, seenLevel{levelOf(e), 1, 1})
	}
	return all
}

// strangerLevel is the level of an enrolled photograph with this evidence, which was compared
// with one person fewer than a stranger is.
func (c *Calibration) strangerLevel(evidence float64) float64 {
	return levelOf(evidenceOf(deviateOf(evidence, c.People), c.People-1))
}

// surroundings returns what is known of strangers who resemble the people of c.
func (c *Calibration) surroundings() surroundings {
	by, all := c.assumptions(), c.seenLevels()
	s := surroundings{seen: len(all), kinds: append([]Kind{random}, by.Kinds[:]...), steep: by.Steepness}
	if len(c.Levels) == 0 {
		s.seen = min(c.People, len(c.LeftOut)) + len(c.Strangers)
	}
	if s.seen == 0 {
		return s
	}
	photographs := slices.Sorted(slices.Values(c.Photographs))
	part := min(1, float64(photographs[len(photographs)/2])/float64(by.MostEach))
	growth := math.Pow(part, by.LevelGrowth)
	for i := range s.kinds[1:] {
		s.kinds[i+1].Mean *= growth
		s.kinds[i+1].SD *= growth
	}
	prior := by.ByPeople*math.Log(float64(min(c.People, by.LeastLike))) + by.ByPhotographs*math.Log(part)
	logs := make([]float64, len(s.kinds))
	for i, k := range s.kinds[1:] {
		logs[i+1] = math.Log(k.Odds) + prior + by.likelihood(k, all)
	}
	s.odds = make([]float64, len(s.kinds))
	for i := 1; i < len(s.kinds); i++ {
		s.odds[i] = logSum(logs[i:]) - logSum(logs[:i])
	}
	return s
}

// likelihood is the logarithm of the ratio of the likelihoods of all, if strangers and some of
// the people are of kind k, and if all are chosen at random. The share of those people is one
// of by.Shares.
func (by *Assumptions) likelihood(k Kind, all []seenLevel) float64 {
	sums := make([]float64, len(by.Shares))
	for _, one := range all {
		level := min(by.MostDeviate, one.level)
		variance := by.PersonVariance + (1-by.PersonVariance)/one.photographs
		ratio := math.Exp(k.logDensity(level, variance) - random.logDensity(level, variance))
		for i, share := range by.Shares {
			sums[i] += one.weight * math.Log(1-share+share*ratio)
		}
	}
	return logSum(sums) - math.Log(float64(len(sums)))
}

// logSum is the logarithm of the sum of the exponentials of v.
func logSum(v []float64) float64 {
	most, sum := slices.Max(v), 0.0
	for _, x := range v {
		sum += math.Exp(x - most)
	}
	return most + math.Log(sum)
}

// weights returns how probable each kind of strangers is, where the odds of kinds are raised by
// so much. The posterior odds are made steeper: a threshold between those of two kinds would suit
// neither.
func (s surroundings) weights(raised float64) []float64 {
	weights, rest := make([]float64, len(s.kinds)), 1.0
	for i := range s.kinds {
		next := 0.0
		if i+1 < len(s.odds) {
			next = min(rest, logistic(s.steep*(s.odds[i+1]+raised)))
		}
		weights[i], rest = rest-next, next
	}
	return weights
}

// exceeding returns the share of strangers, of kinds of these weights, who exceed a level.
func (s surroundings) exceeding(level float64, weights []float64) (share float64) {
	const rare = 1e-9
	for i, k := range s.kinds {
		if weights[i] > rare {
			share += weights[i] * k.exceeds(level)
		}
	}
	return share
}

// quantile returns the level that this share of strangers who resemble the people exceeds.
func (s surroundings) quantile(share float64) float64 {
	weights, lo, hi := s.weights(0), 0.0, 0.0
	for i, k := range s.kinds {
		if q := k.quantile(share); weights[i] > 0 {
			hi = max(hi, q)
		}
	}
	for hi-lo > rounding {
		if mid := (lo + hi) / 2; s.exceeding(mid, weights) > share {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
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
