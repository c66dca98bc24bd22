package method_test

import (
	"context"
	"fmt"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/synthetic"
)

// Choose a method by its name, set a parameter, and learn a classifier from
// labelled samples.
func Example() {
	ctx := context.Background()
	drawn := synthetic.Default
	drawn.People, drawn.PerPerson = 6, 10
	images, err := drawn.Draw(ctx)
	check(err)
	train, test, err := dataset.DefaultSplit.Apply(images, 1) // half of each person's images
	check(err)
	learn, probes := images.Select(train), images.Select(test)
	samples, err := classify.NewSamples(learn.X, names(learn), nil, nil)
	check(err)

	m, err := method.Named("nrdl")
	check(err)
	m, err = method.Set(m, "passes", "30")
	check(err)
	c, err := m.Fit(ctx, samples, classify.Run{Seed: 1})
	check(err)
	scores, err := c.Scores(ctx, probes.X)
	check(err)
	right := 0
	for j, class := range classify.Best(scores) {
		if class == probes.ClassOf(j) {
			right++
		}
	}
	fmt.Printf("%s: %d of %d faces are recognised\n", method.Title(m), right, probes.Len())
	// Output: NRDL: 24 of 30 faces are recognised
}

// Learn from batches that come one after another and are not held together in memory: the
// first one has a sample of each person.
func ExampleNRDLOnline_FitStream() {
	ctx := context.Background()
	drawn := synthetic.Default
	drawn.People, drawn.PerPerson = 4, 12
	images, err := drawn.Draw(ctx)
	check(err)
	batch := func(i int) *classify.Samples { // images 3i, 3i+1 and 3i+2 of each person
		var columns []int
		for _, start := range images.Groups[:len(images.Classes)] {
			columns = append(columns, start+3*i, start+3*i+1, start+3*i+2)
		}
		return images.Samples.Select(columns)
	}

	c, err := method.DefaultNRDLOnline.FitStream(ctx, batch(0), func(yield func(*classify.Samples, error) bool) {
		for i := 1; i < 3 && yield(batch(i), nil); i++ {
		}
	}, classify.Run{Seed: 1})
	check(err)
	probes := batch(3)
	scores, err := c.Scores(ctx, probes.X)
	check(err)
	right := 0
	for j, class := range classify.Best(scores) {
		if class == probes.ClassOf(j) {
			right++
		}
	}
	fmt.Printf("%d of %d faces are recognised\n", right, probes.Len())
	// Output: 10 of 12 faces are recognised
}

// names are the names of the people on images.
func names(images *dataset.Images) (all []string) {
	for j := range images.Len() {
		all = append(all, images.Classes[images.ClassOf(j)])
	}
	return all
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
