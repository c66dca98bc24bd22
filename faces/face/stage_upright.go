package face

import (
	"context"
	"image"
	"slices"
)

// uprightStage finds, by the cascade, the faces that are upright and not cut by the edge.
// In a large photograph it searches a finer copy too.
type uprightStage struct {
	Finder
	enough func(p *picture, faces []Face) bool // the search ends with these
}

func (s uprightStage) find(_ context.Context, p *picture, c candidates) (candidates, bool, error) {
	img := p.Grey
	c.faces, c.background = s.inFront(s.allIn(img, p.reduced(s.Side), s.MinShare, s.Score))
	if longest(img) >= s.Fine {
		var more []Face
		c.faces, more = s.withSmaller(img, p.reduced(2*s.Side), c.faces)
		c.background = append(c.background, more...)
	}
	return c, s.enough(p, c.faces), nil
}

// withSmaller returns faces with those of half the smallest size, if they are sure, and
// those in the background: a photograph of a group from afar has the pixels for them. fine
// is a copy of img at twice the usual resolution.
func (f Finder) withSmaller(img *image.Gray, fine view, faces []Face) (front, behind []Face) {
	half := f
	half.Background, half.Shift = f.Background/2, f.FineShift
	finer, behind := half.inFront(half.allIn(img, fine, f.MinShare/2, f.Sure))
	for _, one := range finer {
		if !f.seen(faces, one.Pupils) {
			faces = append(faces, one)
		}
	}
	front, more := half.inFront(faces)
	return slices.Clip(front), append(behind, more...)
}
