package openset

import (
	"fmt"
	"math"
	"slices"
)

// Grown decides for a large gallery, whose people change: the rate of strangers who are
// named is kept, and not a threshold of the scores. The margin of a face is its evidence:
// −log10 of the share of strangers who have a score as large with one of the people at the
// time.
//
// Scores of strangers are those of faces of the gallery that were compared with everybody
// but their own person. The share of strangers above a score is counted below the score
// that tailShare of them exceed. Above it, the excess is modelled as exponential, as the
// largest of many scores has such a tail. If the scores are those with another number of
// people, S of strangers with N people become 1 − (1 − S)^(N'/N).
type Grown struct {
	Calibration // its margins are evidences

	scores []float64 // of strangers, ascending
	growth float64   // N'/N
	start  float64   // of the tail
	excess float64   // its mean
}

const (
	tailShare      = 0.1
	leastStrangers = 20 // for two in the tail

	mostTrials = 400 // of people, and of strangers, that probabilities are fitted to
)

// NewGrown returns the calibration of a gallery of so many people from scores: of
// strangers, who were compared when there were compared people, and of faces of people
// who were held out, with a right and a wrong best guess. ErrNoStrangers is wrapped if
// strangers are too few.
func NewGrown(o Options, people, compared int, strangers, right, wrong []float64) (*Grown, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	n := len(strangers)
	if n < leastStrangers || compared < 1 || people < 1 {
		return nil, fmt.Errorf("calibrate: %d faces of strangers among %d people: %w", n, compared, ErrNoStrangers)
	}
	g := &Grown{
		Calibration: Calibration{FPIR: o.FPIR, Prior: o.Prior, Asked: o.Folds, People: people, Faces: float64(n), Mean: 1 / math.Ln10, Seen: 1 / math.Ln10, Grown: true},
		scores:      slices.Sorted(slices.Values(strangers)), growth: float64(people) / float64(compared),
	}
	first := n - int(tailShare*float64(n))
	g.start = g.scores[first]
	for _, s := range g.scores[first:] {
		g.excess += (s - g.start) / float64(n-first)
	}
	if !(g.excess > 0) || math.IsInf(g.scores[0], 0) || math.IsInf(g.excess, 0) {
		return nil, fmt.Errorf("calibrate: the scores of strangers from %v to %v have no tail", g.scores[0], g.scores[n-1])
	}
	for _, list := range []struct {
		to     *[]float64
		scores []float64
	}{{&g.Right, right}, {&g.Wrong, wrong}, {&g.Left, strangers}} {
		for _, s := range list.scores {
			*list.to = append(*list.to, g.Evidence(s))
		}
		slices.Sort(*list.to)
	}
	g.Threshold = -math.Log10(o.FPIR)
	few := g.Calibration
	step := max(1, (len(few.Right)+len(few.Wrong))/mostTrials)
	few.Right, few.Wrong, few.Left = every(few.Right, step), every(few.Wrong, step), thin(few.Left, mostTrials)
	g.Odds = few.odds()
	return g, g.Validate()
}

// every is each step-th of a sorted list.
func every(list []float64, step int) (kept []float64) {
	for i := step / 2; i < len(list); i += step {
		kept = append(kept, list[i])
	}
	return kept
}

// Evidence returns the evidence of a score.
func (g *Grown) Evidence(score float64) float64 {
	n := float64(len(g.scores))
	// The logarithm of the share of strangers with a score as large.
	at, _ := slices.BinarySearch(g.scores, score)
	share := math.Log((n - float64(at)) / (n + 1))
	if score >= g.start {
		share = math.Log(tailShare) - (score-g.start)/g.excess
	}
	if share = min(share, -1e-9); share > -1 || g.growth*math.Exp(share) > 1e-3 {
		share = math.Log(-math.Expm1(g.growth * math.Log1p(-math.Exp(share))))
	} else {
		share += math.Log(g.growth) // the same where the power of ten is less than a float64 has
	}
	return min(maxEvidence, max(0, -share/math.Ln10))
}

// Score returns the score of a face that is named for sure: it has the evidence of the
// threshold.
func (g *Grown) Score() float64 {
	lo, hi := g.scores[0], g.start+maxEvidence*math.Ln10*g.excess
	const steps = 60
	for range steps {
		if mid := (lo + hi) / 2; g.Evidence(mid) >= g.Threshold {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}
