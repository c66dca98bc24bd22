package openset

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"sync"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Kind is a kind of people whom a network tells apart worse than people chosen at random: the
// distribution of the deviates (Impostors) of pairs of them, a photograph of the one and the mean
// of the photographs of the other. Pairs count as independent. See doc/openset.md.
type Kind struct {
	Mean  float64 `json:"mean"`
	SD    float64 `json:"sd"`
	Shape float64 `json:"shape"` // the density falls as exp(−|x|^shape): less far than that of normal numbers, as even people who are very alike differ
	Odds  float64 `json:"odds"`  // prior odds against people chosen at random
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
	count      int // people and strangers; 0 if nothing is known
	hypotheses []hypothesis
}

// A hypothesis is that strangers are of a kind, and a share of the people too.
type hypothesis struct {
	exceeding   []float64 // shares of strangers with at least each of gridLevels
	probability float64
}

// gridLevels are the levels at which distributions are known; between them the logarithm of the
// share is a line.
var gridLevels = sync.OnceValue(func() (grid []float64) {
	const least, most, step = -5, 9, 0.1
	for i := range int((most-least)/step) + 1 {
		grid = append(grid, least+step*float64(i))
	}
	return grid
})

// Levels returns levels, ascending, and what share of strangers of kind k exceeds each, where they
// are compared with so many people, of whom some are alike: of kind k too.
func (k Kind) Levels(alike float64, people int) (levels, exceeding []float64) {
	return gridLevels(), crowdOf(people).exceeding(k)(alike)
}

// A crowd is so many people, with whom a face is compared.
type crowd struct {
	people   float64
	deviates []float64 // that the largest of people has at gridLevels
	below    []float64 // logarithms of the share of pairs of people at random below these deviates
}

func crowdOf(people int) crowd {
	c := crowd{people: float64(people)}
	for _, level := range gridLevels() {
		z := deviateOf(ofLevel(level), people)
		c.deviates, c.below = append(c.deviates, z), append(c.below, math.Log1p(-distuv.UnitNormal.Survival(z)))
	}
	return c
}

// exceeding returns what share of the people of kind k exceeds each of gridLevels among the people of c,
// as a function of how many of these are of kind k. The number need not be whole.
func (c crowd) exceeding(k Kind) func(alike float64) []float64 {
	const rare, sure = 1e-300, 1 - 1e-15
	below, survival := make([]float64, len(c.deviates)), boundedSurvival(k.Shape)
	for i, z := range c.deviates {
		below[i] = math.Log1p(-min(sure, survival((z-k.Mean)/k.SD)))
	}
	return func(alike float64) (shares []float64) {
		for i := range below {
			shares = append(shares, max(rare, -math.Expm1(alike*below[i]+(c.people-alike)*c.below[i])))
		}
		return shares
	}
}

// moments returns the mean and the standard deviation of levels that exceed gridLevels so often.
func moments(shares []float64) (mean, sd float64) {
	grid := gridLevels()
	var first, second float64
	for i := range len(grid) - 1 {
		step, share := grid[i+1]-grid[i], (shares[i]+shares[i+1])/2
		first += share * step
		second += share * step * (grid[i] + grid[i+1] - 2*grid[0])
	}
	return grid[0] + first, math.Sqrt(second - first*first)
}

// levelOf is the level of a face of this evidence.
func levelOf(evidence float64) float64 { return deviateOf(evidence, 1) }

// ofLevel is the evidence of a face of this level.
func ofLevel(level float64) float64 { return evidenceOf(level, 1) }

// A seenLevel is a level of a person, the mean over so many photographs, or of one photograph
// that counts only a part; or that of a given stranger, who was compared with all people.
type seenLevel struct {
	level, photographs, weight float64
	stranger                   bool
}

