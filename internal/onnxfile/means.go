package onnxfile

import (
	"maps"
	"slices"
)

// Means is a network for tests whose three outputs are the means of the channels of an image of
// side×side pixels, with this metadata.
func Means(side int, metadata map[string]string) []byte { return means(3, side, 1, metadata) }

// MeansOf is Means for an image of so many channels.
func MeansOf(channels, side int) []byte { return means(channels, side, 1, nil) }

// MeansTwice is Means with the same output twice.
func MeansTwice(side int) []byte { return means(3, side, 2, nil) }

func means(channels, side, outputs int, metadata map[string]string) []byte {
	const opset = 13
	var g Graph
	g.Input("image", Float32, "batch", channels, side, side)
	for range outputs {
		out := g.Node("ReduceMean", []string{"image"}, Attr{Name: "axes", Value: []int{2, 3}}, Attr{Name: "keepdims", Value: 0})
		g.Output(out, Float32, "batch", channels)
	}
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		g.Meta(key, metadata[key])
	}
	return g.Bytes(opset)
}
