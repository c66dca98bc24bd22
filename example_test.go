package nrdl_test

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"nrdl.example/nrdl"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/synthetic"
)

// Train on a folder of photographs, name the faces in the photograph of a group, and
// enrol the person who is not known.
func Example() {
	defer inFolderOfPhotographs()()
	// example:begin
	ctx := context.Background()
	images, err := nrdl.Read(ctx, "drawn/people", nrdl.ReadOptions{}) // one folder of photographs per person
	check(err)
	r, err := nrdl.Train(ctx, images, nrdl.Defaults(images))
	check(err)
	photo, err := dataset.ReadPhoto(ctx, "drawn/others/group2.jpg")
	check(err)
	faces, err := r.Identify(ctx, photo)
	check(err)
	for _, f := range faces {
		fmt.Printf("%s %.2f\n", cmp.Or(f.Name, nrdl.Unknown), f.Probability)
	}
	r, _, err = r.Enrol(ctx, "zoe", photo) // the face of zoe, or the only unknown one
	check(err)
	check(r.Save(ctx, "people.nrdl"))
	// example:end
	r, err = nrdl.Open("people.nrdl")
	check(err)
	faces, err = r.Identify(ctx, photo)
	check(err)
	fmt.Println("now", faces[len(faces)-1].Name)
	// Output:
	// person002 1.00
	// person003 1.00
	// person001 1.00
	// unknown 0.06
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
