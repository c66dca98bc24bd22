package network_test

import (
	"math"
	"testing"

	"nrdl.example/nrdl/internal/kit/testing/onnxfile"
)

func TestNormalisation(t *testing.T) {
	number := func(g *onnxfile.Graph, v float32) string { return g.Floats([]float32{v}, 1) }
	for name, c := range map[string]struct {
		mean, scale float64
		first       func(g *onnxfile.Graph) string
	}{
		"none": {0, 0, func(*onnxfile.Graph) string { return "image" }},
		"subtract, multiply": {127.5, 1. / 128, func(g *onnxfile.Graph) string {
			x := g.Node("Sub", []string{"image", number(g, 127.5)})
			return g.Node("Mul", []string{x, number(g, 1./128)})
		}},
		"of each channel": {110, 0.02, func(g *onnxfile.Graph) string {
			x := g.Node("Add", []string{g.Floats([]float32{-100, -110, -120}, 1, 3, 1, 1), "image"})
			return g.Node("Div", []string{x, number(g, 50)})
		}},
		"batch normalisation, transposed": {100, 0.1, func(g *onnxfile.Graph) string {
			x := g.Node("Transpose", []string{g.Node("Identity", []string{"image"})}, onnxfile.Attr{Name: "perm", Value: []int{0, 1, 3, 2}})
			three := func(v float32) string { return g.Floats([]float32{v, v, v}, 3) }
			return g.Node("BatchNormalization", []string{x, three(2), three(0), three(100), three(400)},
				onnxfile.Attr{Name: "epsilon", Value: float32(1e-9)})
		}},
		"turned round": {255, -1, func(g *onnxfile.Graph) string { return g.Node("Sub", []string{number(g, 255), "image"}) }},
		"two ways": {0, 0, func(g *onnxfile.Graph) string {
			return g.Node("Add", []string{g.Node("Mul", []string{"image", number(g, 2)}), "image"})
		}},
		"what is not linear": {0, 0, func(g *onnxfile.Graph) string { return g.Node("Div", []string{number(g, 1), "image"}) }},
	} {
		var g onnxfile.Graph
		g.Input("image", onnxfile.Float32, "N", 3, 8, 8)
		g.Output(g.Node("Relu", []string{c.first(&g)}), onnxfile.Float32, "N", 3, 8, 8)
		got := open(t, g.Bytes(13)).Normalisation()
		if math.Abs(got.Mean-c.mean) > 1e-4 || math.Abs(got.Scale-c.scale) > 1e-6 {
			t.Errorf("%s: %v", name, got)
		}
	}
}
