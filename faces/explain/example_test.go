package explain_test

import (
	"context"
	"fmt"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/explain"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/method"
)

// Explain the recognition of a face: its score, and the enrolled faces that it is
// represented by.
func Example() {
	ctx := context.Background()
	drawn := synthetic.Default
	drawn.People, drawn.PerPerson, drawn.Occlusion = 5, 6, 0
	images, err := drawn.Draw(ctx)
	check(err)
	split, err := dataset.ParseSplit("first:5")
	check(err)
	train, test, err := split.Apply(images, 1)
	check(err)
	m, err := gallery.Learn(ctx, images.Select(train), frontend.Lighting, method.DefaultNRC, classify.Run{}, 0)
	check(err)

	e, err := explain.New(ctx, m, images.Select(test[1:2]))
	check(err)
	fmt.Println(explain.Sentence(m, e))
	atom := e.Atoms[0]
	fmt.Printf("The largest coefficient is that of %s, with %.0f %% of the weight.\n", m.Images().ID(atom.Enrolled), 100*atom.Share)
	// Output:
	// The best guess among 5 people is person002: score 0.39, 0.36 ahead of person003. Four photographs of person002 carry 69 % of the weight (all photographs of person002: 75 %). The model has no threshold, so it names every face.
	// The largest coefficient is that of person002/01, with 31 % of the weight.
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
