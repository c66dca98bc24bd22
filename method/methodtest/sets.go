package methodtest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
)

// Cones draws classes that are cones: non-negative mixtures of a few positive
// directions of their own, with a little noise. The directions depend on the
// class alone, the mixtures on seed too. They pass for images two pixels wide,
// since some methods learn from mirror images; d is even.
func Cones(classes, samples, d int, seed uint64) *classify.Samples {
	const directions = 3
	n := classes * samples
	x := mat.NewDense(d, n, nil)
	labels := make([]string, n)
	for c := range classes {
		own := rand.New(rand.NewPCG(uint64(c), 77))
		basis := make([]float64, d*directions)
		for i := range basis {
			basis[i] = own.ExpFloat64()
		}
		mix := rand.New(rand.NewPCG(uint64(c), seed))
		for k := range samples {
			j := c*samples + k
			labels[j] = fmt.Sprintf("class%d", c)
			for b := range directions {
				w := 0.2 + mix.Float64()
				for i := range d {
					x.Set(i, j, x.At(i, j)+w*basis[b*d+i]+0.01*mix.NormFloat64())
				}
			}
		}
	}
	s, err := classify.NewSamples(x, labels, nil, nil)
	if err != nil {
		panic(err)
	}
	s.Grid = classify.Grid{Height: d / 2, Width: 2, Planes: 1}
	return s
}

// fewer returns the training set without two of its five classes.
func (s *suite) fewer() *classify.Samples {
	var columns []int
	for j := range s.train.Groups[3] {
		columns = append(columns, j)
	}
	return s.train.Select(columns)
}

// blanked returns the training set with the samples from lo to hi all zero.
func (s *suite) blanked(lo, hi int) *classify.Samples {
	train := *s.train
	train.X = mat.DenseCopyOf(s.train.X)
	d, _ := train.X.Dims()
	for j := lo; j < hi; j++ {
		for i := range d {
			train.X.Set(i, j, 0)
		}
	}
	return &train
}

func (s *suite) blank(t *testing.T) { s.learnsFrom(t, s.blanked(7, 8), s.probe) }

func (s *suite) blankClass(t *testing.T) {
	if _, err := s.m.Fit(context.Background(), s.blanked(6, 12), classify.Run{}); err == nil {
		t.Error("a class of blank samples is learned from")
	}
	if _, err := s.m.Fit(context.Background(), s.blanked(0, s.train.Len()), classify.Run{}); err == nil {
		t.Error("blank samples alone are learned from")
	}
}
