package face

import (
	"context"
	"math"
)

// closerStage finds, by the cascade, the faces that fill much of a photograph in which no
// face is found yet, by a search in steps of half the size: few windows show a face under
// a cap or a head turned aside, and large steps pass between them. The cascade compares
// single pixels, which are means of many in a small copy.
type closerStage struct{ Finder }

func (s closerStage) find(_ context.Context, p *picture, c candidates) (candidates, bool, error) {
	if len(c.faces) > 0 || s.CloseSide == 0 {
		return c, false, nil
	}
	const more = 8 // times as many windows: twice as many across, down and in size
	f := s.Finder
	f.Shift, f.Scale, f.Spread = f.Shift/2, math.Sqrt(f.Scale), f.CloseSpread
	f.Other *= more
	padding := 1 + 2*f.Margin
	c.faces = f.facesIn(p.Grey, p.reduced(f.CloseSide).padded(f.Margin), f.CloseLeast/padding, more*f.Score)
	for i := range c.faces {
		c.faces[i].Quality.Detection /= more
	}
	return c, false, nil
}
