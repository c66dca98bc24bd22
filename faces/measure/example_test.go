package measure_test

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/measure"
)

// Measure a network by the vectors that it makes of 20 people with 10 photographs each,
// which are drawn here.
func Example() {
	const d, people, each = 64, 20, 10
	rng := rand.New(rand.NewPCG(1, 1))
	x := mat.NewDense(d, people*each, nil)
	labels := make([]string, people*each)
	var person [d]float64
	for j := range labels {
		for i := range d {
			if j%each == 0 {
				person[i] = rng.NormFloat64()
			}
			x.Set(i, j, person[i]+0.7*rng.NormFloat64())
		}
		labels[j] = fmt.Sprintf("person%02d", j/each)
	}
	vectors, err := dataset.NewImages(x, labels, nil, nil, dataset.Frame{})
	if err != nil {
		fmt.Println(err)
		return
	}
	law, err := measure.Law(vectors, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d people; mean cosine of one person %.1f, of different people %.1f\n", law.People, law.Same.Mean, law.Different.Mean)
	// Output: 20 people; mean cosine of one person 0.7, of different people 0.0
}
