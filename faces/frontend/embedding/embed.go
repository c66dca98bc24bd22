package embedding

import (
	"context"
	"fmt"
	"math"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/network"
)

// together is how many images go through the network at a time: enough for all
// processors, and few enough to bound the memory, of so many numbers where the images or
// the vectors are large.
const together, numbersTogether = 64, 1 << 24

// Embed implements dataset.Embedder. The numbers of a vector have single precision.
func (e *Embedder) Embed(ctx context.Context, faces [][]float32) ([][]float64, error) {
	n, err := e.open()
	if err != nil {
		return nil, err
	}
	views := 1
	if e.frame.Embedding.Mirror {
		views = 2
	}
	vectors := make([][]float64, len(faces))
	var seen []int // faces that are not of a single colour
	for i, face := range faces {
		if len(face) != 3*e.input.Len() {
			return nil, fmt.Errorf("embed: a face of %d values; network %s takes 3×%v", len(face), e.frame.Embedding.Name, e.input)
		}
		vectors[i] = make([]float64, e.frame.Embedding.Length)
		if !e.blank(face) {
			seen = append(seen, i)
		}
	}
	images := min(together, numbersTogether/(3*e.input.Len()+e.frame.Embedding.Length))
	for chunk := range chunks(seen, max(1, images/views)) {
		if err := e.embed(ctx, n, faces, vectors, chunk, views); err != nil {
			return nil, fmt.Errorf("embed: %w", err)
		}
	}
	return vectors, nil
}

// embed sets the vectors of the faces chosen, each of which is seen views times.
func (e *Embedder) embed(ctx context.Context, n *network.Network, faces [][]float32, vectors [][]float64, chosen []int, views int) error {
	size, length := 3*e.input.Len(), e.frame.Embedding.Length
	input := make([]float32, len(chosen)*views*size)
	for i, j := range chosen {
		for v := range views {
			e.fill(input[(i*views+v)*size:][:size], faces[j], v == 1)
		}
	}
	outputs, err := n.Run(ctx, nil, input)
	if err != nil {
		return err
	}
	output := outputs[e.output]
	for i, j := range chosen {
		for v := range views {
			for k, o := range output[(i*views+v)*length:][:length] {
				vectors[j][k] += float64(o)
			}
		}
		if !normalise(vectors[j]) || e.centring != nil && !e.centring.Apply(vectors[j]) {
			return advice.Add(fmt.Errorf("network %s makes no vector of a face: its output is zero or not finite", e.frame.Embedding.Name),
				"the network does not suit, or takes other values: look at channels, subtract and scale")
		}
	}
	return nil
}

// fill writes face, or its mirror image, as the network takes it.
func (e *Embedder) fill(dst, face []float32, mirror bool) {
	made := e.frame.Embedding
	scale := float32(1)
	if made.Scale != 0 {
		scale = float32(made.Scale)
	}
	h, w, pixels := e.input.Height, e.input.Width, e.input.Len()
	for c := range 3 {
		to := c
		if made.Channels == bgr {
			to = 2 - c
		}
		first, step := to*pixels, 1
		if e.channelsLast {
			first, step = to, 3
		}
		mean := float32(made.Mean[c])
		for y := range h {
			row := face[c*pixels+y*w:][:w]
			at := first + y*w*step
			for x, v := range row {
				if mirror {
					x = w - 1 - x
				}
				dst[at+x*step] = (v - mean) * scale
			}
		}
	}
}

// blank reports whether face has a single colour.
func (e *Embedder) blank(face []float32) bool {
	pixels := e.input.Len()
	for c := range 3 {
		channel := face[c*pixels:][:pixels]
		for _, v := range channel {
			if v != channel[0] {
				return false
			}
		}
	}
	return true
}

// normalise brings v to unit length in single precision. It reports whether it could.
func normalise(v []float64) bool {
	var sum float64
	for _, x := range v {
		sum += x * x
	}
	norm := math.Sqrt(sum)
	if !(norm > 0) || math.IsInf(norm, 0) {
		return false
	}
	for i, x := range v {
		v[i] = float64(float32(x / norm))
	}
	return true
}

// chunks yields list in parts of at most n.
func chunks(list []int, n int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		for lo := 0; lo < len(list); lo += n {
			if !yield(list[lo:min(len(list), lo+n)]) {
				return
			}
		}
	}
}
