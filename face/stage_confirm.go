package face

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// confirmStage searches by the cascade at the angles at which the network is certain of
// turned faces. The pupils of these faces are then found as those of upright faces. Others
// that are turned alike count if the network confirms them.
type confirmStage struct{ *Search }

func (s confirmStage) find(ctx context.Context, p *picture, c candidates) (candidates, bool, error) {
	if s.cascadeCertain(c.faces) || !s.networkCertain(c.sightings) {
		return c, false, nil
	}
	var turned []Face
	var angles []float64
	for _, f := range c.sightings {
		angle := math.Round(f.Quality.Angle)
		if f.sum < s.Sure || math.Abs(angle) < s.Tilted {
			continue
		}
		for _, one := range s.Cascade.facesIn(p.Grey, p.reduced(s.Cascade.Side).turned(angle), s.Cascade.Least, s.Cascade.Sure) {
			if s.Sighting.near(f.Face, one.Pupils) {
				turned = append(turned, one)
			}
		}
		if !slices.ContainsFunc(angles, func(a float64) bool { return math.Abs(math.Remainder(a-angle, 360)) < s.Tilted }) {
			angles = append(angles, angle)
		}
	}
	more, err := s.confirmed(ctx, p, angles)
	for _, f := range more {
		if !s.Cascade.alike(turned, f) {
			turned = append(turned, f)
		}
	}
	c.faces = slices.Concat(c.faces, turned)
	return c, false, err
}

// asideStage finds faces that are turned and too small for the network in the whole
// photograph. If there are any, they are the result.
type asideStage struct{ *Search }

func (s asideStage) find(ctx context.Context, p *picture, c candidates) (candidates, bool, error) {
	turned, err := s.confirmed(ctx, p, s.Aside)
	if err != nil || len(turned) == 0 {
		return c, false, err
	}
	front, behind := s.Cascade.inFront(turned)
	c.faces, c.behind = front, append(c.behind, behind...)
	return c, true, nil
}

// confirmed returns the faces that are turned by these angles, in degrees. The cascade finds
// them, and the network has to confirm each: it runs on the surroundings of one face at a
// time, since it does not find small faces in the whole photograph.
func (s *Search) confirmed(ctx context.Context, p *picture, angles []float64) (faces []Face, err error) {
	d, ok := s.Network.(NetDetector)
	if !ok {
		return nil, nil
	}
	for _, degrees := range angles {
		all := s.Cascade.allIn(p.Grey, p.reduced(s.Cascade.Side).turned(degrees), s.Cascade.Least, s.Cascade.Sure)
		slices.SortStableFunc(all, func(a, b Face) int { return cmp.Compare(b.Quality.Detection, a.Quality.Detection) })
		for _, f := range all[:min(len(all), s.Checked)] {
			if s.Cascade.alike(faces, f) {
				continue
			}
			ok, err := s.confirms(ctx, p, d, f, degrees)
			if err != nil {
				return nil, err
			}
			if ok {
				faces = append(faces, f)
			}
		}
	}
	return faces, nil
}

// confirms reports whether d finds f, turned by degrees, in the surroundings of f.
func (s *Search) confirms(ctx context.Context, p *picture, d NetDetector, f Face, degrees float64) (bool, error) {
	around := window{Point: middle(f.Pupils), side: s.Around * f.Quality.Eyes}.box(p.Grey.Rect)
	found, err := d.reduce(p.Photo, around).turned(ctx, degrees)
	if err != nil {
		return false, err
	}
	for _, one := range found {
		if one.Score < s.Sure {
			continue
		}
		seen, ok, err := s.faceOf(ctx, p.Photo, one)
		if err != nil || ok && s.Sighting.near(seen, f.Pupils) {
			return err == nil, err
		}
	}
	return false, nil
}
