package openset

import (
	"fmt"
	"math"
	"slices"

	"nrdl.example/nrdl/internal/parallel"
)

// A tail is the distribution of the scores that strangers reach in a gallery. The share of
// strangers above a score is counted below the score that Assumptions.TailShare of them exceed. Above
// it, the excess is modelled as exponential, as the largest of many scores has such a tail.
// If the scores are those with another number of people, S of strangers with N people
// become 1 − (1 − S)^(N'/N).
type tail struct {
	scores []float64 // of strangers, ascending
	share  float64   // in the tail
	growth float64   // N'/N
	start  float64   // of the tail
	excess float64   // its mean
}

// ByScores returns the calibration of a gallery of so many people by scores. The scores
// strangers were reached among compared people; right and wrong are the scores of held-out
// faces of enrolled people whose best guess is right or wrong. The margins of the result are
// evidences: −log10 of the share of strangers who reach a score with one of the people. So the
// FPIR stays the same when people change. The error wraps ErrNoStrangers if strangers are too
// few.
func ByScores(o Options, people, compared int, strangers, right, wrong []float64) (*Calibration, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	c, n := o.calibration(people), len(strangers)
	by := c.assumptions()
	if n < by.MinStrangers || compared < 1 || people < 1 {
		return nil, fmt.Errorf("calibrate: %d faces of strangers among %d people: %w", n, compared, ErrNoStrangers)
	}
	t := &tail{scores: slices.Sorted(slices.Values(strangers)), share: by.TailShare, growth: float64(people) / float64(compared)}
	first := n - int(t.share*float64(n))
	t.start = t.scores[first]
	for _, s := range t.scores[first:] {
		t.excess += (s - t.start) / float64(n-first)
	}
	if !(t.excess > 0) || math.IsInf(t.scores[0], 0) || math.IsInf(t.excess, 0) {
		return nil, fmt.Errorf("calibrate: the scores of strangers from %v to %v have no tail", t.scores[0], t.scores[n-1])
	}
	c.Faces, c.Mean, c.RawMean, c.ByScores, c.tail = float64(n), 1/math.Ln10, 1/math.Ln10, true, t
	for _, list := range []struct {
		values *[]float64
		scores []float64
	}{{&c.Right, right}, {&c.Wrong, wrong}, {&c.LeftOut, strangers}} {
		all := slices.Clone(list.scores)
		parallel.For(len(all), 256, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				all[i] = c.Evidence(all[i])
			}
		})
		slices.Sort(all)
		*list.values = all
	}
	c.Threshold = -math.Log10(o.FPIR)
	few := *c
	step := max(1, (len(few.Right)+len(few.Wrong))/by.MaxTrials)
	few.Right, few.Wrong, few.LeftOut = everyNth(few.Right, step), everyNth(few.Wrong, step), thin(few.LeftOut, by.MaxTrials)
	c.Odds = few.odds()
	return c, c.Validate()
}

// everyNth returns each step-th number of a sorted list.
func everyNth(list []float64, step int) (kept []float64) {
	for i := step / 2; i < len(list); i += step {
		kept = append(kept, list[i])
	}
	return kept
}

// Evidence returns the evidence of a score. If c was not made by ByScores, it is the score
// itself.
func (c *Calibration) Evidence(score float64) float64 {
	if c == nil || c.tail == nil {
		return score
	}
	t, n := c.tail, float64(len(c.tail.scores))
	// The logarithm of the share of strangers with a score as large.
	at, _ := slices.BinarySearch(t.scores, score)
	share := math.Log((n - float64(at)) / (n + 1))
	if score >= t.start {
		share = math.Log(t.share) - (score-t.start)/t.excess
	}
	if share = min(share, -1e-9); share > -1 || t.growth*math.Exp(share) > 1e-3 {
		share = math.Log(-math.Expm1(t.growth * math.Log1p(-math.Exp(share))))
	} else {
		share += math.Log(t.growth) // the same where the power of ten is less than a float64 has
	}
	return min(maxEvidence, max(0, -share/math.Ln10))
}

// Score returns the score at which the evidence reaches the threshold: a face with this score
// or a larger one is named. If c was not made by ByScores, it is the threshold itself.
func (c *Calibration) Score() float64 {
	if c.tail == nil {
		return c.Threshold
	}
	lo, hi := c.tail.scores[0], c.tail.start+maxEvidence*math.Ln10*c.tail.excess
	const steps = 60
	for range steps {
		if mid := (lo + hi) / 2; c.Evidence(mid) >= c.Threshold {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}
