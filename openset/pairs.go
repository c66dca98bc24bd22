package openset

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Pairs say how similar two faces of one person are, and two of different people:
// the cosines of their samples, which are taken to be normally distributed.
type Pairs struct {
	Genuine  Similarity `json:"genuine"`
	Impostor Similarity `json:"impostor"`
}

// A Similarity sums up the cosines of N pairs.
type Similarity struct {
	N    int     `json:"n"`
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"`
}

// LFWPairs are those of the unprojected features of the pipeline "faces96", measured
// on photos/lfw_several, whose people judge nothing else, by go run
// ./bench/strangers.
var LFWPairs = Pairs{
	Genuine:  Similarity{3712, 0.7965, 0.0533},
	Impostor: Similarity{1246859, 0.7564, 0.0425},
}

// Add takes in the cosine of two faces, which are of one person or not.
func (p *Pairs) Add(cosine float64, same bool) {
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

// FMR is the false match rate of a threshold at this cosine: the probability that
// two different people are as similar, or more. It is 1 where no such pair was
// seen.
func (p *Pairs) FMR(cosine float64) float64 {
	if p.Impostor.N < 2 || !(p.Impostor.SD > 0) {
		return 1
	}
	return distuv.UnitNormal.Survival((cosine - p.Impostor.Mean) / p.Impostor.SD)
}

// Validate reports numbers that no Pairs have.
func (p *Pairs) Validate() error {
	for _, s := range []Similarity{p.Genuine, p.Impostor} {
		if s.N < 0 || !(math.Abs(s.Mean) <= 1) || !(s.SD >= 0 && s.SD <= 2) {
			return fmt.Errorf("calibration: %d pairs of mean %v and deviation %v", s.N, s.Mean, s.SD)
		}
	}
	return nil
}
