package frontend

import (
	"nrdl.example/nrdl/faces/dataset"
)

// Sides from which on the presets suit images of another size than theirs.
const (
	texturedSide = 64 // Faces96
	visibleSide  = 24 // Faces32
)

// Foreseen returns the pipelines that can be the default for the images at path, before these
// are read: several, if only the images can decide. size is that of the images, or zero.
func Foreseen(path string, size dataset.Size) []Pipeline {
	switch {
	case dataset.IsMatrix(path):
		return []Pipeline{{Frame: dataset.Frame{Size: size}}}
	case size == dataset.Size{}: // photographs, or crops
		return []Pipeline{Embedding, Faces96}
	}
	return []Pipeline{For(size)}
}

// DefaultSize returns the size of images for in if none is given: a small one for grey
// values, as each pixel is a feature, and the size of Faces96 for features.
func (in Pipeline) DefaultSize() dataset.Size {
	if len(in.Features)+len(in.Photometric) == 0 {
		return dataset.DefaultSize
	}
	return Faces96.Size
}

// For returns the pipeline for images of this size: the stages of Faces96 or
// Faces32, or the pixels if the images are too small for features.
func For(size dataset.Size) Pipeline {
	in := Pipeline{}
	switch side := min(size.Height, size.Width); {
	case side >= texturedSide:
		in = Faces96
	case side >= visibleSide:
		in = Faces32
	}
	in.Size = size
	return in
}
