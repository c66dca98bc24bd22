package openset

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"nrdl.example/nrdl/advice"
)

// A Calibration turns the margin of a face into a decision (named or unknown)
// and into the probability that the name is right. The margin is the difference
// between the largest and the second class score. A Calibration is estimated by
// cross-validation, from held-out faces of enrolled people and from faces of
// people who were left out.
//
// We model the margin of a stranger as the gap between the two largest of C
// independent normal scores with an unknown scale. Each stranger has its own
// scale, whose logarithm is normal with a known deviation. Only the mean m is
// estimated from the faces, so that no tail has to be observed. The threshold
// for the target rate c.FPIR is
//
//	t = q · m · exp(z·v/√n)
//
// where q·m is the quantile of this distribution, v its coefficient of
// variation, and n the effective number of faces of strangers. The threshold is
// raised by z standard errors of m, so that the rate holds in nearly every
// model and not only on average. If the Law has a Ratio, m also uses the
// spread, the standard deviation of the class scores of a face, which is
// estimated better from few faces. Given strangers count like left-out people.
// If at least ten given strangers lie above the threshold, the threshold is the
// quantile of their margins instead.
//
// For the embeddings of a network whose Impostors are known, the margin is the
// evidence, Impostors.Evidence. Then the threshold needs no strangers: it follows from the
// number of people, and from how similar each enrolled photograph is to the other people
// (ByLaw, FollowsLaw). Given strangers count as further people.
//
// The log odds that a name is right are a + b·x + c·ln x with x = margin/m,
// which is exact if the margins of enrolled people follow a gamma distribution
// and those of strangers an exponential one. No probability exceeds MaxProbability.
type Calibration struct {
	FPIR        float64 `json:"far"`             // target FPIR, the share of strangers who may be named
	Prior       float64 `json:"prior"`           // assumed share of strangers among the probes
	Folds       int     `json:"folds"`           // of the cross-validation
	FoldsOption int     `json:"asked,omitempty"` // Folds of the Options; Folds follows from it and from the number of people

	Threshold float64     `json:"threshold"`      // smallest margin of a face that is named
	Odds      *[3]float64 `json:"odds,omitempty"` // a, b, c; nil if no face could be held out

	People  int     `json:"people"`         // left out in turn
	Mean    float64 `json:"mean"`           // m, estimated mean margin of strangers
	Faces   float64 `json:"faces"`          // n, effective number of faces of strangers; several faces of one person count less
	RawMean float64 `json:"seen,omitempty"` // their mean margin; 0 in files of format 4
	// mean over left-out faces of the standard deviation of the class scores; 0 without such faces, and in
	// files of format 4
	Spread float64 `json:"spread,omitempty"`
	Pairs  *Pairs  `json:"pairs,omitempty"` // of the faces left out; nil in files before format 6

	ByScores    bool  `json:"grown,omitempty"`       // margins are evidences, as Evidence computes them; see the function ByScores
	Photographs []int `json:"photographs,omitempty"` // of each person; nil unless FollowsLaw
	// mean levels of the photographs of each person that was compared with others (surroundings); nil
	// unless FollowsLaw, and in files of version 0.2
	Levels []float64       `json:"levels,omitempty"`
	Former json.RawMessage `json:"alike,omitempty"` // what earlier versions stored of similar people; not used

	// Margins, ascending: of held-out faces with a right and a wrong best guess,
	// of faces of left-out people, and of given strangers. Long lists are thinned
	// out evenly to some ten thousands.
	Right     []float64 `json:"right"`
	Wrong     []float64 `json:"wrong"`           // margins of held-out faces with a wrong best guess
	LeftOut   []float64 `json:"left"`            // margins of faces of people who were left out
	Strangers []float64 `json:"given,omitempty"` // margins of the strangers who were given

	Assumptions *Assumptions `json:"assumptions,omitempty"` // nil: DefaultAssumptions

	tail *tail // of the scores of strangers; nil unless ByScores
}

