// Command matrix learns a dictionary by NRDL from columns of numbers that this
// program makes, and classifies other columns. Nothing of it knows photographs. To run it in a
// copy of this folder: go mod edit -replace nrdl.example/nrdl=DIR with the folder of nrdl, go mod
// tidy, go run .
package main

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/method"
)

func main() {
	ctx := context.Background()
	x, labels := draw(rand.New(rand.NewPCG(1, 2)), 12)
	train, err := classify.NewSamples(x, labels, nil, nil)
	check(err)
	c, err := method.DefaultNRDL.Fit(ctx, train, classify.Run{Seed: 1})
	check(err)
	y, truth := draw(rand.New(rand.NewPCG(3, 4)), 50)
	best, err := c.Predict(ctx, y)
	check(err)
	right := 0
	for j, class := range best {
		if c.Parts().Classes[class] == truth[j] {
			right++
		}
	}
	d, k, classes := c.Dims()
	fmt.Printf("%d features, %d atoms, %d classes: %d of %d columns are right\n", d, k, classes, right, len(truth))
}

// draw returns n noisy non-negative columns of each of four classes.
func draw(r *rand.Rand, n int) (x *mat.Dense, labels []string) {
	const features = 40
	x = mat.NewDense(features, 4*n, nil)
	for j := range 4 * n {
		class := j % 4
		for i := range features {
			v := 0.3 * r.Float64()
			if i%4 == class {
				v += r.Float64()
			}
			x.Set(i, j, v)
		}
		labels = append(labels, string(rune('a'+class)))
	}
	return x, labels
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
