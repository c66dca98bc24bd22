package face

import "context"

// unsureStage looks for small faces that are turned where neither the cascade nor a network is
// certain, and for larger ones by a line of stages if the network has seen something.
type unsureStage struct {
	*Search
	small  stage
	larger []stage
}

func (s unsureStage) find(ctx context.Context, p *picture, c candidates) (candidates, bool, error) {
	if s.cascadeCertain(c.faces) || s.networkCertain(c.sightings) {
		return c, false, nil
	}
	c, done, err := s.small.find(ctx, p, c)
	if err == nil && !done && c.seen {
		c, done, err = find(ctx, p, s.larger, c)
	}
	return c, done || s.enough(p, c.faces), err
}
