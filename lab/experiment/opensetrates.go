package experiment

import (
	"math"
	"slices"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/gallery"
)

// sortedOf returns the scores of the strangers, descending. An image without a face has
// the score −∞.
func (j *drawState) sortedOf(of func(classify.Evidence) float64) []float64 {
	v := make([]float64, len(j.strangerFaces))
	for i, r := range j.strangerFaces {
		v[i] = scoreOf(r, of)
	}
	slices.Sort(v)
	slices.Reverse(v)
	return v
}

func scoreOf(r gallery.Face, of func(classify.Evidence) float64) float64 {
	if r.Class < 0 {
		return math.Inf(-1)
	}
	return of(r.Evidence)
}

// identifiedAt is the identification rate at the lowest threshold at which at most a share
// fpir of the strangers gets a name.
func (j *drawState) identifiedAt(of func(classify.Evidence) float64, fpir float64) float64 {
	v := j.sortedOf(of)
	at := int(fpir*float64(len(v)) + 1e-9)
	if at >= len(v) {
		return j.ClosedSet
	}
	return j.above(of, v[at])
}

// above is the share of enrolled faces with the right name and a score above t.
func (j *drawState) above(of func(classify.Evidence) float64, t float64) float64 {
	n := 0
	for i, r := range j.enrolledFaces {
		if j.enrolledRight[i] && scoreOf(r, of) > t {
			n++
		}
	}
	return float64(n) / float64(len(j.enrolledFaces))
}

// equalError is the error rate at which the share of strangers with a name equals the
// share of enrolled faces that are not identified. If the two cross between thresholds, it
// is the mean of both.
func (j *drawState) equalError(of func(classify.Evidence) float64) float64 {
	v := j.sortedOf(of)
	lo, hi := 0, len(v) // strangers named
	missed := func(n int) float64 {
		if n == len(v) {
			return 1 - j.ClosedSet
		}
		return 1 - j.above(of, v[n])
	}
	for lo < hi {
		mid := (lo + hi) / 2
		if float64(mid)/float64(len(v)) < missed(mid) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return (float64(lo)/float64(len(v)) + missed(lo)) / 2
}

// tenths is the number of bins of a reliability diagram.
const tenths = 10

// reliability sorts faces into bins by their probabilities; only faces with a name if named
// is set. Images without a face have no probability.
func (j *drawState) reliability(bins int, named bool, prior float64) []ReliabilityBin {
	all := make([]ReliabilityBin, bins)
	add := func(r gallery.Face, right bool, weight float64) {
		if !judges(r) || named && !r.Known {
			return
		}
		b := &all[min(bins-1, int(r.Probability*float64(bins)))]
		b.Faces++
		b.Share += weight
		b.Probability += weight * r.Probability
		if right {
			b.Right += weight
		}
	}
	for i, r := range j.enrolledFaces {
		add(r, j.enrolledRight[i], (1-prior)/float64(len(j.enrolledFaces)))
	}
	for _, r := range j.strangerFaces {
		add(r, false, prior/float64(len(j.strangerFaces)))
	}
	return normalised(all)
}

// judges reports whether r has a probability.
func judges(r gallery.Face) bool { return r.Class >= 0 && !math.IsNaN(r.Probability) }

// normalised turns sums over bins into means.
func normalised(bins []ReliabilityBin) []ReliabilityBin {
	for i := range bins {
		if b := &bins[i]; b.Share > 0 {
			b.Probability /= b.Share
			b.Right /= b.Share
		}
	}
	return bins
}

// calibrationError is the mean difference between the probability and the share of right
// guesses.
func calibrationError(bins []ReliabilityBin) float64 {
	var sum, all float64
	for _, b := range bins {
		sum += b.Share * math.Abs(b.Probability-b.Right)
		all += b.Share
	}
	if all == 0 {
		return math.NaN()
	}
	return sum / all
}

// pooled merges the bins of all draws.
func pooled(all []*drawState) (bins []ReliabilityBin) {
	for i := range tenths {
		var alike []ReliabilityBin
		for _, j := range all {
			alike = append(alike, j.bins[i])
		}
		bins = append(bins, merged(alike))
	}
	return bins
}

// merged merges bins of several draws, which have equal weights, into one.
func merged(bins []ReliabilityBin) ReliabilityBin {
	var sum ReliabilityBin
	for _, b := range bins {
		share := b.Share / float64(len(bins))
		sum.Faces += b.Faces
		sum.Share += share
		sum.Probability += share * b.Probability
		sum.Right += share * b.Right
	}
	return normalised([]ReliabilityBin{sum})[0]
}
