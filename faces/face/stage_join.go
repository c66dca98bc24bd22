package face

import (
	"cmp"
	"context"
	"slices"
)

// JoinOptions say which faces are reported.
type JoinOptions struct {
	MinScore float64 // lowest sum of the scores of networks of a face that is reported
	Alone    float64 // score of the cascade from which a face is reported that no network finds
}

var defaultJoin = JoinOptions{MinScore: 0.25, Alone: 16}

// joinStage is the last one. It joins the faces of the networks with those of the cascade
// that are elsewhere and sure enough, or that the networks did not find well enough alone.
type joinStage struct{ *Search }

func (s joinStage) find(_ context.Context, _ *picture, c candidates) (candidates, bool, error) {
	all := slices.Clone(c.sightings)
	slices.SortStableFunc(all, func(a, b sighting) int { return cmp.Compare(b.sum, a.sum) })
	minScore, largest := s.MinScore, 0.
	if len(all) > 0 {
		largest = all[0].sum
	}
	if largest >= s.Sure {
		minScore = max(s.Sure, s.Cascade.Rival*largest)
	}
	var faces []Face
	for _, one := range all {
		f := one.Face
		if k := slices.IndexFunc(c.faces,
			func(o Face) bool { return o.Quality.Detection >= s.Cascade.Sure && s.Sighting.near(f, o.Pupils) }); k >= 0 {
			found := f.Landmarks
			if f = c.faces[k]; !s.exact {
				f.Landmarks = found
			}
		} else {
			f.Quality.Detection = s.Sighting.Scale * min(1, one.sum)
		}
		confirmed := slices.ContainsFunc(c.faces, func(o Face) bool { return s.Cascade.alike([]Face{o}, f) })
		if (one.sum >= minScore || confirmed && largest < s.Sure) && !s.Cascade.alike(faces, f) {
			faces = append(faces, f)
		}
	}
	for _, f := range c.faces {
		if f.Quality.Detection >= s.Alone && !s.Cascade.alike(faces, f) {
			faces = append(faces, f)
		}
	}
	front, behind := s.Cascade.inFront(faces)
	c.faces, c.background = front, append(c.background, behind...)
	return c, true, nil
}