// Options say how a Calibration is made.
type Options struct {
	FPIR  float64 `json:"far"`   // target FPIR
	Prior float64 `json:"prior"` // assumed share of strangers among the probes
	// Folds is the number of folds of the cross-validation; 0 means 20 for methods
	// in closed form and 5 for iterative ones.
	Folds int `json:"folds"`

	Assumptions *Assumptions `json:"assumptions,omitempty"` // nil: DefaultAssumptions
}

// Default has a target FPIR of 1 %.
var Default = Options{FPIR: 0.01, Prior: 0.5}

// Bounds on Options.
const (
	minFPIR  = 1e-6
	maxFPIR  = 0.5
	maxFolds = 1000

	// In two folds a person who is left out of one has no turn to hold faces
	// out in the other.
	minFolds = 3
)

// Validate reports the first option that is out of range.
func (o Options) Validate() error {
	switch {
	case !(o.FPIR >= minFPIR && o.FPIR <= maxFPIR):
		return advice.Add(fmt.Errorf("FPIR %v is not from %s to %v", o.FPIR, strconv.FormatFloat(minFPIR, 'f', -1, 64), maxFPIR),
			"0.01 is one in a hundred")
	case !(o.Prior > 0 && o.Prior < 1):
		return fmt.Errorf("prior = %v is not a share of strangers between 0 and 1", o.Prior)
	case o.Folds < 0 || o.Folds > 0 && o.Folds < minFolds || o.Folds > maxFolds:
		return fmt.Errorf("folds = %d is not a number from %d to %d, or 0", o.Folds, minFolds, maxFolds)
	case o.Assumptions != nil:
		return o.Assumptions.Validate()
	}
	return nil
}

// Options returns the Options of c, so that another model can be calibrated in the
// same way.
func (c *Calibration) Options() Options {
	return Options{c.FPIR, c.Prior, c.FoldsOption, c.Assumptions}
}

// calibration is a Calibration of so many people that has these options, and nothing else.
func (o Options) calibration(people int) *Calibration {
	return &Calibration{FPIR: o.FPIR, Prior: o.Prior, FoldsOption: o.Folds, Assumptions: o.Assumptions, People: people}
}

// DiffersInRate reports whether o has the same settings as c, or differs from them in the FPIR
// only.
func (c *Calibration) DiffersInRate(o Options) bool {
	return c.Prior == o.Prior && c.FoldsOption == o.Folds && *c.assumptions() == *cmp.Or(o.Assumptions, &DefaultAssumptions)
}

// Numbers returns the Assumptions of o.
func (o *Options) Numbers() *Assumptions { return cmp.Or(o.Assumptions, &DefaultAssumptions) }

func (c *Calibration) assumptions() *Assumptions { return cmp.Or(c.Assumptions, &DefaultAssumptions) }

// keptMargins bounds each list of margins of a Calibration.
const keptMargins = 1 << 16

// Add adds the margin of a face that was left out of the training. Stranger
// says that its person was left out too; if not, right says whether its best
// guess is right. Spread is the standard deviation of its class scores.
func (c *Calibration) Add(margin, spread float64, stranger, right bool) {
	switch {
	case stranger:
		c.LeftOut = append(c.LeftOut, margin)
		c.Spread += (spread - c.Spread) / float64(len(c.LeftOut))
	case right:
		c.Right = append(c.Right, margin)
	default:
		c.Wrong = append(c.Wrong, margin)
	}
}

