package explain

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/gallery"
)

// An Occlusion says which parts of a face matter for the decision. A square of the mean
// colour covers one place of the face after the other; Falls is the decrease of the score
// that is compared with the threshold.
type Occlusion struct {
	Square  dataset.Size `json:"square"`  // in pixels of the crop
	Score   float64      `json:"score"`   // of the face as it is
	Falls   [][]float64  `json:"falls"`   // rows of places, from the top left corner of the crop; negative where the score rises
	Changes int          `json:"changed"` // places at which a known face gets another name or none, and an unknown face gets one
}

// An Occluder covers a face at Places×Places places with a rectangle that has the share
// Share of the height and of the width of the crop.
type Occluder struct {
	Places int
	Share  float64
}

// DefaultOccluder covers the face at 100 places.
var DefaultOccluder = Occluder{Places: 10, Share: 0.25}

// maxPlaces bounds Occluder.Places.
const maxPlaces = 64

// Validate returns an error if a parameter is impossible.
func (o Occluder) Validate() error {
	if o.Places < 2 || o.Places > maxPlaces || !(o.Share > 0 && o.Share < 1) {
		return fmt.Errorf("occlusion: %d×%d places of squares of the share %v; possible are 2 to %d places and shares between 0 and 1",
			o.Places, o.Places, o.Share, maxPlaces)
	}
	return nil
}

// coveredTogether is how many covered faces are in memory at a time.
const coveredTogether = 32

// Occlude adds crop, the input of the network for the face, and its Occlusion to e. Network
// is the one that made the vectors of m. Progress may be nil.
func (o Occluder) Occlude(ctx context.Context, m *gallery.Gallery, network dataset.Embedder,
	e *Explanation, crop []float32, progress func(done, total int),
) error {
	size := network.Input()
	switch {
	case e.Similarities == nil:
		return errors.New("occlusion: no network made the vectors of the model")
	case len(crop) != 3*size.Len():
		return fmt.Errorf("occlusion: a crop of %d values is not one of 3×%v", len(crop), size)
	}
	if err := o.Validate(); err != nil {
		return err
	}
	square := dataset.Size{Height: o.side(size.Height), Width: o.side(size.Width)}
	result := &Occlusion{Square: square, Score: e.Similarities.decisive(e.Scores, e.Class)}
	mean := means(crop)
	var faces [][]float32
	seen := 0
	embed := func() error {
		named, err := identified(ctx, m, network, faces)
		if err != nil {
			return fmt.Errorf("occlusion: %w", err)
		}
		for i := range named {
			row := (seen + i) / o.Places
			if len(result.Falls) <= row {
				result.Falls = append(result.Falls, nil)
			}
			result.Falls[row] = append(result.Falls[row], result.Score-e.Similarities.decisive(named[i].Scores, e.Class))
			if named[i].Known != e.Known || e.Known && named[i].Class != e.Class {
				result.Changes++
			}
		}
		seen += len(named)
		faces = faces[:0]
		if progress != nil {
			progress(seen, o.Places*o.Places)
		}
		return context.Cause(ctx)
	}
	for _, top := range o.starts(size.Height) {
		for _, left := range o.starts(size.Width) {
			faces = append(faces, covered(crop, size, top, left, square, mean))
			if len(faces) == coveredTogether {
				if err := embed(); err != nil {
					return err
				}
			}
		}
	}
	if len(faces) > 0 {
		if err := embed(); err != nil {
			return err
		}
	}
	e.Similarities.Crop, e.Similarities.Occlusion = &Crop{size, crop}, result
	return nil
}

// side is that of the square along n pixels.
func (o Occluder) side(n int) int { return max(1, int(math.Round(o.Share*float64(n)))) }

// starts are where squares begin along n pixels, from edge to edge.
func (o Occluder) starts(n int) []int { return spread(o.Places, n-o.side(n)) }

// spread returns so many places from 0 to last, evenly.
func spread(places, last int) []int {
	at := make([]int, places)
	for i := range at {
		at[i] = int(math.Round(float64(i*last) / float64(places-1)))
	}
	return at
}

// means are those of the channels of a crop.
func means(crop []float32) (mean [3]float32) {
	n := len(crop) / 3
	for c := range mean {
		var sum float64
		for _, v := range crop[c*n:][:n] {
			sum += float64(v)
		}
		mean[c] = float32(sum / float64(n))
	}
	return mean
}

// covered is the crop with a square of this colour.
func covered(crop []float32, size dataset.Size, top, left int, square dataset.Size, colour [3]float32) []float32 {
	face := append([]float32(nil), crop...)
	for c, v := range colour {
		for y := top; y < top+square.Height; y++ {
			row := face[c*size.Len()+y*size.Width+left:][:square.Width]
			for x := range row {
				row[x] = v
			}
		}
	}
	return face
}

// identified identifies faces, inputs of the network, with m.
func identified(ctx context.Context, m *gallery.Gallery, network dataset.Embedder, faces [][]float32) ([]gallery.Face, error) {
	vectors, err := network.Embed(ctx, faces)
	if err != nil {
		return nil, err
	}
	x := mat.NewDense(len(vectors[0]), len(vectors), nil)
	for j, v := range vectors {
		x.SetCol(j, v)
	}
	return m.Identify(ctx, dataset.Unlabelled(x, m.Frame))
}

// decisive is the score that decides whether a face is class: that of class, or by how
// much it exceeds those of the others.
func (e *Similarities) decisive(scores []float64, class int) float64 {
	if e.ByScore {
		return scores[class]
	}
	others := math.Inf(-1)
	for c, v := range scores {
		if c != class {
			others = max(others, v)
		}
	}
	return scores[class] - others
}
