package face

import "context"

// turnsStage finds, by the cascade, the faces that are turned, unless an upright one is
// sure. Each turn of the photograph is a search of its own; the surest one replaces the
// upright faces.
type turnsStage struct{ Finder }

func (s turnsStage) find(_ context.Context, p *picture, c candidates) (candidates, bool, error) {
	largest := surest(c.faces)
	if largest >= s.Sure {
		return c, false, nil
	}
	minScore := max(s.Sure, s.Turned*largest)
	for _, degrees := range s.Turns {
		faces := s.facesIn(p.Grey, p.reduced(s.Side).turned(degrees), 2*s.MinShare, minScore)
		if surest(faces) > minScore {
			c.faces, minScore = faces, surest(faces)
		}
	}
	return c, false, nil
}
