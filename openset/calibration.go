package openset

import (
	"fmt"
	"math"
	"slices"

	"nrdl/internal/hint"
)

// A Calibration says what the margin of a face, by how much its largest class
// score exceeds the second, is worth: whether it is named, and with which
// probability the name is right. It is made of faces that a model did not learn
// from: held-out faces of people whom it knew, and the faces of people whom it
// did not.
//
// We model the margin of a stranger as the gap between the two largest of C
// independent normal scores with an unknown scale. Each stranger has a scale of
// its own, and its logarithm is normal with a known deviation. Only the mean m is
// estimated from the faces, so that no tail has to be observed. The threshold
// for a share FAR of false accepts is
//
//	t = q · m · exp(z·v/√n)
//
// with q·m the quantile of that law, v its coefficient of variation, n the faces
// of strangers that were seen, and z the standard errors of m by which it is
// raised, so that the share holds in nearly every model and not in the mean of
// many. Where the law says what the spread of the scores of a face, their standard
// deviation, makes of the margin, m is a weighted mean of the margins and of the
// spreads, which few faces tell better. Strangers who are given count like people
// left out; as soon as there are some ten of them above it, the threshold is
// their quantile.
//
// The log odds that a name is right are a + b·x + c·ln x with x = margin/m,
// which is exact where the margins of people who are known follow a gamma
// distribution and those of strangers an exponential one. No probability exceeds
// Most.
type Calibration struct {
	FAR   float64 `json:"far"`             // wanted share of strangers who are named
	Prior float64 `json:"prior"`           // share of strangers that a probability counts with
	Folds int     `json:"folds"`           // in which faces and people were left out
	Asked int     `json:"asked,omitempty"` // Folds of the Options, from which Folds followed for so many people

	Threshold float64     `json:"threshold"`      // least margin of a face that is named
	Odds      *[3]float64 `json:"odds,omitempty"` // a, b, c; nil where no face could be held out

	People int     `json:"people"`           // left out in turn
	Mean   float64 `json:"mean"`             // m, of the margins of strangers
	Faces  float64 `json:"faces"`            // n, of strangers that were seen; those of one person count less
	Seen   float64 `json:"seen,omitempty"`   // mean of their margins; 0 in files of format 4
	Spread float64 `json:"spread,omitempty"` // mean over faces left out of the standard deviation of their scores; 0 where none was, and in files of format 4
	Pairs  *Pairs  `json:"pairs,omitempty"`  // of the faces left out; nil in files before format 6

	// Margins, ascending: of held-out faces that were named rightly and wrongly,
	// of faces of people left out, and of strangers who were given. Of very many
	// some ten thousands, evenly, are kept.
	Right []float64 `json:"right"`
	Wrong []float64 `json:"wrong"`
	Left  []float64 `json:"left"`
	Given []float64 `json:"given,omitempty"`
}

// Options say how a Calibration is made.
type Options struct {
	FAR   float64 `json:"far"`   // wanted share of strangers who are named
	Prior float64 `json:"prior"` // share of strangers that a probability counts with
	// Folds is in how many turns people and faces are left out; 0 for 20 of what
	// is learnt in closed form and 5 of what iterates.
	Folds int `json:"folds"`
}

// Default accepts one stranger in a hundred.
var Default = Options{FAR: 0.01, Prior: 0.5}

// Bounds on Options.
const (
	leastFAR = 1e-6
	mostFAR  = 0.5
	maxFolds = 1000

	// In two folds a person who is left out of one has no turn to hold faces
	// out in the other.
	leastFolds = 3
)

// Validate reports what is no share, or too many folds.
func (o Options) Validate() error {
	switch {
	case !(o.FAR >= leastFAR && o.FAR <= mostFAR):
		return hint.Add(fmt.Errorf("false accept rate %v is not from %v to %v", o.FAR, leastFAR, mostFAR), "0.01 is one in a hundred")
	case !(o.Prior > 0 && o.Prior < 1):
		return fmt.Errorf("prior = %v is not a share of strangers between 0 and 1", o.Prior)
	case o.Folds < 0 || o.Folds > 0 && o.Folds < leastFolds || o.Folds > maxFolds:
		return fmt.Errorf("folds = %d is not a number from %d to %d, or 0", o.Folds, leastFolds, maxFolds)
	}
	return nil
}

// How returns what c was asked for, so that another model can be calibrated alike.
func (c *Calibration) How() Options { return Options{c.FAR, c.Prior, c.Asked} }

// keptMargins bounds each list of margins of a Calibration.
const keptMargins = 1 << 16

// Add takes in the margin of a face that was left out of the training: of
// somebody who was left out too, or of somebody who was not and whose best guess
// is right or wrong. Spread is the standard deviation of the class scores.
func (c *Calibration) Add(margin, spread float64, stranger, right bool) {
	switch {
	case stranger:
		c.Left = append(c.Left, margin)
		c.Spread += (spread - c.Spread) / float64(len(c.Left))
	case right:
		c.Right = append(c.Right, margin)
	default:
		c.Wrong = append(c.Wrong, margin)
	}
}

