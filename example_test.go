package nrdl_test

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"nrdl"
	"nrdl/dataset"
)

// Train on a folder of photographs, name the faces in another photograph, and
// enrol the person who is not known.
func Example() {
	defer inFolderOfPhotographs()()
	// README:begin
	ctx := context.Background()
	images, err := nrdl.Read(ctx, "people", nrdl.ReadOptions{}) // one folder of photographs per person
	check(err)
	r, err := nrdl.Train(ctx, images, nrdl.Defaults(images))
	check(err)
	photo, err := dataset.ReadGrey("photo.png")
	check(err)
	faces, err := r.Identify(ctx, photo)
	check(err)
	for _, f := range faces {
		fmt.Printf("%s %.1f\n", cmp.Or(f.Name, nrdl.Unknown), f.Probability)
	}
	r, _, err = r.Enrol(ctx, "zoe", photo) // the largest face
	check(err)
	check(r.Save(ctx, "people.nrdl"))
	// README:end
	r, err = nrdl.Open("people.nrdl")
	check(err)
	faces, err = r.Identify(ctx, photo)
	check(err)
	fmt.Println("now", faces[0].Name)
	// Output:
	// unknown 0.0
	// person003 1.0
	// now zoe
}

// inFolderOfPhotographs makes a new folder with photographs the current one, and
// returns what undoes it.
func inFolderOfPhotographs() (leave func()) {
	before, err := os.Getwd()
	check(err)
	dir, err := os.MkdirTemp("", "photographs")
	check(err)
	check(os.Chdir(dir))
	faces := drawnFaces(6, 5, 1)
	var known []int // all but person006, and but the last face of person003
	for j := range faces.Len() {
		if faces.ClassOf(j) < 5 && j != 14 {
			known = append(known, j)
		}
	}
	writePhotographs("people", faces.Select(known))
	check(os.WriteFile("photo.png", encoded(photograph(faces, 25, 14)), 0o666))
	return func() {
		check(os.Chdir(before))
		check(os.RemoveAll(dir))
	}
}
