package face

import (
	"cmp"
	"context"
	"image"
	"math"
	"slices"

	"nrdl.example/nrdl/dataset"
)

// A gathering are the faces that networks see in a photograph.
type gathering struct {
	*Search
	photo *dataset.Photo
	faces []Face
	sums  []float64 // of the scores of each
}

// network asks the network about the upright photograph. If it confirms a face of the
// cascade that is sure, this is all; if it sees no upright face well that the cascade sees
// too, it is asked about the turned photograph: an upside down face can look upright to
// either, but not at the same place.
func (g *gathering) network(ctx context.Context, byCascade []Face) (confirmed bool, err error) {
	d, ok := g.Network.(NetDetector)
	if !ok {
		found, err := g.Network.Detect(ctx, g.photo)
		if err != nil {
			return false, err
		}
		return false, g.add(ctx, found)
	}
	seen := d.reduce(g.photo, g.photo.Grey.Rect)
	look := func(degrees float64) error {
		found, err := seen.turned(ctx, degrees)
		if err != nil {
			return err
		}
		return g.add(ctx, found)
	}
	if err := look(0); err != nil {
		return false, err
	}
	upright := !g.First && slices.ContainsFunc(g.sums, func(v float64) bool { return v >= g.Upright })
	for i, f := range g.faces {
		for _, o := range byCascade {
			if f.near(o.Pupils) {
				upright = upright || g.sums[i] >= g.Upright
				confirmed = confirmed || g.sums[i] >= g.Sure && o.Quality.Detection >= g.Cascade.Sure
			}
		}
	}
	if upright || confirmed {
		return confirmed, nil
	}
	for _, degrees := range g.Turns {
		if err := look(degrees); err != nil {
			return false, err
		}
	}
	return false, nil
}

// turned returns the faces that the cascade is sure of where the network is certain of
// turned ones: their pupils are then found as those of upright faces. Others that are
// turned alike count if the network confirms them.
func (g *gathering) turned(ctx context.Context, small view) (faces []Face, err error) {
	const least = 20 // degrees
	var angles []float64
	for i, f := range g.faces {
		if angle := math.Round(f.Quality.Angle); g.sums[i] >= g.Sure && math.Abs(angle) >= least {
			for _, one := range g.Cascade.facesIn(g.photo.Grey, small.turned(angle), g.Cascade.Least, g.Cascade.Sure) {
				if f.near(one.Pupils) {
					faces = append(faces, one)
				}
			}
			if !slices.ContainsFunc(angles, func(a float64) bool { return math.Abs(math.Remainder(a-angle, 360)) < least }) {
				angles = append(angles, angle)
			}
		}
	}
	more, err := g.atAngles(ctx, small, angles)
	for _, f := range more {
		if !alike(faces, f) {
			faces = append(faces, f)
		}
	}
	return faces, err
}

// atAngles returns the faces that are turned by these angles, in degrees. The cascade finds
// them, and the network has to confirm each. The network looks at the surroundings of one
// face at a time, since it does not see small faces in the whole photograph.
func (g *gathering) atAngles(ctx context.Context, small view, angles []float64) (faces []Face, err error) {
	d, ok := g.Network.(NetDetector)
	if !ok {
		return nil, nil
	}
	for _, degrees := range angles {
		all := g.Cascade.allIn(g.photo.Grey, small.turned(degrees), g.Cascade.Least, g.Cascade.Sure)
		slices.SortStableFunc(all, func(a, b Face) int { return cmp.Compare(b.Quality.Detection, a.Quality.Detection) })
		for _, f := range all[:min(len(all), g.Checked)] {
			if alike(faces, f) {
				continue
			}
			around := window{Point: middle(f.Pupils), side: g.Around * f.Quality.Eyes}.box(g.photo.Grey.Rect)
			found, err := d.reduce(g.photo, around).turned(ctx, degrees)
			if err != nil {
				return nil, err
			}
			for _, one := range found {
				if one.Score < g.Sure {
					continue
				}
				seen, ok, err := g.faceOf(ctx, g.photo, one)
				if err != nil {
					return nil, err
				}
				if ok && seen.near(f.Pupils) {
					faces = append(faces, f)
					break
				}
			}
		}
	}
	return faces, nil
}

