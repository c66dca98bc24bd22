package network_test

import (
	"context"
	"fmt"
	"log"

	"nrdl.example/nrdl/faces/network"
	"nrdl.example/nrdl/internal/kit/testing/onnxfile"
)

// A network that gives the mean colour of an image, run on two images.
func Example() {
	var g onnxfile.Graph
	g.Input("image", onnxfile.Float32, "batch", 3, 1, 2)
	g.Nodes("GlobalAveragePool", []string{"image"}, []string{"colour"})
	g.Output("colour", onnxfile.Float32, "batch", 3, 1, 1)

	ctx := context.Background()
	n, err := network.Open(ctx, g.Bytes(13))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(n.Inputs()[0].Shape, "→", n.Outputs()[0].Shape)

	// Two pixels each: the red plane, the green and the blue one.
	pixels := []float32{
		255, 255, 0, 10, 0, 0,
		0, 2, 4, 6, 8, 10,
	}
	out, err := n.Run(ctx, nil, pixels)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out[0])
	// Output:
	// [1 3 1 2] → [1 3 1 1]
	// [255 5 0 1 5 9]
}
