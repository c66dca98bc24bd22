package main

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"nrdl.example/nrdl/faces/dataset"
	onnx "nrdl.example/nrdl/faces/network"
	"nrdl.example/nrdl/faces/synthetic"
)

// maxDifference bounds how far a cosine of two vectors of mobile is from that of the
// vectors of the network that it was made of.
const maxDifference = 1e-4

// checkFolding compares the cosines of all pairs of drawn faces by a network and by mobile
// of it, prints the largest difference, and refuses one above maxDifference.
func checkFolding(original, folded []byte) error {
	const side, pixels = 112, 112 * 112
	s := synthetic.Default
	s.People, s.PerPerson, s.Input = 50, 4, dataset.Size{Height: side, Width: side}
	set, err := s.Draw(context.Background())
	if err != nil {
		return err
	}
	faces, normalised := make([]float32, 0, 3*pixels*set.Len()), make([]float32, 0, 3*pixels*set.Len())
	for j := range set.Len() {
		for c := range 3 {
			for i := range pixels {
				v := float32(set.X.At(i%side*side+i/side, j)) * (1 - 0.1*float32(c)) // a tint
				faces, normalised = append(faces, v), append(normalised, (v-127)/128)
			}
		}
	}
	a, err := cosines(original, normalised, set.Len())
	if err != nil {
		return err
	}
	b, err := cosines(folded, faces, set.Len())
	if err != nil {
		return err
	}
	var largest float64
	for i, v := range a {
		largest = max(largest, math.Abs(v-b[i]))
	}
	fmt.Printf("vectors of %d numbers instead of %d: cosines of the pairs of %d drawn faces differ by at most %.1g\n",
		kept, published, set.Len(), largest)
	if !(largest <= maxDifference) {
		return fmt.Errorf("cosines of the folded network differ by up to %g", largest)
	}
	return nil
}

// cosines are those of all pairs of the outputs of a network for n inputs.
func cosines(file []byte, inputs []float32, n int) ([]float64, error) {
	net, err := onnx.Open(context.Background(), file)
	if err != nil {
		return nil, err
	}
	out, err := net.Run(context.Background(), nil, inputs)
	if err != nil {
		return nil, err
	}
	var all []float64
	d := len(out[0]) / n
	vector := func(i int) []float64 {
		v := make([]float64, d)
		for k, x := range out[0][i*d : (i+1)*d] {
			v[k] = float64(x)
		}
		return v
	}
	for i := range n {
		for j := range i {
			a, b := vector(i), vector(j)
			all = append(all, floats.Dot(a, b)/math.Sqrt(floats.Dot(a, a)*floats.Dot(b, b)))
		}
	}
	return all, nil
}
