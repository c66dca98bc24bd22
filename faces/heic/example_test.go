package heic_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"nrdl.example/nrdl/faces/heic"
)

// Decode a photograph of a telephone.
func Example() {
	data, err := os.ReadFile("testdata/turned.heic")
	if err != nil {
		log.Fatal(err)
	}
	img, err := heic.Decode(context.Background(), data)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(img.Bounds().Dx(), "×", img.Bounds().Dy())
	// Output: 144 × 192
}