// seenLevels returns the levels of the people of c, and of given strangers.
func (c *Calibration) seenLevels() (all []seenLevel) {
	each := 1.0
	if n := len(c.Levels); n > 0 {
		each = max(1, float64(len(c.LeftOut))/float64(n))
		for _, level := range c.Levels {
			all = append(all, seenLevel{level, each, 1, false})
		}
	} else if n := min(c.People, len(c.LeftOut)); n > 0 { // a file of an earlier version
		for _, e := range c.LeftOut {
			all = append(all, seenLevel{c.strangerLevel(e), 1, float64(n) / float64(len(c.LeftOut)), false})
		}
	}
	for _, e := range c.Strangers {
		all = append(all, seenLevel{levelOf(e), 1, 1, true})
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
	s := surroundings{count: len(all)}
	if len(c.Levels) == 0 {
		s.count = min(c.People, len(c.LeftOut)) + len(c.Strangers)
	}
	if s.count == 0 {
		return s
	}
	usual := hypothesis{}
	for _, level := range gridLevels() {
		usual.exceeding = append(usual.exceeding, distuv.UnitNormal.Survival(level))
	}
	s.hypotheses = append(s.hypotheses, usual)
	logs := []float64{0}
	ofAll, ofOthers := crowdOf(c.People), crowdOf(max(1, c.People-1))
	for _, k := range by.Kinds {
		strangers, people := ofAll.exceeding(k), ofOthers.exceeding(k)
		for _, share := range by.Shares {
			alike := share * float64(c.People)
			h := hypothesis{exceeding: strangers(alike)}
			likelihood := by.likelihood(share, all, people(max(0, alike-1)), h.exceeding)
			s.hypotheses = append(s.hypotheses, h)
			logs = append(logs, math.Log(k.Odds/float64(len(by.Shares)))+by.BothSides*likelihood)
		}
	}
	total := logSum(logs)
	for i, log := range logs {
		s.hypotheses[i].probability = math.Exp(log - total)
	}
	return s
}

// likelihood is the logarithm of the ratio of the likelihoods of all, if this share of the people
// is of a kind, and if all are chosen at random. Levels of people of this kind, and of strangers,
// exceed gridLevels so often, and are modelled as normal. The ratio does not fall where levels are
// larger.
func (by *Assumptions) likelihood(share float64, all []seenLevel, people, strangers []float64) (sum float64) {
	var mean, sd, least, most [2]float64
	for i, exceeding := range [][]float64{people, strangers} {
		mean[i], sd[i] = moments(exceeding)
		least[i], most[i] = math.Inf(-1), by.MostDeviate
		if turn := mean[i] / (1 - sd[i]*sd[i]); turn < 0 {
			least[i] = turn
		} else {
			most[i] = min(most[i], turn)
		}
	}
	for _, one := range all {
		i := 0
		if one.stranger {
			i = 1
		}
		level := max(least[i], min(most[i], one.level))
		variance := by.PersonVariance + (1-by.PersonVariance)/one.photographs
		d := (level - mean[i]) / sd[i]
		ratio := math.Exp((level*level-d*d)/(2*variance)) / sd[i]
		sum += one.weight * math.Log(1-share+share*ratio)
	}
	return sum
}

// logSum is the logarithm of the sum of the exponentials of v.
func logSum(v []float64) float64 {
	most, sum := slices.Max(v), 0.0
	for _, x := range v {
		sum += math.Exp(x - most)
	}
	return most + math.Log(sum)
}

// share returns the share of strangers who exceed gridLevels()[i].
func (s surroundings) share(i int) (sum float64) {
	for _, h := range s.hypotheses {
		sum += h.probability * h.exceeding[i]
	}
	return sum
}

// quantile returns the level that this share of strangers who resemble the people exceeds.
func (s surroundings) quantile(share float64) float64 {
	grid := gridLevels()
	i := sort.Search(len(grid), func(i int) bool { return s.share(i) <= share })
	if i == 0 || i == len(grid) {
		return grid[max(0, i-1)]
	}
	above, below := math.Log(s.share(i-1)), math.Log(s.share(i))
	return grid[i-1] + (grid[i]-grid[i-1])*(above-math.Log(share))/(above-below)
}

// limit returns what share of strangers who resemble the people exceeds a level at most, with a
// probability.
func (s surroundings) limit(level, probability float64) float64 {
	grid := gridLevels()
	i, _ := slices.BinarySearch(grid, level)
	i = max(0, min(i, len(grid))-1) // the level below exceeds no less often
	by := slices.SortedFunc(slices.Values(s.hypotheses), func(a, b hypothesis) int { return cmp.Compare(a.exceeding[i], b.exceeding[i]) })
	for _, h := range by {
		if probability -= h.probability; probability <= 0 {
			return h.exceeding[i]
		}
	}
	return by[len(by)-1].exceeding[i]
}

// expected returns the expected share of strangers who resemble the people and exceed a level.
func (s surroundings) expected(level float64) float64 {
	grid := gridLevels()
	i, _ := slices.BinarySearch(grid, level)
	i = max(1, min(i, len(grid)-1))
	above, below := math.Log(s.share(i-1)), math.Log(s.share(i))
	return math.Exp(above + (below-above)*(level-grid[i-1])/(grid[i]-grid[i-1]))
}

// boundedSurvival returns the probability that a number of mean 0 and variance 1 exceeds x, whose
// density is exp(−|x/a|^shape), but for a factor. Shape 2 is the normal distribution; for a larger
// shape, numbers far from 0 are rarer.
func boundedSurvival(shape float64) func(x float64) float64 {
	one, _ := math.Lgamma(1 / shape)
	three, _ := math.Lgamma(3 / shape)
	scale := math.Exp((one - three) / 2)
	return func(x float64) float64 {
		tail := mathext.GammaIncRegComp(1/shape, math.Pow(math.Abs(x)/scale, shape)) / 2
		if x < 0 {
			return 1 - tail
		}
		return tail
	}
}
