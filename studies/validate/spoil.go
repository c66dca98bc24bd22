package main

import (
	"context"
	"fmt"
	"strconv"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
)

// A spoil is what is done to images before they are seen.
type spoil struct {
	noise     float64 // density of salt and pepper on all of them
	occlusion float64 // share of each that is held out that is covered
}

// String is for the end of a headline.
func (s spoil) String() string {
	var text string
	if s.noise != 0 {
		text = fmt.Sprintf(", all with %.4g %% of salt and pepper", 100*s.noise)
	}
	if s.occlusion != 0 {
		text += fmt.Sprintf(", the latter covered by %.4g %%", 100*s.occlusion)
	}
	return text
}

// A part is a training part, image by image as it is learned from and as it is
// held out. The IDs of both are the numbers of the columns.
type part struct{ learned, held *dataset.Images }

// apply returns the part whose images are those of train, spoiled with random
// numbers of the seed.
func (s spoil) apply(train *dataset.Images, seed uint64) (part, error) {
	numbered := *train
	numbered.IDs = make([]string, len(train.Labels()))
	for j := range numbered.IDs {
		numbered.IDs[j] = strconv.Itoa(j)
	}
	p := part{&numbered, &numbered}
	var err error
	if s.noise != 0 {
		if p.learned, err = (dataset.SaltAndPepper{Density: s.noise}).Apply(p.learned, seed); err != nil {
			return part{}, err
		}
		p.held = p.learned
	}
	if s.occlusion != 0 {
		if p.held, err = (dataset.Occlusion{Share: s.occlusion}).Apply(p.held, seed); err != nil {
			return part{}, err
		}
	}
	return p, nil
}

// A learner is a method that is given images as they are held out and learns
// from the same images of another set.
type learner struct {
	classify.Method
	from *dataset.Images
}

// Fit implements classify.Method.
func (l learner) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	columns := make([]int, len(train.IDs))
	for i, id := range train.IDs {
		var err error
		if columns[i], err = strconv.Atoi(id); err != nil {
			panic(err) // the IDs are those of a part
		}
	}
	return l.Method.Fit(ctx, l.from.Samples.Select(columns), run)
}