// Fit sets what follows from the margins in a classifier of so many classes, whose
// strangers follow l. It sorts the margins and thins them out. The error wraps
// ErrNoStrangers where there are none of strangers.
func (c *Calibration) Fit(classes int, l Law) error {
	for _, list := range []*[]float64{&c.Right, &c.Wrong, &c.Left, &c.Given} {
		slices.Sort(*list)
	}
	if err := c.strangers(classes, l); err != nil {
		return err
	}
	c.Threshold = c.threshold(c.FAR, classes, l)
	c.Odds = c.odds()
	for _, list := range []*[]float64{&c.Right, &c.Wrong, &c.Left, &c.Given} {
		*list = thin(*list, keptMargins)
	}
	return c.Validate()
}

func sum(list []float64) (total float64) {
	for _, v := range list {
		total += v
	}
	return total
}

// thin keeps at most n of a sorted list, evenly.
func thin(list []float64, n int) []float64 {
	if len(list) <= n {
		return list
	}
	kept := make([]float64, n)
	for i := range kept {
		kept[i] = list[i*(len(list)-1)/(n-1)]
	}
	return kept
}

// A Decision says whether a face is named.
type Decision struct {
	Known       bool    // its margin reaches the threshold
	Probability float64 // that the best guess is right; NaN where that is not known
}

// Nobody is the decision on an image without a face.
var Nobody = Decision{Probability: math.NaN()}

// Decide decides on a face of this margin. A nil Calibration names everybody.
func (c *Calibration) Decide(margin float64) Decision {
	if c == nil {
		return Decision{true, math.NaN()}
	}
	return Decision{c.Known(margin), c.Probability(margin)}
}

// Known reports whether a face of this margin is named.
func (c *Calibration) Known(margin float64) bool { return margin >= c.Threshold }

// Probability is that with which the best guess for a face of this margin is
// right, one of Prior of all faces being a stranger's; NaN where no face could be
// held out.
func (c *Calibration) Probability(margin float64) float64 {
	if c == nil || c.Odds == nil {
		return math.NaN()
	}
	x := terms(margin / c.Mean)
	return min(c.Most(), logistic(c.Odds[0]*x[0]+c.Odds[1]*x[1]+c.Odds[2]*x[2]))
}

// Rates say how faces that were left out of the training are named.
type Rates struct {
	Held  int     // faces of people who were known
	Guess float64 // share of them whose best guess is right
	Right float64 // share of them that is named rightly
	Wrong float64 // share of them that gets a wrong name
}

// Rates returns how c names the faces that were left out.
func (c *Calibration) Rates() Rates {
	held := float64(len(c.Right) + len(c.Wrong))
	above := func(margins []float64) (n float64) {
		for _, v := range margins {
			if c.Known(v) {
				n++
			}
		}
		return n / held
	}
	if held == 0 {
		return Rates{}
	}
	return Rates{int(held), float64(len(c.Right)) / held, above(c.Right), above(c.Wrong)}
}

// nearChance is the part of the way from guessing to naming everybody correctly
// below which a model is no better than guessing.
const nearChance = 0.1

// NearChance reports whether the best guesses are hardly better than guessing among
// so many people.
func (r Rates) NearChance(people int) bool {
	chance := 1 / float64(people)
	return (r.Guess-chance)/(1-chance) < nearChance
}

// leastMargin stands for smaller ones, whose logarithm would count too much.
const leastMargin = 1e-3 // of the mean of strangers

// terms are what the log odds are a sum of.
func terms(x float64) [3]float64 {
	x = max(x, leastMargin)
	return [3]float64{1, x, math.Log(x)}
}

func logistic(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// Validate reports numbers that no calibration has.
func (c *Calibration) Validate() error {
	if err := (Options{c.FAR, c.Prior, c.Folds}).Validate(); err != nil {
		return fmt.Errorf("calibration: %w", err)
	}
	if err := c.How().Validate(); err != nil {
		return fmt.Errorf("calibration: asked: %w", err)
	}
	if !(c.Threshold >= 0) || math.IsInf(c.Threshold, 0) || c.People < 0 || !(c.Mean > 0) || math.IsInf(c.Mean, 0) || !(c.Faces > 0) || math.IsInf(c.Faces, 0) || !(c.Seen >= 0) || math.IsInf(c.Seen, 0) || !(c.Spread >= 0) || math.IsInf(c.Spread, 0) {
		return fmt.Errorf("calibration: threshold = %v, mean = %v of %v faces, %d people", c.Threshold, c.Mean, c.Faces, c.People)
	}
	for _, list := range [][]float64{c.Right, c.Wrong, c.Left, c.Given} {
		for i, v := range list {
			if !(v >= 0) || math.IsInf(v, 0) || i > 0 && v < list[i-1] {
				return fmt.Errorf("calibration: %v is no margin, or out of order", v)
			}
		}
	}
	if c.Pairs != nil {
		if err := c.Pairs.Validate(); err != nil {
			return err
		}
	}
	if c.Odds != nil {
		for i, v := range c.Odds {
			if math.IsNaN(v) || math.IsInf(v, 0) || i > 0 && v < 0 {
				return fmt.Errorf("calibration: odds %v", *c.Odds)
			}
		}
	}
	return nil
}
