package embedding

import (
	"testing"
)

// BenchmarkEmbed embeds one face, with its mirror image and without.
func BenchmarkEmbed(b *testing.B) {
	off := false
	single, err := Open("", Given{Mirror: &off})
	if err != nil {
		b.Fatal(err)
	}
	size := Default().Input()
	face := make([]float32, 3*size.Len())
	for i := range face {
		face[i] = float32(i * 7919 % 256)
	}
	for name, e := range map[string]*Embedder{"mirror": Default(), "alone": single} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Embed(b.Context(), [][]float32{face}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
