package projection_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/projection"
)

// Fit a projection to labelled samples and apply it to another sample: the classes
// differ in the first feature, and the second one varies more.
func Example() {
	x := mat.NewDense(2, 6, []float64{ // one sample a column
		1, 1.1, 0.9, 2, 2.1, 1.9,
		5, -5, 0, 5, -5, 0,
	})
	fisher, err := projection.Parse("fisher:0.001")
	check(err)
	fitted, err := fisher.Fit(context.Background(), x, []int{0, 3, 6}) // columns 0 to 2, and 3 to 5
	check(err)
	d, p := fitted.Dims()
	fmt.Printf("%d features become %d\n", d, p)
	y := fitted.Apply(mat.NewDense(2, 2, []float64{1, 2, 4, 4}))
	fmt.Println("the samples are on two sides:", y.At(0, 0)*y.At(0, 1) < 0)
	// Output:
	// 2 features become 1
	// the samples are on two sides: true
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
