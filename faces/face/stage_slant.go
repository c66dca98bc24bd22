package face

import (
	"context"
	"slices"
)

// slantStage finds, where nothing else is certain, small faces that are upright or turned by
// any angle up to the side, in a finer copy of the photograph: the network confirms those
// that the cascade finds. The first angle at which there are any is the last.
type slantStage struct{ *Search }

func (s slantStage) find(ctx context.Context, p *picture, c candidates) (candidates, bool, error) {
	if s.cascadeCertain(c.faces) || s.networkCertain(c.sightings) {
		return c, false, nil
	}
	fine := *s.Search
	fine.Around *= s.Closer
	fine.Cascade.Side *= 2
	fine.Cascade.MinShare /= 2
	fine.Cascade.Sure = fine.Cascade.Other
	for _, degrees := range s.Slant {
		found, err := fine.confirmed(ctx, p, degrees, fine.look(p, degrees), nil)
		if err != nil {
			return c, false, err
		}
		for _, f := range found {
			if !s.Cascade.alike(c.faces, f) {
				f.Quality.Detection = max(f.Quality.Detection, s.Cascade.Sure) // by both
				c.faces = append(slices.Clip(c.faces), f)
			}
		}
		if len(found) > 0 {
			break
		}
	}
	return c, false, nil
}
