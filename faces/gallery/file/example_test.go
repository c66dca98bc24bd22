package file_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/faces/gallery/file"
	"nrdl.example/nrdl/method"
)

// Write a gallery to a file, and name a face by the one that is read. With more than 50
// faces, a face is compared with a shortlist.
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
	g, err := gallery.Learn(ctx, images, frontend.Pipeline{}.ForImages(f), method.Mean{}, classify.Run{}, 50)
	check(err)
	folder, err := os.MkdirTemp("", "example")
	check(err)
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "people.nrdl")
	check(file.Save(ctx, path, g))
	g, err = file.Open(path, file.Options{})
	check(err)
	faces, err := g.Identify(ctx, images.Select([]int{42}))
	check(err)
	fmt.Println(faces[0].Gallery.Names()[faces[0].Class], "among", g.Len())
	// Output: person042 among 100
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
