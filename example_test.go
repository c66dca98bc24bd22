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
