package large_test

import (
	"context"
	"fmt"
	"log"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/frontend"
	"nrdl.example/nrdl/gallery"
	"nrdl.example/nrdl/gallery/large"
	"nrdl.example/nrdl/method"

	"gonum.org/v1/gonum/mat"
)

// Name a vector among many people: those whose faces are nearest to it are found by an
// index, and the method scores them only.
func Example() {
	ctx := context.Background()
	const people = 100
	f := frontend.Embedding.Embedder.Frame()
	x := mat.NewDense(f.Embedding.Length, people, nil)
	var names []string
	for j := range people {
		x.Set(j, j, 1)
		names = append(names, fmt.Sprintf("person%03d", j))
	}
	images, err := dataset.NewImages(x, names, nil, nil, f)
	check(err)
	by := method.Mean{}
	template, err := gallery.Learn(ctx, images.Select([]int{0, 1}), frontend.Pipeline{}.ForImages(f), by, classify.Run{})
	check(err)
	g, err := large.New(ctx, template, by, images)
	check(err)
	faces, err := g.Identify(ctx, dataset.Unlabelled(mat.DenseCopyOf(x.Slice(0, f.Embedding.Length, 42, 43)), f))
	check(err)
	fmt.Println(faces[0].Of.Parts().Classes[faces[0].Class], "among", len(g.Names()))
	// Output: person042 among 100
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
