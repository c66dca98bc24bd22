package synthetic_test

import (
	"context"
	"fmt"

	"nrdl.example/nrdl/faces/synthetic"
)

// Draw faces of people who do not exist, under changing light and in no other way
// different from each other.
func Example() {
	drawn := synthetic.Default
	drawn.People, drawn.PerPerson = 3, 4
	drawn.Pose, drawn.Expression, drawn.Occlusion, drawn.Noise = 0, 0, 0, 0
	images, err := drawn.Draw(context.Background())
	if err != nil {
		panic(err)
	}
	fmt.Println(images.Len(), "images of", images.Frame.Size, "of", images.Classes)
	// Output: 12 images of 32x32 of [person001 person002 person003]
}
