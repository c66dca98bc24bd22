package face

import (
	"context"
	"image"

	"nrdl.example/nrdl/faces/dataset"
)

// A stage is a step of a search. It takes the candidates of the stages before it, and
// returns them with its own; it does not change those that it takes. With done, they are
// the result, and no later stage runs.
type stage interface {
	find(ctx context.Context, p *picture, c candidates) (next candidates, done bool, err error)
}

// candidates are the faces that the stages of a search have found so far.
type candidates struct {
	faces      []Face     // of the cascade; after the last stage, those that are reported
	background []Face     // of the cascade, in the background; a face may be there twice
	sightings  []sighting // of networks
	seen       bool       // the network has seen something that is a little like a face
}

// find takes the photograph p through a line of stages.
func find(ctx context.Context, p *picture, line []stage, c candidates) (_ candidates, done bool, err error) {
	for _, s := range line {
		if c, done, err = s.find(ctx, p, c); done || err != nil {
			return c, done, err
		}
	}
	return c, false, nil
}

// A picture is a photograph with its reduced copies, each of which is made once. A smaller
// copy is not made from a larger one: that would round twice.
type picture struct {
	*dataset.Photo
	copies map[int]view // by longest side
}

func newPicture(photo *dataset.Photo) *picture { return &picture{photo, map[int]view{}} }

// reduced is p with its longest side reduced to side pixels.
func (p *picture) reduced(side int) view {
	v, ok := p.copies[side]
	if !ok {
		v = overview(p.Grey, side)
		p.copies[side] = v
	}
	return v
}

// overview is img with its longest side reduced to side pixels.
func overview(img *image.Gray, side int) view {
	return reduced(img, img.Rect, float64(longest(img))/float64(side))
}

// longest is the longest side of img.
func longest(img *image.Gray) int { return max(img.Rect.Dx(), img.Rect.Dy()) }
