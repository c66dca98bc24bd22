package nrdl_test

import (
	"context"
	"fmt"

	"nrdl"
	"nrdl/dataset"
	"nrdl/method"
)

// Learn people from some of their faces and name another one.
func Example() {
	ctx := context.Background()
	set, err := dataset.DefaultSynthetic.Draw(ctx) // or dataset.Open(ctx, "people", dataset.Options{})
	check(err)
	train, test, err := dataset.DefaultSplit.Apply(set, 1) // a half of each person's faces
	check(err)
	model, err := method.DefaultNRDL.Fit(ctx, set.Select(train), nrdl.Run{Seed: 1})
	check(err)
	class, err := model.Predict(ctx, set.Select(test[:1]).X)
	check(err)
	fmt.Println(set.IDs[test[0]], "is", model.Parts().Classes[class[0]])
	// Output: person001/02 is person001
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// Faces are seen through an Input: features of the images, their mirror images,
// and a projection that is fit on the training part alone.
func ExampleSet_Training() {
	ctx := context.Background()
	images, err := dataset.DefaultSynthetic.Draw(ctx)
	check(err)
	train, test, err := dataset.DefaultSplit.Apply(images, 1)
	check(err)
	samples, err := images.Select(train).Training(ctx, nrdl.Faces32)
	check(err)
	model, err := method.DefaultNRC.Fit(ctx, samples, nrdl.Run{})
	check(err)
	class, err := model.PredictOf(ctx, images.Select(test[:1]))
	check(err)
	fmt.Println(images.IDs[test[0]], "is", model.Parts().Classes[class[0]])
	// Output: person001/02 is person001
}
