package openset

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// If the share of named strangers were the limit, as few of them as were seen, or fewer, would be
// named with a probability of 5 %.
func TestStrangerLimitIsThatOfABinomial(t *testing.T) {
	for _, named := range []int{0, 1, 7} {
		const faces = 40
		c := &Calibration{Threshold: 1, Faces: faces}
		for i := range faces {
			c.Strangers = append(c.Strangers, map[bool]float64{true: 2, false: 0}[i < named])
		}
		slices.Sort(c.Strangers)
		limit := c.StrangerLimit(nil)
		if p := (distuv.Binomial{N: faces, P: limit}).CDF(float64(named)); math.Abs(p-0.05) > 1e-6 {
			t.Errorf("%d of %d: with the limit %v the probability is %v", named, faces, limit, p)
		}
	}
}

// Where nothing is known, nothing is promised.
func TestStrangerLimitUnknown(t *testing.T) {
	for _, c := range []*Calibration{
		{Threshold: 1, Faces: 1},
		{Threshold: 0, Faces: 3, Strangers: []float64{1, 2, 3}},
		{Photographs: []int{1}},
	} {
		if limit := c.StrangerLimit(nil); limit != 1 {
			t.Errorf("%+v: the limit %v", c, limit)
		}
	}
}
