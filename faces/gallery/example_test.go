package gallery_test

import (
	"context"
	"fmt"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
)

// Learn the people of a gallery, set a threshold, and identify a face of one of
// them and a stranger's.
func Example() {
	ctx := context.Background()
	drawn := synthetic.Default
	drawn.People, drawn.PerPerson, drawn.Occlusion, drawn.Light = 12, 6, 0, 0.3
	images, err := drawn.Draw(ctx)
	check(err)
	rest, err := gallery.Enrolling(images).Without("person012")
	check(err)
	known := rest.Images()
	split, err := dataset.ParseSplit("first:5")
	check(err)
	train, test, err := split.Apply(known, 1)
	check(err)

	m, err := gallery.Learn(ctx, known.Select(train), frontend.Lighting, method.DefaultNRC, classify.Run{}, 0)
	check(err)
	m, err = m.Calibrate(ctx, openset.Default, nil, nil)
	check(err)
	for _, probe := range []*dataset.Images{known.Select(test[1:2]), images.Select([]int{images.Len() - 1})} {
		faces, err := m.Identify(ctx, probe)
		check(err)
		guess := m.Parts().Classes[faces[0].Class]
		fmt.Printf("%s: known %v, best guess %s\n", probe.ID(0), faces[0].Known, guess)
	}
	// Output:
	// person002/06: known true, best guess person002
	// person012/06: known false, best guess person004
}

// Add the images of one person to a gallery, and rename another.
func ExampleEnrolled_Merge() {
	drawn := synthetic.Default
	drawn.People, drawn.PerPerson = 3, 2
	images, err := drawn.Draw(context.Background())
	check(err)
	two, err := gallery.Enrolling(images).Without("person003")
	check(err)
	third, err := gallery.Enrolling(images).Without("person001", "person002")
	check(err)
	all, report, err := two.Merge(third.Images())
	check(err)
	fmt.Println(report.Additions, "images added:", all.Names())
	all, _, err = all.Rename("person001", "zoe")
	check(err)
	fmt.Println("renamed:", all.Names())
	// Output:
	// 2 images added: [person001 person002 person003]
	// renamed: [person002 person003 zoe]
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
