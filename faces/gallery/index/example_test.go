package index_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"nrdl.example/nrdl/faces/gallery/index"
)

// Keep people with the vectors of their faces in a file, and find who is nearest to a face.
func Example() {
	ctx := context.Background()
	x, err := index.New(2, 0).With(
		&index.Person{Name: "ann", IDs: []string{"ann/1", "ann/2"}, Vectors: []float32{1, 0, 0.8, 0.6}},
		&index.Person{Name: "bob", IDs: []string{"bob/1"}, Vectors: []float32{0, 1}},
	)
	check(err)
	dir, err := os.MkdirTemp("", "index")
	check(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "people.index")
	check(x.Save(ctx, path, nil, nil))

	x, _, _, err = index.Open(path)
	check(err)
	hits, err := x.Nearest(ctx, []float32{0.6, 0.8}, 2)
	check(err)
	for _, h := range hits[0] {
		fmt.Printf("%s %.2f\n", x.Name(h.Ref), h.Cosine)
	}
	// Output:
	// ann 0.96
	// bob 0.80
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
