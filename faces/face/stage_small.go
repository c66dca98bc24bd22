package face

import (
	"context"
	"image"
	"slices"
)

// SmallOptions are the numbers of the search for small faces. In a large photograph with small faces
// only, or none, the last detector runs on each part, since the whole photograph is reduced too much for it.
type SmallOptions struct {
	Far    float64 // distance of the eyes below which faces are small, a share of the longest side of the photograph
	Tiles  int     // number of parts across, and down
	Tiled  int     // longest side from which a photograph is large, pixels
	Beside float64 // how much of its side each part shares with the next, so that no face is cut in each
	Hint   float64 // score of the last detector, from 0 to 1, from which it runs on a part
	Small  float64 // largest width of the box then, a share of the longest side
}

var defaultSmall = SmallOptions{Far: 0.025, Tiles: 2, Tiled: 1000, Beside: 0.1, Hint: 0.035, Small: 0.2}

// smallStage runs the last detector, where no network is certain yet: on the photograph
// and, if its faces are far, on those of its parts in which something small is a little
// like a face.
type smallStage struct{ *Search }

func (s smallStage) find(ctx context.Context, p *picture, c candidates) (candidates, bool, error) {
	if s.Last == nil || s.networkCertain(c.sightings) {
		return c, false, nil
	}
	d, ok := s.Last.(NetDetector)
	if !ok {
		found, err := s.Last.Detect(ctx, p.Photo)
		err = s.add(ctx, p, &c, found, err)
		return c, false, err
	}
	if 2*longest(p.Grey) <= d.Side && d.net.size.Len() == 0 {
		d.Side /= 2 // enlarging shows no more
	}
	low := d
	low.MinScore = min(d.MinScore, s.Hint)
	found, err := low.Detect(ctx, p.Photo)
	if err != nil {
		return c, false, err
	}
	hints := s.hints(p, c.faces, found)
	found = slices.DeleteFunc(found, func(one Detection) bool { return one.Score < d.MinScore })
	if err := s.add(ctx, p, &c, found, nil); err != nil || !s.far(p.Grey, c.faces) {
		return c, false, err
	}
	for _, part := range s.parts(p.Grey.Rect, hints) {
		found, err := d.reduce(p.Photo, part).turned(ctx, 0)
		if err = s.add(ctx, p, &c, found, err); err != nil {
			return c, false, err
		}
	}
	return c, false, nil
}

// hints are the places where there may be small faces: those of the cascade, and of the
// small ones among found.
func (s smallStage) hints(p *picture, faces []Face, found []Detection) (hints []Point) {
	for _, f := range faces {
		hints = append(hints, middle(f.Pupils))
	}
	for _, one := range found {
		if one.Box.width() < s.Small*float64(longest(p.Grey)) {
			hints = append(hints, one.Box.centre())
		}
	}
	return hints
}

// parts are the parts of a photograph in which one of hints lies; they overlap.
func (s smallStage) parts(photo image.Rectangle, hints []Point) (parts []image.Rectangle) {
	w, h := float64(photo.Dx())/float64(s.Tiles), float64(photo.Dy())/float64(s.Tiles)
	for i := range s.Tiles * s.Tiles {
		x, y := w*float64(i%s.Tiles), h*float64(i/s.Tiles)
		if slices.ContainsFunc(hints, func(p Point) bool { return p.X >= x && p.X <= x+w && p.Y >= y && p.Y <= y+h }) {
			parts = append(parts, image.Rect(int(x-s.Beside*w), int(y-s.Beside*h), int(x+(1+s.Beside)*w), int(y+(1+s.Beside)*h)).Intersect(photo))
		}
	}
	return parts
}
