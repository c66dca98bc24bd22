package face

import (
	"context"
	"math"
	"slices"
)

// NetworkOptions are the numbers of the network on the whole photograph, upright and turned.
type NetworkOptions struct {
	// score, from 0 to 1, of an upright face that the cascade finds too, from which the network does not
	// search the turned photograph
	Upright float64
	Turns   []float64 // angles by which the network searches it, degrees; right ones first
	Glimpse float64   // score that the network has to reach at a right angle for the other ones: most photographs without a face end there
}

var defaultNetwork = NetworkOptions{Upright: 0.8, Turns: []float64{90, -90, 180, 30, -30, 60, -60, 120, -120, 150, -150}, Glimpse: 0.02}

// networkStage runs the network on the upright photograph. It ends the search if the network
// confirms a face of which the cascade is sure. If an upright face that the
// cascade finds has a low score, the network also runs on the turned photograph: an upside down face
// can look upright to either, but not at the same place. Where it sees nothing at any right
// angle, it does not look at others.
type networkStage struct{ *Search }

func (s networkStage) find(ctx context.Context, p *picture, c candidates) (candidates, bool, error) {
	if s.cascadeCertain(c.faces) {
		return c, false, nil
	}
	d, ok := s.Network.(NetDetector)
	if !ok {
		c.seen = true
		found, err := s.Network.Detect(ctx, p.Photo)
		err = s.add(ctx, p, &c, found, err)
		return c, false, err
	}
	low, largest := d, 0.
	low.MinScore = min(d.MinScore, s.Glimpse)
	whole := low.reduce(p.Photo, p.Grey.Rect)
	for _, degrees := range slices.Concat([]float64{0}, s.Turns) {
		if largest < s.Glimpse && math.Mod(degrees, 90) != 0 {
			break
		}
		found, err := whole.turned(ctx, degrees)
		if err == nil {
			if len(found) > 0 {
				largest = max(largest, found[0].Score)
			}
			found = slices.DeleteFunc(found, func(one Detection) bool { return one.Score < d.MinScore })
			c.seen = c.seen || len(found) > 0
		}
		if err = s.add(ctx, p, &c, found, err); err != nil {
			return c, false, err
		}
		if degrees == 0 {
			if upright, confirmed := s.judged(c); upright || confirmed {
				return c, confirmed && !s.far(p.Grey, c.faces), nil
			}
		}
	}
	return c, false, nil
}

// judged reports whether an upright face is found well, and whether one is found of which
// the cascade is sure too.
func (s networkStage) judged(c candidates) (upright, confirmed bool) {
	upright = !s.First && slices.ContainsFunc(c.sightings, func(o sighting) bool { return o.sum >= s.Upright })
	for _, f := range c.sightings {
		for _, o := range c.faces {
			if s.Sighting.near(f.Face, o.Pupils) {
				upright = upright || f.sum >= s.Upright
				confirmed = confirmed || f.sum >= s.Sure && o.Quality.Detection >= s.Cascade.Sure
			}
		}
	}
	return upright, confirmed
}
