package reference_test

import (
	"context"
	"fmt"
	"log"

	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/lab/reference"
)

// Compare a set with another that it should be equal to.
func Example() {
	faces := synthetic.Default
	faces.People, faces.PerPerson = 3, 4
	original, err := faces.Draw(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fewer := original.Select([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) // the last image is missing
	r, err := reference.Check(fewer, reference.Of("original", original))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Same)
	for _, difference := range r.Differences {
		fmt.Println(difference)
	}
	// Output:
	// false
	// 11 images, not 12
}
