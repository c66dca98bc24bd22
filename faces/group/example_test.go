package group_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/faces/group"
)

// Divide the vectors of five faces into groups of the same person.
func Example() {
	frame := embedding.Default().Frame()
	law := frontend.Pipeline{Frame: frame}.Law()
	x := mat.NewDense(frame.Embedding.Length, 5, nil)
	for j, person := range []int{0, 1, 0, 1, 0} {
		x.Set(person, j, 1) // what the faces of a person have in common
		x.Set(10+j, j, 0.2) // what each face has alone
	}
	groups, err := group.Faces(context.Background(), x, nil, law, group.Default)
	if err != nil {
		log.Fatal(err)
	}
	for _, g := range groups {
		fmt.Println(g.Faces)
	}
	// Output:
	// [0 2 4]
	// [1 3]
}
