package faces_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/gallery"
)

// Strangers who are the people of the model make it useless, and it says so.
func TestUselessThresholdIsTold(t *testing.T) {
	const people, each, size = 8, 6, 12
	x := mat.NewDense(size*size, people*each, nil)
	var labels, ids []string
	for j := range people * each {
		labels, ids = append(labels, fmt.Sprintf("p%d", j/each)), append(ids, fmt.Sprintf("p%d/%d", j/each, j))
		for i := range size * size {
			own := math.Sin(float64((j/each+1)*(i*i+3*i)) / 7)
			x.Set(i, j, 128+60*own+6*math.Sin(float64((j+2)*(i+1)*(i+5))))
		}
	}
	images, err := dataset.NewImages(x, labels, ids, nil, dataset.Frame{Size: dataset.Size{Height: size, Width: size}})
	if err != nil {
		t.Fatal(err)
	}
	o := faces.Defaults(images)
	good, err := faces.Train(t.Context(), images, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := good.Model().Usable(); err != nil {
		t.Fatalf("the model is not usable to begin with: %v", err)
	}
	bad, err := good.Calibrate(t.Context(), good.OpenSet(), images)
	if err != nil {
		t.Fatal(err)
	}
	var useless *gallery.UselessError
	if err := bad.Model().Usable(); !errors.As(err, &useless) || useless.Rates.Right >= 0.1 && !useless.Members {
		t.Errorf("the spoilt model is usable: %v", err)
	}
}
