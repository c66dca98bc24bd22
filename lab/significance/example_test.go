package significance_test

import (
	"fmt"

	"nrdl.example/nrdl/lab/significance"
)

// Of three p-values, which stay below 0.05 if three hypotheses were tested?
func ExampleHolm() {
	fmt.Printf("%.2f\n", significance.Holm([]float64{0.01, 0.04, 0.03}))
	// Output: [0.03 0.06 0.06]
}
