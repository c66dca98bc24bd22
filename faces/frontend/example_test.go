package frontend_test

import (
	"context"
	"fmt"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/method"
)

// Learn a classifier of features of images, mirror images among them, and apply it
// to other images.
func Example() {
	ctx := context.Background()
	drawn := synthetic.Default
	drawn.People, drawn.PerPerson = 6, 8
	images, err := drawn.Draw(ctx)
	check(err)
	train, test, err := dataset.DefaultSplit.Apply(images, 1) // half of each person's images
	check(err)
	pipeline, err := frontend.Parse("32x32 igo+hog:cell=4 mirror fisher:0.1")
	check(err)
	m, err := frontend.Learn(ctx, images.Select(train), pipeline, method.DefaultNRC, classify.Run{})
	check(err)
	probes := images.Select(test)
	class, err := m.Predict(ctx, probes)
	check(err)
	right := 0
	for j, c := range class {
		if c == probes.ClassOf(j) {
			right++
		}
	}
	features, projected := m.Basis.Dims()
	fmt.Printf("%d of %d faces are recognised; the projection of %d features has %d\n", right, len(class), features, projected)
	// Output: 24 of 24 faces are recognised; the projection of 3812 features has 5
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
