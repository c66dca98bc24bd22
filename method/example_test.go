package method_test

import (
	"context"
	"fmt"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/method/methodtest"
)

// Choose a method by its name, set a parameter, and learn a classifier from
// labelled samples.
func Example() {
	ctx := context.Background()
	learn, probes := methodtest.Cones(6, 5, 40, 1), methodtest.Cones(6, 5, 40, 2)

	m, err := method.Named("nrdl")
	check(err)
	m, err = method.Set(m, "passes", "30")
	check(err)
	c, err := m.Fit(ctx, learn, classify.Run{Seed: 1})
	check(err)
	scores, err := c.Scores(ctx, probes.X)
	check(err)
	right := 0
	for j, class := range classify.Best(scores) {
		if class == probes.ClassOf(j) {
			right++
		}
	}
	fmt.Printf("%s: %d of %d samples are recognised\n", method.Title(m), right, probes.Len())
	// Output: NRDL: 30 of 30 samples are recognised
}

// Learn from batches that come one after another and are not held together in memory: the
// first one has a sample of each class.
func ExampleNRDLOnline_FitStream() {
	ctx := context.Background()
	drawn := methodtest.Cones(4, 12, 40, 1)
	batch := func(i int) *classify.Samples { // samples 3i, 3i+1 and 3i+2 of each class
		var columns []int
		for _, start := range drawn.Groups[:len(drawn.Classes)] {
			columns = append(columns, start+3*i, start+3*i+1, start+3*i+2)
		}
		return drawn.Select(columns)
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
	fmt.Printf("%d of %d samples are recognised\n", right, probes.Len())
	// Output: 12 of 12 samples are recognised
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
