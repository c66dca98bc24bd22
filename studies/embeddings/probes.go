package main

import (
	"context"
	"image"
	"image/color"
	"math"
	"math/rand/v2"

	"golang.org/x/image/draw"

	"nrdl.example/nrdl/dataset"
)

// Each face is turned into several images, and each of these into a vector: as it is,
// with corruptions, and with other treatments of the mirror image.
const (
	clean = iota
	covered
	reduced
	noisy
	plain    // without the mirror image averaged in
	mirrored // the vector of the mirror image alone
	variants
)

// probeNames are the images of a face that are identified.
var probeNames = []string{"clean", "covered", "24 pixels", "noisy"}

const (
	coveredShare = 0.3  // of the area of the crop, by a black square
	reducedSide  = 24   // pixels
	noisyShare   = 0.05 // of the pixels, half of them black, half white
)

// An embedder makes one vector of length variants·Length of a face: the vectors of
// its variants, one after the other.
type embedder struct {
	dataset.Embedder                  // with the mirror image averaged in
	single           dataset.Embedder // the same network without it
}

// Frame implements dataset.Embedder.
func (e embedder) Frame() dataset.Frame {
	f := e.Embedder.Frame()
	f.Embedding.Length *= variants
	return f
}

// Embed implements dataset.Embedder. What is random follows from the face itself.
func (e embedder) Embed(ctx context.Context, faces [][]float32) ([][]float64, error) {
	all := make([][]float64, len(faces))
	for i, face := range faces {
		in := e.Input()
		rng := rand.New(rand.NewPCG(seedOf(face), 0))
		both, err := e.Embedder.Embed(ctx, [][]float32{
			clean: face, covered: values(cover(picture(face, in), rng)),
			reduced: values(reduce(picture(face, in))), noisy: values(noise(picture(face, in), rng)),
		})
		if err != nil {
			return nil, err
		}
		single, err := e.single.Embed(ctx, [][]float32{face, flip(face, in.Width)})
		if err != nil {
			return nil, err
		}
		for _, v := range append(both, single...) {
			all[i] = append(all[i], v...)
		}
	}
	return all, nil
}

// seedOf is a number that follows from the values of a face.
func seedOf(face []float32) (seed uint64) {
	for _, v := range face {
		seed = seed*31 + uint64(math.Float32bits(v))
	}
	return seed
}

func cover(p *image.RGBA, rng *rand.Rand) *image.RGBA {
	w, h := p.Rect.Dx(), p.Rect.Dy()
	side := int(math.Round(math.Sqrt(coveredShare * float64(w*h))))
	at := image.Pt(rng.IntN(w-side+1), rng.IntN(h-side+1))
	draw.Draw(p, image.Rectangle{at, at.Add(image.Pt(side, side))}, image.Black, image.Point{}, draw.Src)
	return p
}

func reduce(p *image.RGBA) *image.RGBA {
	small := image.NewRGBA(image.Rect(0, 0, reducedSide, reducedSide))
	draw.CatmullRom.Scale(small, small.Rect, p, p.Rect, draw.Src, nil)
	draw.CatmullRom.Scale(p, p.Rect, small, small.Rect, draw.Src, nil)
	return p
}

func noise(p *image.RGBA, rng *rand.Rand) *image.RGBA {
	for y := range p.Rect.Dy() {
		for x := range p.Rect.Dx() {
			switch u := rng.Float64(); {
			case u < noisyShare/2:
				p.Set(x, y, color.Black)
			case u < noisyShare:
				p.Set(x, y, color.White)
			}
		}
	}
	return p
}

// flip returns the mirror image of a face whose rows have so many pixels.
func flip(face []float32, width int) []float32 {
	f := make([]float32, len(face))
	for i, v := range face {
		f[i-i%width+width-1-i%width] = v
	}
	return f
}

// picture is a face of this size, rounded to 8 bits.
func picture(face []float32, in dataset.Size) *image.RGBA {
	p := image.NewRGBA(image.Rect(0, 0, in.Width, in.Height))
	n := in.Len()
	at := func(i int) uint8 { return uint8(math.Round(min(max(float64(face[i]), 0), math.MaxUint8))) }
	for i := range n {
		p.SetRGBA(i%in.Width, i/in.Width, color.RGBA{at(i), at(n + i), at(2*n + i), math.MaxUint8})
	}
	return p
}

// values are the red, green and blue values of p, each row after row.
func values(p *image.RGBA) []float32 {
	n := p.Rect.Dx() * p.Rect.Dy()
	face := make([]float32, 3*n)
	for i := range 3 * n {
		face[i] = float32(p.Pix[i%n*4+i/n])
	}
	return face
}
