package openset

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"nrdl.example/nrdl/internal/legible"
)

// ByLaw returns the calibration of a gallery of embeddings of a network with the impostors l.
// The embeddings are the columns of x, d×n of unit norm, grouped by person. Given are the
// evidences of strangers from the same surroundings; may be nil. Nothing is trained: it takes
// milliseconds.
func ByLaw(opt Options, l *Impostors, x *mat.Dense, groups []int, given []float64) (*Calibration, error) {
	if x == nil || len(groups) < 2 {
		return nil, errors.New("calibrate: there are no embeddings, or no people")
	}
	return ByLawOf(opt, l, galleryOf(x, groups), given)
}

// ByLawOf is ByLaw for a Gallery, which reads the embeddings person by person.
func ByLawOf(opt Options, l *Impostors, g Gallery, given []float64) (*Calibration, error) {
	if err := cmp.Or(opt.Validate(), l.Validate()); err != nil {
		return nil, err
	}
	groups, people := g.Groups, len(g.Groups)-1
	c := opt.calibration(people)
	c.Strangers = given
	for p := range people {
		c.Photographs = append(c.Photographs, groups[p+1]-groups[p])
	}
	seen, sums := make([]int, people), make([]float64, people)
	for _, one := range l.compare(g, c.assumptions().Comparisons) {
		person, _ := slices.BinarySearch(groups, one.Column+1)
		switch {
		case one.Single:
		case one.Best == person-1:
			c.Right = append(c.Right, one.Evidence)
		default:
			c.Wrong = append(c.Wrong, one.Evidence)
		}
		// A person with many photographs must not decide for all.
		if seen[person-1]++; one.Rival >= 0 && seen[person-1] <= c.assumptions().MaxEach {
			c.LeftOut = append(c.LeftOut, one.Stranger)
			sums[person-1] += c.strangerLevel(one.Stranger)
		}
	}
	for p, n := range seen {
		if n > 0 && people > 1 {
			c.Levels = append(c.Levels, sums[p]/float64(min(n, c.assumptions().MaxEach)))
		}
	}
	return c, c.FitByLaw(l)
}

// FollowsLaw reports whether c was made by ByLaw: then its margins are evidences by the
// Impostors of a network.
func (c *Calibration) FollowsLaw() bool { return c.Photographs != nil }

// FitByLaw computes the threshold and the probabilities from the evidences, for a network whose
// impostors are l.
func (c *Calibration) FitByLaw(l *Impostors) error {
	if !c.FollowsLaw() || c.People == 0 {
		return fmt.Errorf("calibration: its margins are not evidences of a network")
	}
	c.Former = nil
	for _, list := range []*[]float64{&c.Right, &c.Wrong, &c.LeftOut, &c.Strangers} {
		slices.Sort(*list)
	}
	c.Mean = 1 / math.Ln10 // of −log10 of a share that is uniform
	c.RawMean = c.Mean
	c.Faces = l.Independent/float64(c.People) + float64(len(c.Strangers))
	around := c.surroundings()
	c.Threshold = around.threshold(c.FPIR)
	c.Odds = oddsOf(c.trialsByLaw(l, around))
	return c.Validate()
}

// threshold is the least evidence at which at most this share of strangers is named, both of
// strangers in general and of strangers who resemble the people.
func (s surroundings) threshold(fpir float64) float64 {
	inGeneral := -math.Log10(fpir)
	if s.count == 0 {
		return inGeneral
	}
	threshold := max(inGeneral, ofLevel(s.quantile(fpir)))
	if n := len(s.evidences); float64(n)*fpir >= float64(s.sure) {
		threshold = max(threshold, s.evidences[n-int(float64(n)*fpir)])
	}
	return threshold
}

// trialsByLaw are the held-out faces and, of so few, some as the law has them; and
// strangers as the threshold takes them to be.
func (c *Calibration) trialsByLaw(l *Impostors, around surroundings) []trial {
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
	like := by.LikeShare
	if around.count == 0 {
		like = 0
	}
	for i := range by.StrangerTrials {
		share := (float64(i) + 0.5) / strangers
		add(-math.Log10(share), 0, c.Prior*(1-like), strangers)
		if like > 0 {
			add(ofLevel(around.quantile(share)), 0, c.Prior*like, strangers)
		}
	}
	return all
}

// A Share is a share of strangers who are named, with its interval of 90 %. Where only an
// upper limit is known, Least is 0, and Most holds in 90 % of the galleries.
type Share struct {
	Rate float64 `json:"rate"`  // the expected share
	Low  float64 `json:"least"` // lower end of an interval of 90 %
	High float64 `json:"most"`  // upper end of an interval of 90 %
}

// Known reports whether s could be estimated: its interval ends below 1.
func (s Share) Known() bool { return s.High < 1 }

func (s Share) String() string {
	percent := legible.Percent
	switch {
	case !s.Known():
		return "an unknown share"
	case s.Low == 0:
		return fmt.Sprintf("%s %% (in nine of ten models at most %s %%)", percent(s.Rate), percent(s.High))
	}
	return fmt.Sprintf("%s %% (90 %% interval %s to %s %%)", percent(s.Rate), percent(s.Low), percent(s.High))
}

const rounding = 1e-6

// uncertainty is the factor by which a share of strangers in general may be larger or smaller.
func (c *Calibration) uncertainty(rate float64, l *Impostors) float64 {
	// Of n independent comparisons a share q varies by √(q/n).
	by := c.assumptions()
	variance := by.GalleryVariance + 1/float64(c.People) + 1/(l.Independent*ofOne(min(rate, 0.5), c.People))
	return math.Exp(by.Interval * math.Sqrt(variance))
}

// maxAtLarge is the upper limit of a share of strangers in general. A rare share is not known
// well, but it is smaller than any larger share, and so is its limit.
func (c *Calibration) maxAtLarge(rate float64, l *Impostors) float64 {
	const step = 1.05
	limit := 1.
	for r := rate; r < 1; r *= step {
		limit = min(limit, r*c.uncertainty(r, l))
	}
	return limit
}

// StrangerRates returns the expected shares of strangers who are named at the threshold:
// atLarge of people chosen at random, and like of strangers who resemble the people of the
// gallery. Only an upper limit of like is known, and nothing of it if people are few
// (Assumptions.MinLike). Nothing is known of either if the people are too alike. Only an upper limit
// of atLarge is known of one person, and where the
// resemblance of the people sets the threshold. Both are zero if margins are not evidence.
func (c *Calibration) StrangerRates(l *Impostors) (atLarge, like Share) {
	if !c.FollowsLaw() {
		return Share{}, Share{}
	}
	like = Share{High: 1}
	if c.TooAlike() {
		return like, like
	}
	rate := math.Pow(10, -c.Threshold)
	atLarge = Share{Rate: rate, High: c.maxAtLarge(rate, l)}
	if rate >= c.FPIR*(1-rounding) && c.People > 1 { // a single person may be unlike others
		atLarge.Low = rate / c.uncertainty(rate, l)
	}
	by := c.assumptions()
	if around := c.surroundings(); around.count >= by.MinLike {
		level := levelOf(c.Threshold)
		like.Rate = around.expected(level)
		like.High = max(like.Rate, around.limit(level-by.LevelError, by.Certainty))
	}
	return atLarge, like
}
