package coding_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/coding"
)

// Represent a sample as a non-negative combination of the atoms of a dictionary.
func Example() {
	d := mat.NewDense(3, 3, []float64{ // one atom per column
		1, 0, 0.6,
		0, 1, 0.8,
		0, 0, 0,
	})
	over, err := coding.DefaultNonNegative.Over(coding.Basis{D: d})
	check(err)
	y := mat.NewDense(3, 1, []float64{2, -1, 5}) // one sample a column
	s := mat.NewDense(3, 1, nil)
	check(over.Code(context.Background(), s, y))
	fmt.Printf("%.1f\n", mat.Formatted(s))
	// Output:
	// ⎡2.0⎤
	// ⎢0.0⎥
	// ⎣0.0⎦
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
