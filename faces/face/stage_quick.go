package face

import (
	"context"
	"slices"
)

// QuickOptions are the numbers of the first look, at a small copy of the photograph. No other stage runs if
// the network is certain of the largest face there, and the longer side of that face's box is at least Large.
type QuickOptions struct {
	Large       float64 // a share of the longest side of the photograph; 0: no first look
	QuickSide   int     // side of the input of the network, pixels
	QuickBorder float64 // as NetDetector.Border, a share of the side: a face may fill the photograph
	QuickScore  float64 // score, from 0 to 1, of a larger box from which the other stages run
}

var defaultQuick = QuickOptions{Large: 0.45, QuickSide: 160, QuickBorder: 0.3, QuickScore: 0.25}

// quickStage runs the network on a small copy of the upright photograph. It ends the search
// if the network is certain of the largest face, and this is so large that the network also
// finds all faces of more than half its size: smaller ones are in the background.
type quickStage struct{ *Search }

func (s quickStage) find(ctx context.Context, p *picture, c candidates) (candidates, bool, error) {
	faces, err := s.quick(ctx, p)
	if err != nil || len(faces) == 0 {
		return c, false, err
	}
	c.sightings = faces
	return joinStage(s).find(ctx, p, c)
}

// quick returns the faces of which the network is certain in a small copy of p. It returns
// none if there may be others in front.
func (s *Search) quick(ctx context.Context, p *picture) ([]sighting, error) {
	d, ok := s.Network.(NetDetector)
	if !ok || s.Large == 0 {
		return nil, nil
	}
	d.Side, d.Border, d.MinScore = s.QuickSide, s.QuickBorder, s.QuickScore
	found, err := d.Detect(ctx, p.Photo)
	if err != nil {
		return nil, err
	}
	longer := func(d Detection) float64 { return max(d.Box.width(), d.Box.height()) }
	var largest Detection
	for _, f := range found {
		if longer(f) > longer(largest) {
			largest = f
		}
	}
	if largest.Score < s.Sure || longer(largest) < s.Large*float64(longest(p.Grey)) {
		return nil, nil
	}
	found = slices.DeleteFunc(found, func(f Detection) bool { return f.Score < s.Sure })
	for i := range found {
		if found[i].Landmarks, err = s.Sighting.inBox(ctx, p.Photo, found[i]); err != nil {
			return nil, err
		}
	}
	faces, err := s.with(ctx, p.Photo, nil, found)
	if err != nil || !slices.ContainsFunc(faces, func(f sighting) bool { return boxOf(f.Box).overlap(largest.Box) >= s.Cascade.SameFace }) {
		return nil, err
	}
	return faces, nil
}
