package large

import (
	"testing"

	"nrdl.example/nrdl/method"
)

func BenchmarkIdentify(b *testing.B) {
	images := drawn(b, 1, 1000, 4)
	g := grown(b, images, method.Mean{})
	one := images.Select([]int{17})
	for b.Loop() {
		if _, err := g.Identify(b.Context(), one); err != nil {
			b.Fatal(err)
		}
	}
}
