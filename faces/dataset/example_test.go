package dataset_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/synthetic"
)

// Read a folder with one folder of images for each person, and divide the images
// of each person into training and test images.
func Example() {
	ctx := context.Background()
	people, remove := folderOfImages(ctx)
	defer remove()

	images, err := dataset.Open(ctx, people, dataset.Options{}) // or a list, a .mat or a .npz file
	check(err)
	split, err := dataset.ParseSplit("first:4")
	check(err)
	train, test, err := split.Apply(images, 1)
	check(err)
	fmt.Println(len(images.Classes), "people,", images.Len(), "images of", images.Frame.Size)
	fmt.Println(len(train), "for training,", len(test), "for tests; the first is", images.ID(test[0]))
	// Output:
	// 3 people, 18 images of 32x32
	// 12 for training, 6 for tests; the first is person001/0005.png
}

// folderOfImages writes drawn faces into a new folder.
func folderOfImages(ctx context.Context) (path string, remove func()) {
	s := synthetic.Default
	s.People, s.PerPerson = 3, 6
	images, err := s.Draw(ctx)
	check(err)
	dir, err := os.MkdirTemp("", "people")
	check(err)
	path = filepath.Join(dir, "people")
	check(dataset.Save(ctx, path, images))
	return path, func() { check(os.RemoveAll(dir)) }
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
