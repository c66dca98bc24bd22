package method_test

import (
	"context"
	"fmt"

	"nrdl/classify"
	"nrdl/dataset"
	"nrdl/method"
	"nrdl/synthetic"
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
