package main

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"gonum.org/v1/gonum/mat"

	"nrdl"
	"nrdl/dataset"
	"nrdl/projection"
)

// A database is where ideas are tried, and what sees its faces best of what
// there is.
type database struct {
	Name  string        `json:"name"`
	Title string        `json:"title"`
	Path  string        `json:"path"`  // below the folder of the databases
	Input string        `json:"input"` // of the base
	Split dataset.Split `json:"split"`
}

// Names of the databases.
const (
	small   = "lfw32"
	turned  = "gt"
	photos  = "lfw96"
	further = "lfw96-wide"
)

var databases = []database{
	{small, "LFW 32×32", "sets/lfw86_32x32.mat", "faces32", mustSplit("random:8")},
	{turned, "GT 80×60", "sets/gt_50x40.mat", "faces96 80x60", mustSplit("random:5")},
	{photos, "LFW photographs", "photos/lfw86", "faces96 crop=0.36", mustSplit("random:8")},
	{further, "LFW photographs, more of each", "photos/lfw86", "faces96 crop=0.44", mustSplit("random:8")},
}

func mustSplit(text string) dataset.Split {
	s, err := dataset.ParseSplit(text)
	if err != nil {
		panic(err)
	}
	return s
}

// open returns the images of d and the Input of the base. That has no zoom and
// no shift, which are ideas, also where the preset has come to have them.
func (d database) open(ctx context.Context, root string) (*nrdl.Set, nrdl.Input, error) {
	in, err := nrdl.ParseInput(d.Input)
	if err != nil {
		return nil, in, err
	}
	in.Zoom, in.Shift = 0, 0
	set, err := dataset.Open(ctx, filepath.Join(root, d.Path), dataset.Options{Input: in.Images()})
	return set, in, err
}

// A split is a database divided, and its faces as the base sees them. All
// samples are of unit norm, one a column.
type split struct {
	train, test *nrdl.Set // images
	in          nrdl.Input
	X, Y        *mat.Dense // samples of train, d×N with the mirror images, and of test, d×n
	Z, Q        *mat.Dense // the same projected
	fitted      *projection.Fitted
	groups      []int // of X and Z, len C+1
	labels      []int // classes of Y and Q, len n

	whole     func() gram                // of X and Y
	chi2      func() gram                // of X and Y, by that kernel
	raw       func() (*mat.Dense, error) // scores of NRC on X and Y
	projected func() (*mat.Dense, error) // scores of NRC on Z and Q
	nrdl      func() (*mat.Dense, error) // scores of NRDL on X and Y
}

// divide learns from the columns learn of images and judges by the columns
// judge.
func divide(ctx context.Context, images *nrdl.Set, in nrdl.Input, learn, judge []int) (*split, error) {
	if in.Projection.IsZero() {
		return nil, fmt.Errorf("an input of %v, without a projection", in)
	}
	s := &split{train: images.Select(learn), test: images.Select(judge), in: in}
	if len(s.train.Classes) != len(s.test.Classes) {
		return nil, fmt.Errorf("%d people to learn from and %d to judge by", len(s.train.Classes), len(s.test.Classes))
	}
	s.labels = s.test.Labels()
	whole := in
	whole.Projection = projection.Choice{}
	train, err := s.train.Training(ctx, whole)
	if err != nil {
		return nil, err
	}
	test, err := s.test.Samples(in)
	if err != nil {
		return nil, err
	}
	s.X, s.Y, s.groups = nrdl.Unit(train.X), nrdl.Unit(test.X), train.Groups
	if s.fitted, err = in.Projection.Fit(ctx, s.X, s.groups); err != nil {
		return nil, err
	}
	s.Z, s.Q = nrdl.Unit(s.fitted.Apply(s.X)), nrdl.Unit(s.fitted.Apply(s.Y))
	s.whole = sync.OnceValue(func() gram { return newGram(s.X, s.Y, s.groups) })
	s.chi2 = sync.OnceValue(func() gram { return chi2(s.X, s.Y, s.groups) })
	s.raw = sync.OnceValues(func() (*mat.Dense, error) { return s.whole().nrc(stopped) })
	s.projected = sync.OnceValues(func() (*mat.Dense, error) { return newGram(s.Z, s.Q, s.groups).nrc(stopped) })
	s.nrdl = sync.OnceValues(func() (*mat.Dense, error) { return s.learnt(ctx, s.whole()) })
	return s, nil
}

// fit fits the projection on x, samples of the columns of X, and returns x and
// y projected, of unit norm.
func (s *split) fit(ctx context.Context, x, y *mat.Dense) (z, q *mat.Dense, err error) {
	f, err := s.in.Projection.Fit(ctx, x, s.groups)
	if err != nil {
		return nil, nil, err
	}
	return nrdl.Unit(f.Apply(x)), nrdl.Unit(f.Apply(y)), nil
}

// wrong counts the queries whose largest score, the first of equals, is another
// person's.
func (s *split) wrong(scores *mat.Dense) (n int) {
	for j, label := range s.labels {
		best := 0
		for c := range s.test.Classes {
			if scores.At(c, j) > scores.At(best, j) {
				best = c
			}
		}
		if best != label {
			n++
		}
	}
	return n
}