// Fit computes the threshold and the probabilities from the margins, for a
// classifier of so many classes. It sorts the margins and thins them out. The
// error wraps ErrNoStrangers if there are no margins of strangers.
func (c *Calibration) Fit(classes int, l Law) error {
	if err := c.checkLeft(); err != nil {
		return err
	}
	for _, list := range []*[]float64{&c.Right, &c.Wrong, &c.LeftOut, &c.Strangers} {
		slices.Sort(*list)
	}
	if err := c.fitMean(classes, l); err != nil {
		return err
	}
	c.Threshold = c.thresholds(classes, l)(c.FPIR)
	c.Odds = c.odds()
	for _, list := range []*[]float64{&c.Right, &c.Wrong, &c.LeftOut, &c.Strangers} {
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
	Probability float64 // that the best guess is right; NaN if not known
}

// Nobody is the decision for an image without a face.
var Nobody = Decision{Probability: math.NaN()}

// Decide returns the decision for a face of this margin. With a nil Calibration
// every face is named.
func (c *Calibration) Decide(margin float64) Decision {
	if c == nil {
		return Decision{true, math.NaN()}
	}
	return Decision{c.Known(margin), c.Probability(margin)}
}

// Known reports whether a face of this margin is named.
func (c *Calibration) Known(margin float64) bool { return margin >= c.Threshold }

// Probability is the probability that the best guess for a face of this margin
// is right, if a share Prior of the probes are strangers; NaN if no face could
// be held out.
func (c *Calibration) Probability(margin float64) float64 {
	if c == nil || c.Odds == nil {
		return math.NaN()
	}
	x := c.terms(margin, c.Mean)
	return min(c.MaxProbability(), logistic(c.Odds[0]*x[0]+c.Odds[1]*x[1]+c.Odds[2]*x[2]))
}

// terms are what the log odds of a margin are a sum of, with this mean margin of strangers.
func (c *Calibration) terms(margin, mean float64) [3]float64 {
	x := max(margin/mean, c.assumptions().MinMargin)
	return [3]float64{1, x, math.Log(x)}
}

func logistic(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// Validate reports the first impossible number.
func (c *Calibration) Validate() error {
	if err := (Options{c.FPIR, c.Prior, c.Folds, c.Assumptions}).Validate(); err != nil {
		return fmt.Errorf("calibration: %w", err)
	}
	if err := c.Options().Validate(); err != nil {
		return fmt.Errorf("calibration: asked: %w", err)
	}
	if !(c.Threshold >= 0) || math.IsInf(c.Threshold, 0) || c.People < 0 || !(c.Mean > 0) || math.IsInf(c.Mean, 0) || !(c.Faces > 0) ||
		math.IsInf(c.Faces, 0) || !(c.RawMean >= 0) || math.IsInf(c.RawMean, 0) || !(c.Spread >= 0) || math.IsInf(c.Spread, 0) {
		return fmt.Errorf("calibration: threshold = %v, mean = %v of %v faces, %d people", c.Threshold, c.Mean, c.Faces, c.People)
	}
	if !c.FollowsLaw() && !c.ByScores {
		if err := c.checkLeft(); err != nil {
			return err
		}
	}
	for _, list := range [][]float64{c.Right, c.Wrong, c.LeftOut, c.Strangers} {
		for i, v := range list {
			if !(v >= 0) || math.IsInf(v, 0) || i > 0 && v < list[i-1] {
				return fmt.Errorf("calibration: %v is no margin, or out of order", v)
			}
		}
	}
	if c.FollowsLaw() && (len(c.Photographs) != c.People || slices.ContainsFunc(c.Photographs, func(n int) bool { return n < 1 })) {
		return fmt.Errorf("calibration: %d people, photographs %v", c.People, c.Photographs)
	}
	if i := slices.IndexFunc(c.Levels, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }); i >= 0 || len(c.Levels) > c.People {
		return fmt.Errorf("calibration: %d levels of %d people", len(c.Levels), c.People)
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

// checkLeft reports margins of people left out that no cross-validation can have made.
func (c *Calibration) checkLeft() error {
	if len(c.LeftOut) > 0 && (c.Folds < minFolds || c.People < 1) {
		return fmt.Errorf("calibration: %d margins of %d people left out of %d folds", len(c.LeftOut), c.People, c.Folds)
	}
	return nil
}
