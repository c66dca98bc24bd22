package faces_test

import (
	"os"
	"slices"
	"testing"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/internal/testing/realdata"
)

// BenchmarkIdentifyAll goes from the bytes of photographs of 250×250 pixels to names:
// detection, alignment, the network with the mirror image, decision. Time is that of
// one photograph.
func BenchmarkIdentifyAll(b *testing.B) {
	images, err := faces.Read(b.Context(), realdata.Path(b, "photos", "lfw_colour15", "train"), faces.ReadOptions{})
	if err != nil {
		b.Fatal(err)
	}
	r, err := faces.Train(b.Context(), images, faces.Defaults(images))
	if err != nil {
		b.Fatal(err)
	}
	data, err := os.ReadFile(realdata.Path(b, "photos", "lfw_colour15", "test", "Kofi_Annan", "Kofi_Annan_0027.jpg"))
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	photos := slices.Repeat([]faces.Photo{{Load: func() ([]byte, error) { return data, nil }}}, b.N)
	for result, err := range r.IdentifyAll(b.Context(), slices.Values(photos)) {
		if err != nil || len(result.Faces) == 0 {
			b.Fatal(err)
		}
	}
}
