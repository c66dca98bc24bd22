package openset_test

import (
	"fmt"

	"nrdl.example/nrdl/openset"
)

// Set a threshold from the margins of held-out faces, and decide about two faces.
func Example() {
	c := openset.Calibration{FPIR: 0.01, Prior: 0.5, Folds: 10, People: 10}
	for i := range 50 {
		own := 0.4 + 0.005*float64(i)    // margins of faces of people who are enrolled
		stranger := 0.002 * float64(i+1) // and of people who are left out
		c.Add(own, 0.1, false, true)
		c.Add(stranger, 0.1, true, false)
	}
	err := c.Fit(10, openset.UnknownLaw) // 10 people
	check(err)
	for _, margin := range []float64{0.5, 0.1} {
		d := c.Decide(margin)
		fmt.Printf("margin %.1f: known %v, probability %.1f\n", margin, d.Known, d.Probability)
	}
	// Output:
	// margin 0.5: known true, probability 0.9
	// margin 0.1: known false, probability 0.0
}

// The false match rate of two faces, from the cosines of other pairs.
func ExamplePairs() {
	var p openset.Pairs
	for i := range 100 {
		p.Add(0.2+0.002*float64(i), false) // two people
		p.Add(0.6+0.002*float64(i), true)  // one person
	}
	fmt.Printf("FMR %.4f at 0.3, %.4f at 0.5\n", p.FMR(0.3), p.FMR(0.5))
	// Output: FMR 0.4931 at 0.3, 0.0003 at 0.5
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
