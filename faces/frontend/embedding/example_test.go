package embedding_test

import (
	"context"
	"fmt"
	"log"

	"nrdl.example/nrdl/faces/frontend/embedding"
)

// Make vectors of two aligned faces by the network that is built in, and compare them.
func Example() {
	e := embedding.Default()
	size := e.Input()
	face := func(shade float32) []float32 { // red, green and blue, plane by plane, 0 … 255
		crop := make([]float32, 3*size.Len())
		for k := range crop {
			crop[k] = shade * float32(k%size.Width)
		}
		return crop
	}
	vectors, err := e.Embed(context.Background(), [][]float32{face(1), face(1)})
	if err != nil {
		log.Fatal(err)
	}
	cosine := 0.0
	for i, v := range vectors[0] {
		cosine += v * vectors[1][i]
	}
	fmt.Printf("faces of %v, vectors of %d numbers; the cosine of a face with itself is %.2f\n", size, len(vectors[0]), cosine)
	// Output: faces of 112x112, vectors of 192 numbers; the cosine of a face with itself is 1.00
}
