package openset

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Pairs summarise the cosines of the samples of genuine pairs (two faces of one
// person) and of impostor pairs (two faces of different people). Both are
// modelled as normally distributed.
type Pairs struct {
	Genuine  Similarity `json:"genuine"`
	Impostor Similarity `json:"impostor"`
}

// A Similarity has the mean and the standard deviation of the cosines of N
// pairs.
type Similarity struct {
	N    int     `json:"n"`
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"`
}

// Add adds the cosine of two faces, of the same person or not.
func (p *Pairs) Add(cosine float64, same bool) {
	cosine = max(-1, min(1, cosine)) // of equal samples, rounding may make it larger
	s := &p.Impostor
	if same {
		s = &p.Genuine
	}
	// Welford's update of mean and variance.
	n := float64(s.N)
	squares := s.SD * s.SD * max(0, n-1)
	d := cosine - s.Mean
	s.N++
	s.Mean += d / (n + 1)
	squares += d * (cosine - s.Mean)
	if s.N > 1 {
		s.SD = math.Sqrt(squares / n)
	}
}

// FMR is the false match rate of a threshold at this cosine: the probability
// that an impostor pair is at least as similar. It is 1 if fewer than two
// impostor pairs were added.
func (p *Pairs) FMR(cosine float64) float64 {
	if p.Impostor.N < 2 || !(p.Impostor.SD > 0) {
		return 1
	}
	return distuv.UnitNormal.Survival((cosine - p.Impostor.Mean) / p.Impostor.SD)
}

// Validate reports the first impossible number.
func (p *Pairs) Validate() error {
	for _, s := range []Similarity{p.Genuine, p.Impostor} {
		if s.N < 0 || !(math.Abs(s.Mean) <= 1) || !(s.SD >= 0 && s.SD <= 2) {
			return fmt.Errorf("calibration: %d pairs of mean %v and deviation %v", s.N, s.Mean, s.SD)
		}
	}
	return nil
}
