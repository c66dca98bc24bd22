package openset

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// DefaultFMR is the usual false match rate at which two faces are those of one person.
const DefaultFMR = 0.001

// Rates are the identification rates on held-out faces of enrolled people, at the
// threshold for one target FPIR.
type Rates struct {
	FPIR         float64 `json:"fpir"`
	Threshold    float64 `json:"threshold"`    // smallest margin of a face that is named
	Held         int     `json:"held"`         // held-out faces of enrolled people
	Guess        float64 `json:"guess"`        // share whose best guess is right (rank-1 rate)
	Right        float64 `json:"right"`        // share that gets the right name
	Wrong        float64 `json:"wrong"`        // share that gets a wrong name
	Present      bool    `json:"present"`      // FPIR is that of the calibration
	Extrapolated bool    `json:"extrapolated"` // FPIR is smaller than SmallestFPIR
}

// Offered are the target FPIRs that RatesAt compares.
var Offered = []float64{0.001, 0.01, 0.05, 0.1}

// Rates returns the identification rates on the held-out faces at the present
// threshold.
func (c *Calibration) Rates() Rates { return c.rates(c.FPIR, c.Threshold) }

// RatesAt returns what Rates would be with each target FPIR of Offered and with the
// present one, ascending, for a classifier of so many classes; nil if no face was held
// out. The law is that of Fit, and is not used after ByLaw.
func (c *Calibration) RatesAt(classes int, l Law) (all []Rates) {
	if len(c.Right)+len(c.Wrong) == 0 {
		return nil
	}
	rates := append([]float64{c.FPIR}, Offered...)
	slices.Sort(rates)
	var threshold func(fpir float64) float64
	switch {
	case c.ByScores:
		threshold = func(fpir float64) float64 { return -math.Log10(fpir) }
	case c.FollowsLaw():
		threshold = c.surroundings().threshold
	default:
		threshold = c.thresholds(classes, l)
	}
	for _, fpir := range slices.Compact(rates) {
		if fpir == c.FPIR {
			all = append(all, c.Rates())
		} else {
			all = append(all, c.rates(fpir, threshold(fpir)))
		}
	}
	return all
}

// rates are those at the threshold for a target FPIR.
func (c *Calibration) rates(fpir, threshold float64) Rates {
	r := Rates{
		FPIR: fpir, Threshold: threshold, Held: len(c.Right) + len(c.Wrong), Present: fpir == c.FPIR,
		Extrapolated: fpir < c.SmallestFPIR(),
	}
	if r.Held == 0 {
		return r
	}
	above := func(margins []float64) float64 {
		i, _ := slices.BinarySearch(margins, threshold)
		return float64(len(margins)-i) / float64(r.Held)
	}
	r.Guess, r.Right, r.Wrong = float64(len(c.Right))/float64(r.Held), above(c.Right), above(c.Wrong)
	return r
}

// Suggest returns which of rates, as RatesAt returns them, a user could choose instead of the
// present one: the smallest above it at which a share wanted of the known faces gets the right
// name. If none reaches that, it is the smallest of those with the largest share. The result
// is false if the present rate reaches it, or if the share would grow by less than
// Assumptions.Worthwhile.
func (c *Calibration) Suggest(rates []Rates, wanted float64) (Rates, bool) {
	present := slices.IndexFunc(rates, func(r Rates) bool { return r.Present })
	if present < 0 || rates[present].Right >= wanted {
		return Rates{}, false
	}
	best := rates[present]
	for _, r := range rates[present+1:] {
		if r.Right > best.Right && best.Right < wanted {
			best = r
		}
	}
	return best, best.Right >= rates[present].Right+c.assumptions().Worthwhile
}

// NearChance reports whether the best guesses for held-out faces are hardly better than
// random guesses among so many people.
func (c *Calibration) NearChance(people int) bool {
	chance := 1 / float64(people)
	return (c.Rates().Guess-chance)/(1-chance) < c.assumptions().NearChance
}

// Members counts the faces with these margins, given as those of strangers, whose best guess is
// so surely right that they are probably of people of the gallery.
func (c *Calibration) Members(margins []float64) (n int) {
	for _, v := range margins {
		if c.Probability(v) >= min(c.assumptions().Member, c.MaxProbability()) {
			n++
		}
	}
	return n
}

// StrangersAreMembers reports whether the given strangers are probably people of the gallery:
// whether most are as similar to its people as these are to themselves. It is false where
// margins are no evidence, since it is not known then.
func (c *Calibration) StrangersAreMembers() bool {
	n := len(c.Strangers)
	if n == 0 || len(c.Right) == 0 || !c.FollowsLaw() {
		return false
	}
	given, right := slices.Sorted(slices.Values(c.Strangers)), slices.Sorted(slices.Values(c.Right))
	return given[n/2] >= right[len(right)/2]/2
}

// confidence of the limit that StrangerLimit returns: the upper end of an interval of 90 %.
const confidence = 0.95

// StrangerLimit returns a share that the strangers who are named at the threshold do not exceed,
// with a confidence of 95 %; 1 if nothing is known of them. It is the upper end of StrangerRates
// for people chosen at random if c follows the law of the network l. Otherwise it is the limit of
// Clopper and Pearson for the faces of strangers that c was estimated from, where several faces of
// one person count less.
func (c *Calibration) StrangerLimit(l *Impostors) float64 {
	if c.FollowsLaw() {
		if l == nil {
			return 1
		}
		atLarge, _ := c.StrangerRates(l)
		return atLarge.High
	}
	named, faces := c.NamedStrangers()
	if faces == 0 || named >= faces {
		return 1
	}
	share := named / faces
	return distuv.Beta{Alpha: share*c.Faces + 1, Beta: (1 - share) * c.Faces}.Quantile(confidence)
}

// NamedStrangers counts the faces of strangers from which c was estimated, given ones and those of
// people who were left out in turn, and how many of them reach the threshold. Both are 0 if c
// follows the law of a network.
func (c *Calibration) NamedStrangers() (named, faces float64) {
	if c.FollowsLaw() {
		return 0, 0
	}
	for _, margins := range [][]float64{c.LeftOut, c.Strangers} {
		for _, v := range margins {
			if faces++; c.Known(v) {
				named++
			}
		}
	}
	return named, faces
}
