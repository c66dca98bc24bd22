package face

import (
	"context"
	"slices"

	"nrdl.example/nrdl/dataset"
)

// A Keeping is an Embedder that keeps the faces that it embeds, so that it can be shown
// what a network saw. It is not safe for concurrent use.
type Keeping struct {
	dataset.Embedder
	faces   [][]float32
	vectors [][]float64
}

// Embed implements dataset.Embedder.
func (k *Keeping) Embed(ctx context.Context, faces [][]float32) ([][]float64, error) {
	vectors, err := k.Embedder.Embed(ctx, faces)
	if err == nil {
		k.faces, k.vectors = append(k.faces, faces...), append(k.vectors, vectors...)
	}
	return vectors, err
}

// Face returns the face of a vector that Embed returned, this very slice; nil for
// other vectors.
func (k *Keeping) Face(vector []float64) []float32 {
	i := slices.IndexFunc(k.vectors, func(v []float64) bool { return len(vector) > 0 && &v[0] == &vector[0] })
	if i < 0 {
		return nil
	}
	return k.faces[i]
}
