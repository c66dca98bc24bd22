package face

import "context"

// quickStage runs the network on the upright photograph. It ends the search if the network
// is certain of the largest face, and this is so large that the network also finds all faces
// of more than half its size: smaller ones are in the background.
type quickStage struct{ *Search }

func (s quickStage) find(ctx context.Context, p *picture, c candidates) (candidates, bool, error) {
	d, ok := s.Network.(NetDetector)
	if !ok || s.Large == 0 {
		return c, false, nil
	}
	found, err := d.Detect(ctx, p.Photo)
	if err == nil {
		c.sightings, err = s.with(ctx, p.Photo, c.sightings, found)
	}
	if err != nil {
		return c, false, err
	}
	c.looked = true
	var largest sighting
	for _, f := range c.sightings {
		if f.sum >= s.Least && f.size() > largest.size() {
			largest = f
		}
	}
	if largest.sum >= s.Sure && float64(max(largest.Box.Dx(), largest.Box.Dy())) >= s.Large*float64(longest(p.Grey)) {
		return joinStage(s).find(ctx, p, c)
	}
	return c, false, nil
}
