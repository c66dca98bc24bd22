package feature_test

import (
	"fmt"

	"gonum.org/v1/gonum/floats"

	"nrdl.example/nrdl/faces/frontend/feature"
)

// Describe an image by two features side by side. They hardly change where the
// image is brighter and of less contrast.
func Example() {
	features, err := feature.ParseFeatures("igo+hog:cell=8")
	check(err)
	over, err := features.Over(16, 16)
	check(err)
	bright, dark := make([]float64, 16*16), make([]float64, 16*16)
	for i := range bright {
		column, row := i/16, i%16
		bright[i] = float64(10 * column * row % 97)
		dark[i] = 100 + bright[i]/3
	}
	a, b := make([]float64, features.Len(16, 16)), make([]float64, features.Len(16, 16))
	over.Extract(a, bright)
	over.Extract(b, dark)
	fmt.Printf("%d features of %v, cosine %.3f\n", len(a), features, floats.Dot(a, b))
	// Output: 548 features of igo+hog, cosine 1.000
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
