package gallery

import (
	"math"
)

// maxReviewed is the largest number of people for which all pairs are compared.
const maxReviewed = 2000

// pairs are the people with an estimated share of confused images that is worth telling,
// or with held-out images that are confused. Images that look mislabelled do not count.
func (f *reassignment) pairs() []Pair {
	minShare, used := f.g.Numbers().Review.MinConfused, 0.0
	people := len(f.count)
	if people > maxReviewed {
		return []Pair{}
	}
	// How the lead of an image's own person over another one varies about its mean is taken
	// to be the same for all pairs.
	leads := make([]pairLead, people*people)
	each := func(see func(p *pairLead, lead float64)) {
		for j, c := range f.labels {
			z, k := f.deviate(j, c)
			if f.groups[j] != c || k == 0 {
				continue
			}
			for q := range people {
				if other, k := f.deviate(j, q); q != c && k > 0 {
					see(&leads[c*people+q], z-other)
				}
			}
		}
	}
	each((*pairLead).add)
	for j, c := range f.labels {
		if _, k := f.deviate(j, c); f.groups[j] == c && k > 0 {
			used++
		}
	}
	// One bad image gives every pair this share at most, by its leads over all others.
	minShare = max(minShare, 1/max(1, used))
	var about residuals
	each(func(p *pairLead, lead float64) { about.add(lead - p.mean) })
	below := about.cumulated()
	all := []Pair{}
	for a := range people {
		for b := range a {
			p, q := leads[a*people+b], leads[b*people+a]
			n := p.n + q.n
			if n == 0 {
				continue
			}
			share := (p.n*below(-p.mean) + q.n*below(-q.mean)) / n
			if share <= minShare && p.wrong+q.wrong == 0 {
				continue
			}
			one := Pair{A: f.g.Names()[b], B: f.g.Names()[a], Wrong: p.wrong + q.wrong, Held: int(n), Share: &share}
			alike, same := f.similar(a, b)
			one.Alike, one.Same = &alike, same
			all = append(all, one)
		}
	}
	return all
}

// A pairLead is the leads of the images of one person over another.
type pairLead struct {
	n, mean float64
	wrong   int // negative ones
}

func (p *pairLead) add(v float64) {
	p.n++
	p.mean += (v - p.mean) / p.n
	if v < 0 {
		p.wrong++
	}
}

// residuals are the counts of numbers from −maxResidual to maxResidual in equal steps.
type residuals [2 * maxResidual * stepsOfOne]float64

const maxResidual, stepsOfOne = 16, 32

func (r *residuals) bin(v float64) int {
	return max(0, min(len(r)-1, int(math.Floor((v+maxResidual)*stepsOfOne))))
}

func (r *residuals) add(v float64) { r[r.bin(v)]++ }

// cumulated returns the share of the numbers that are below one.
func (r *residuals) cumulated() func(float64) float64 {
	var to residuals
	var sum float64
	for i, n := range r {
		sum += n
		to[i] = sum
	}
	return func(v float64) float64 { return to[r.bin(v)] / max(1, sum) }
}
