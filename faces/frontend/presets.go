package frontend

import (
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/faces/frontend/feature"
	"nrdl.example/nrdl/projection"
)

// A Preset is a Pipeline with a name. doc/frontends.md has the evidence for
// each.
type Preset struct {
	Name, Description string
	Pipeline          Pipeline
}

// Presets lists the presets that Parse knows.
var Presets = []Preset{
	{"embedding", "faces in photographs: the vectors of a neural network", Embedding},
	{"faces96", "images in which no faces are found, and photographs without a network", Faces96},
	{"faces32", "the same where faces have no more than some 32 pixels a side", Faces32},
	{"lighting", "faces that differ in light more than in anything else", Lighting},
	{"pixels", "grey values alone, as in the paper", Pipeline{}},
}

// The pipelines of the presets.
var (
	// Embedding has the built-in network, with the mirror image.
	Embedding = ofNetwork(embedding.Default())
	// Faces96 has texture at two scales (LBP) and edges (HOG), with a Fisher
	// projection.
	Faces96 = Pipeline{
		Frame:      dataset.Frame{Size: dataset.Size{Height: 96, Width: 96}},
		Features:   feature.Features{lbp(12, 2), lbp(12, 5), hog(12)},
		Mirror:     true,
		Projection: projection.Choice{Projection: projection.Fisher{Ridge: 0.1}},
	}
	// Faces32 has gradient orientations (IGO), texture (LBP) and edges (HOG), with
	// a Fisher projection.
	Faces32 = Pipeline{
		Frame:      dataset.Frame{Size: dataset.Size{Height: 32, Width: 32}},
		Features:   feature.Features{feature.IGO{}, lbp(4, 1), lbp(4, 2), hog(4)},
		Mirror:     true,
		Projection: projection.Choice{Projection: projection.Fisher{Ridge: 0.1}},
	}
	// Lighting has gradient orientations (IGO), which change little with the
	// light.
	Lighting = Pipeline{
		Frame:    dataset.Frame{Size: dataset.Size{Height: 32, Width: 32}},
		Features: feature.Features{feature.IGO{}},
	}
)

// ofNetwork has no eyes: images say whether faces are found in them, as with the other
// presets.
func ofNetwork(e *embedding.Embedder) Pipeline {
	return Pipeline{Frame: dataset.Frame{Embedding: e.Frame().Embedding}, Embedder: e}
}

func lbp(cell, radius float64) feature.LBP {
	f := feature.DefaultLBP
	f.Cell, f.Radius = cell, radius
	return f
}

func hog(cell float64) feature.HOG {
	f := feature.DefaultHOG
	f.Cell = cell
	return f
}
