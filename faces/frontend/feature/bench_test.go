package feature

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// benchmarkExtract extracts one face after the other on one thread.
func benchmarkExtract(b *testing.B, spec string, side int) {
	f, err := ParseFeatures(spec)
	if err != nil {
		b.Fatal(err)
	}
	e, err := f.Over(side, side)
	if err != nil {
		b.Fatal(err)
	}
	pix := drawn(rand.New(rand.NewPCG(1, 2)), side, side)
	dst := make([]float64, f.Len(side, side))
	b.ReportAllocs()
	for b.Loop() {
		e.Extract(dst, pix)
	}
}

func BenchmarkExtract(b *testing.B) {
	for _, spec := range []string{
		"pixels", "igo", "hog", "hog:cell=10", "lbp", "lbp:cell=10", "lbp:cell=10,radius=2.5", "gabor",
		"lbp:cell=10,radius=2+lbp:cell=10,radius=3+hog:cell=10",
	} {
		b.Run(fmt.Sprintf("%s/96x96", spec), func(b *testing.B) { benchmarkExtract(b, spec, 96) })
	}
	for _, spec := range []string{"igo+lbp:cell=5.34+hog:cell=4", "gabor"} {
		b.Run(fmt.Sprintf("%s/32x32", spec), func(b *testing.B) { benchmarkExtract(b, spec, 32) })
	}
}

func BenchmarkApply(b *testing.B) {
	const side = 96
	pix := drawn(rand.New(rand.NewPCG(1, 2)), side, side)
	dst := make([]float64, side*side)
	for _, step := range Steps {
		f, err := step.Over(side, side)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(step.Name()+"/96x96", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f.Apply(dst, pix)
			}
		})
	}
}
