package faces_test

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/synthetic"
)

// Train on a folder of photographs, name the faces in the photograph of a group, and
// enrol the person who is not known.
func Example() {
	defer inFolderOfPhotographs()()
	// example:begin
	ctx := context.Background()
	images, err := faces.Read(ctx, "drawn/people", faces.ReadOptions{}) // one folder of photographs per person
	check(err)
	r, err := faces.Train(ctx, images, faces.Defaults(images))
	check(err)
	photo, err := dataset.ReadPhoto(ctx, "drawn/others/group2.jpg")
	check(err)
	found, err := r.Identify(ctx, photo)
	check(err)
	for _, f := range found {
		fmt.Printf("%s %.2f\n", cmp.Or(f.Name, faces.Unknown), f.Probability)
	}
	r, _, err = r.Enrol(ctx, "zoe", photo) // the face of zoe, or the only unknown one
	check(err)
	check(r.Save(ctx, "people.nrdl"))
	// example:end
	r, err = faces.Open("people.nrdl")
	check(err)
	found, err = r.Identify(ctx, photo)
	check(err)
	fmt.Println("now", found[0].Name)
	// Output:
	// unknown 0.05
	// person002 1.00
	// person003 1.00
	// person001 1.00
	// now zoe
}

// inFolderOfPhotographs makes a new folder with drawn photographs the current one, and
// returns what undoes it.
func inFolderOfPhotographs() (leave func()) {
	before, err := os.Getwd()
	check(err)
	dir, err := os.MkdirTemp("", "photographs")
	check(err)
	check(os.Chdir(dir))
	photographs := synthetic.Photographs{People: 3, PerPerson: 2, Size: dataset.Size{Height: 240, Width: 320}, Seed: 50}
	check(photographs.Write(context.Background(), "drawn", nil))
	return func() {
		check(os.Chdir(before))
		check(os.RemoveAll(dir))
	}
}