// last asks the last detector about the photograph and, where faces are far, about those
// of its parts in which something small is a little like a face.
func (g *gathering) last(ctx context.Context, byCascade []Face, far bool) error {
	d, ok := g.Last.(NetDetector)
	if !ok {
		found, err := g.Last.Detect(ctx, g.photo)
		if err != nil {
			return err
		}
		return g.add(ctx, found)
	}
	hinting := d
	hinting.Least = min(d.Least, g.Hint)
	found, err := hinting.Detect(ctx, g.photo)
	if err != nil {
		return err
	}
	size := g.photo.Grey.Rect.Size()
	var hints []Point
	for _, f := range byCascade {
		hints = append(hints, middle(f.Pupils))
	}
	for _, one := range found {
		if one.Box.width() < g.Small*float64(max(size.X, size.Y)) {
			hints = append(hints, one.Box.centre())
		}
	}
	found = slices.DeleteFunc(found, func(one Detection) bool { return one.Score < d.Least })
	if err := g.add(ctx, found); err != nil || !far {
		return err
	}
	w, h := float64(size.X)/float64(g.Tiles), float64(size.Y)/float64(g.Tiles)
	for i := range g.Tiles * g.Tiles {
		x, y := w*float64(i%g.Tiles), h*float64(i/g.Tiles)
		if !slices.ContainsFunc(hints, func(p Point) bool { return p.X >= x && p.X <= x+w && p.Y >= y && p.Y <= y+h }) {
			continue
		}
		part := image.Rect(int(x-g.Beside*w), int(y-g.Beside*h), int(x+(1+g.Beside)*w), int(y+(1+g.Beside)*h)).Intersect(g.photo.Grey.Rect)
		found, err := d.reduce(g.photo, part).turned(ctx, 0)
		if err == nil {
			err = g.add(ctx, found)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// add adds what a detector found in a look at the photograph.
func (g *gathering) add(ctx context.Context, found []Detection) error {
	counted := map[int]bool{} // a face counts once
	for _, one := range found {
		f, ok, err := g.faceOf(ctx, g.photo, one)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		i := slices.IndexFunc(g.faces, func(o Face) bool { return o.near(f.Aligned) })
		switch {
		case i < 0:
			i = len(g.faces)
			g.faces, g.sums = append(g.faces, f), append(g.sums, 0)
		case counted[i]:
			continue
		case f.Quality.Detection > g.faces[i].Quality.Detection:
			g.faces[i] = f
		}
		g.sums[i] += one.Score
		counted[i] = true
	}
	return nil
}

// near reports whether a face with the eyes at p is this one, turned alike.
func (f Face) near(p [2]Point) bool {
	const share = 0.35 // of the eye distance
	reach := share * max(f.Aligned[0].to(f.Aligned[1]), p[0].to(p[1]))
	return f.Aligned[0].to(p[0]) < reach && f.Aligned[1].to(p[1]) < reach
}

func (g *gathering) certain() bool {
	return slices.ContainsFunc(g.sums, func(v float64) bool { return v >= g.Sure })
}

// with returns the faces that were gathered, and those of the cascade that are elsewhere
// and sure enough, or that the networks did not see well enough alone.
func (g *gathering) with(byCascade []Face) []Face {
	order := make([]int, len(g.faces))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(g.sums[b], g.sums[a]) })
	least, most := g.Least, 0.
	if len(order) > 0 {
		most = g.sums[order[0]]
	}
	if most >= g.Sure {
		least = max(g.Sure, g.Cascade.Rival*most)
	}
	var faces []Face
	for _, i := range order {
		f := g.faces[i]
		if k := slices.IndexFunc(byCascade, func(o Face) bool { return o.Quality.Detection >= g.Cascade.Sure && f.near(o.Pupils) }); k >= 0 {
			f = byCascade[k]
		} else {
			f.Quality.Detection = networkScale * min(1, g.sums[i])
		}
		confirmed := slices.ContainsFunc(byCascade, func(o Face) bool { return alike([]Face{o}, f) })
		if (g.sums[i] >= least || confirmed && most < g.Sure) && !alike(faces, f) {
			faces = append(faces, f)
		}
	}
	for _, f := range byCascade {
		if f.Quality.Detection >= g.Alone && !alike(faces, f) {
			faces = append(faces, f)
		}
	}
	return faces
}
