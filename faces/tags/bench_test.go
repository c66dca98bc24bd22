package tags_test

import (
	"bytes"
	"image/jpeg"
	"os"
	"path/filepath"
	"testing"

	"nrdl.example/nrdl/faces/tags"
)

// Of a photograph of a camera, some megabytes, the header is read.
func BenchmarkRead(b *testing.B) {
	var picture bytes.Buffer
	if err := jpeg.Encode(&picture, drawn(1), nil); err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "a.jpg")
	if err := os.WriteFile(path, append(picture.Bytes(), make([]byte, 4<<20)...), 0o666); err != nil {
		b.Fatal(err)
	}
	w := tags.Writer{Embed: true}
	if _, err := w.Write(b.Context(), path, []tags.Face{{Name: "Ann", Box: white, Probability: 1}}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if p, err := tags.Read(path); err != nil || len(p.Regions) != 1 {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "photographs/s")
}
