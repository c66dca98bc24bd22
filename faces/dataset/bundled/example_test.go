package bundled_test

import (
	"context"
	"fmt"
	"log"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/dataset/bundled"
)

// Read the sets that come with the program as any other data set.
func Example() {
	for _, name := range bundled.Names() {
		images, err := dataset.Open(context.Background(), bundled.Prefix+name, dataset.Options{})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %d images of %v in %d classes\n", name, images.Len(), images.Frame.Size, len(images.Classes))
	}
	// Output:
	// digits: 1797 images of 8x8 in 10 classes
	// fashion: 1000 images of 28x28 in 10 classes
}
