package openset

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Kind is a kind of people who look more alike to a network than people chosen at random: the
// distribution of the deviates (Impostors) of pairs of them, a photograph of the one and the mean
// of the photographs of the other. Pairs count as independent. See doc/openset.md.
type Kind struct {
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"`   // pairs are normal
	Odds float64 `json:"odds"` // prior odds against people chosen at random
}

// Surroundings describe strangers who resemble people of a gallery, as relatives and
// neighbours may. Each enrolled photograph is compared with the other people, as if its person
// were a stranger: what such a stranger reaches with the most similar person is what a
// threshold is about. It is counted as the level of a face: the normal deviate of the share of
// strangers in general who are as similar to anybody, whatever the number of people. So the
// levels of strangers in general are standard normal, those of strangers who resemble the
// people are larger.
//
// Whether they are of one of the kinds Assumptions.Alike is found from the mean level of each person. Given
// strangers count as further people.
type surroundings struct {
	count      int // people and strangers; 0 if nothing is known
	hypotheses []hypothesis
	evidences  []float64 // evidences of given strangers, ascending
	sure       int       // so many above a threshold decide alone
}

// A hypothesis is that strangers and people are of a kind.
type hypothesis struct {
	shares      []float64 // shares of strangers with at least each of gridLevels
	probability float64
}

// gridLevels are the levels at which distributions are known; between them the logarithm of the
// share is a line.
var gridLevels = sync.OnceValue(func() (grid []float64) {
	const from, to, step = -5, 9, 0.1
	for i := range int((to-from)/step) + 1 {
		grid = append(grid, from+step*float64(i))
	}
	return grid
})

// exceeding returns what share of the people of kind k exceeds each of gridLevels among so many people of
// this kind.
func (k Kind) exceeding(people int) (shares []float64) {
	const rare, sure = 1e-300, 1 - 1e-15
	for _, level := range gridLevels() {
		z := (deviateOf(ofLevel(level), people) - k.Mean) / k.SD
		shares = append(shares, max(rare, ofMany(min(sure, distuv.UnitNormal.Survival(z)), people)))
	}
	return shares
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
	s := surroundings{count: len(all), evidences: c.Strangers, sure: by.SureTail}
	if len(c.Levels) == 0 {
		s.count = min(c.People, len(c.LeftOut)) + len(c.Strangers)
	}
	if s.count == 0 {
		return s
	}
	usual := hypothesis{}
	for _, level := range gridLevels() {
		usual.shares = append(usual.shares, distuv.UnitNormal.Survival(level))
	}
	s.hypotheses = append(s.hypotheses, usual)
	logs := []float64{0}
	for _, k := range by.Alike {
		h := hypothesis{shares: k.exceeding(c.People)}
		s.hypotheses = append(s.hypotheses, h)
		logs = append(logs, math.Log(k.Odds)+by.BothSides*by.likelihood(all, k.exceeding(max(1, c.People-1)), h.shares))
	}
	total := floats.LogSumExp(logs)
	for i, log := range logs {
		s.hypotheses[i].probability = math.Exp(log - total)
	}
	return s
}

// likelihood is the logarithm of the ratio of the likelihoods of all, if the people are of a kind, and
// if they are chosen at random. Levels of people of this kind, and of strangers, exceed gridLevels so
// often, and are modelled as normal. The ratio does not fall where levels are larger.
func (by *Assumptions) likelihood(all []seenLevel, people, strangers []float64) (sum float64) {
	var mean, sd, smallest, largest [2]float64
	for i, exceeding := range [][]float64{people, strangers} {
		mean[i], sd[i] = moments(exceeding)
		smallest[i], largest[i] = math.Inf(-1), by.MaxDeviate
		if turn := mean[i] / (1 - sd[i]*sd[i]); turn < 0 {
			smallest[i] = turn
		} else {
			largest[i] = min(largest[i], turn)
		}
	}
	for _, one := range all {
		i := 0
		if one.stranger {
			i = 1
		}
		level := max(smallest[i], min(largest[i], one.level))
		variance := by.PersonVariance + (1-by.PersonVariance)/one.photographs
		d := (level - mean[i]) / sd[i]
		sum += one.weight * ((level*level-d*d)/(2*variance) - math.Log(sd[i]))
	}
	return sum
}

// share returns the share of strangers who exceed gridLevels()[i].
func (s surroundings) share(i int) (sum float64) {
	for _, h := range s.hypotheses {
		sum += h.probability * h.shares[i]
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

// TooAlike reports whether the people of a gallery are so alike that no rate of strangers who are named can be
// promised: more than those of the kind Assumptions.Alike that is most alike. The middle level of the people
// decides, from MinAlike people on, so that two names of one person do not. It is not known, and
// false, unless c follows the law of a network.
func (c *Calibration) TooAlike() bool {
	by := c.assumptions()
	if len(c.Levels) < by.MinAlike || float64(len(c.Strangers))*c.FPIR >= float64(by.SureTail) {
		return false
	}
	middle := slices.Sorted(slices.Values(c.Levels))[len(c.Levels)/2]
	for _, k := range by.Alike {
		if mean, sd := moments(k.exceeding(c.People - 1)); middle <= mean+by.LevelError*sd {
			return false
		}
	}
	return true
}

// limit returns what share of strangers who resemble the people exceeds a level at most, with a
// probability.
func (s surroundings) limit(level, probability float64) float64 {
	grid := gridLevels()
	i, _ := slices.BinarySearch(grid, level)
	i = max(0, min(i, len(grid))-1) // the level below exceeds no less often
	by := slices.SortedFunc(slices.Values(s.hypotheses), func(a, b hypothesis) int { return cmp.Compare(a.shares[i], b.shares[i]) })
	for _, h := range by {
		if probability -= h.probability; probability <= 0 {
			return h.shares[i]
		}
	}
	return by[len(by)-1].shares[i]
}

// expected returns the expected share of strangers who resemble the people and exceed a level.
func (s surroundings) expected(level float64) float64 {
	grid := gridLevels()
	i, _ := slices.BinarySearch(grid, level)
	i = max(1, min(i, len(grid)-1))
	above, below := math.Log(s.share(i-1)), math.Log(s.share(i))
	return math.Exp(above + (below-above)*(level-grid[i-1])/(grid[i]-grid[i-1]))
}
