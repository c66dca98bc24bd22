package face

import "context"

// edgeStage finds, by the cascade, the faces that are cut by the edge of the photograph: it
// continues the photograph beyond its edges. They replace upright faces that are less sure.
type edgeStage struct{ Finder }

func (s edgeStage) find(_ context.Context, p *picture, c candidates) (candidates, bool, error) {
	faces := s.facesIn(p.Grey, p.reduced(s.Side).padded(s.Margin), s.MinShare, s.Other)
	if surest(faces) > surest(c.faces) {
		c.faces = faces
	}
	return c, false, nil
}
