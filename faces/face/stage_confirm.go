package face

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// TurnedOptions are the numbers of the stages in which the network confirms turned faces of the cascade
// that are too small for it in the whole photograph: confirm, aside and slant.
type TurnedOptions struct {
	Aside []float64 // angles, degrees, of faces that are too small for NetworkOptions; the cascade has to be sure of them
	Slant []float64 // angles, degrees, of small faces where no other face is certain; likewise
	// trees of the cascade that a window of every second row and column has to pass, for those beside it
	// to be looked at; 0: all windows are
	Coarse  int
	Checked int     // at each angle, the network checks at most so many faces, the surest, as each takes a run of it
	Around  float64 // side of the square about the eyes of a candidate in which the network checks it, in eye distances
	Closer  float64 // the same for Slant, where small faces are enlarged more, as a share of Around
	Tilted  float64 // degrees: faces that are turned less count as upright, which the cascade finds
}

var defaultTurned = TurnedOptions{
	Aside: []float64{90, -90, 180}, Slant: []float64{0, 30, -30, 50, -50, 65, -65},
	Coarse: 100, Checked: 12, Around: 8, Closer: 0.75, Tilted: 20,
}

// confirmStage searches by the cascade at the angles at which the network is certain of
// turned faces. The pupils of these faces are then found as those of upright faces. Others
// that are turned alike count if the network confirms them.
type confirmStage struct{ *Search }

func (s confirmStage) find(ctx context.Context, p *picture, c candidates) (candidates, bool, error) {
	if s.cascadeCertain(c.faces) || !s.networkCertain(c.sightings) {
		return c, false, nil
	}
	var turned []Face
	looks := map[float64][]Face{} // of the cascade, by angle
	var angles []float64
	for _, f := range c.sightings {
		angle := math.Round(f.Quality.Angle)
		if f.sum < s.Sure || math.Abs(angle) < s.Tilted {
			continue
		}
		if looks[angle] == nil {
			looks[angle] = s.look(p, angle)
		}
		front, _ := s.Cascade.inFront(slices.Clone(looks[angle]))
		for _, one := range front {
			if s.Sighting.near(f.Face, one.Pupils) {
				turned = append(turned, one)
			}
		}
		if !slices.ContainsFunc(angles, func(a float64) bool { return math.Abs(math.Remainder(a-angle, 360)) < s.Tilted }) {
			angles = append(angles, angle)
		}
	}
	var more []Face
	for _, angle := range angles {
		found, err := s.confirmed(ctx, p, angle, looks[angle], more)
		if err != nil {
			return c, false, err
		}
		more = append(more, found...)
	}
	for _, f := range more {
		if !s.Cascade.alike(turned, f) {
			turned = append(turned, f)
		}
	}
	c.faces = slices.Concat(c.faces, turned)
	return c, false, nil
}

// asideStage finds faces that are turned and too small for the network in the whole
// photograph. If there are any, they are the result.
type asideStage struct{ *Search }

func (s asideStage) find(ctx context.Context, p *picture, c candidates) (candidates, bool, error) {
	var turned []Face
	for _, degrees := range s.Aside {
		found, err := s.confirmed(ctx, p, degrees, s.look(p, degrees), turned)
		if err != nil {
			return c, false, err
		}
		turned = append(turned, found...)
	}
	if len(turned) == 0 {
		return c, false, nil
	}
	front, behind := s.Cascade.inFront(turned)
	c.faces, c.background = front, append(c.background, behind...)
	return c, true, nil
}

// look returns the faces turned by an angle, in degrees, of which the cascade is sure, or would
// be if it looked at all windows.
func (s *Search) look(p *picture, degrees float64) []Face {
	const some = 0.7 // of the score
	f := s.Cascade
	f.coarse = s.Coarse
	return f.allIn(p.Grey, p.reduced(f.Side).turned(degrees), f.MinShare, some*f.Sure)
}

// confirmed returns those of the faces looked, which are turned by an angle in degrees, that the
// network confirms, and that are not alike with those found before. It runs on the surroundings
// of one face at a time, since it does not find small faces in the whole photograph.
func (s *Search) confirmed(ctx context.Context, p *picture, degrees float64, looked, before []Face) (faces []Face, err error) {
	d, ok := s.Network.(NetDetector)
	if !ok {
		return nil, nil
	}
	looked = slices.Clone(looked)
	slices.SortStableFunc(looked, func(a, b Face) int { return cmp.Compare(b.Quality.Detection, a.Quality.Detection) })
	for _, f := range looked[:min(len(looked), s.Checked)] {
		if s.Cascade.alike(before, f) || s.Cascade.alike(faces, f) {
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
