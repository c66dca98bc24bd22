package experiment_test

import (
	"context"
	"fmt"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/method"
)

// Measure the accuracy of a method on test faces: three runs, each with another
// random half of each person's images for training.
func Example() {
	ctx := context.Background()
	drawn := synthetic.Default
	drawn.People, drawn.PerPerson = 8, 12
	images, err := drawn.Draw(ctx) // or dataset.Open(ctx, "people", dataset.Options{})
	check(err)
	half, err := dataset.ParseSplit("half")
	check(err)
	protocol := experiment.Protocol{Split: half, Repeats: 3, Seed: 1, Input: frontend.Lighting}
	result, err := experiment.Evaluate(ctx, images, method.DefaultNRC, protocol, experiment.Observer{})
	check(err)
	fmt.Printf("%s: %.1f %% ± %.1f over %d runs of %d faces\n",
		result.Method, 100*result.Accuracy, 100*result.SD, len(result.Runs), result.Runs[0].N)
	// Output:
	// nrc: 95.8 % ± 2.1 over 3 runs of 48 faces
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
