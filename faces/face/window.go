package face

import (
	"cmp"
	"image"
	"math"
	"slices"
)

// A window is a square of the photograph that shows a face.
type window struct {
	Point         // its centre
	side  float64 // pixels
	angle float64 // by which the face is turned, radians, clockwise
	score float64
}

func (w window) box(in image.Rectangle) image.Rectangle {
	half := w.side / 2
	return image.Rect(int(math.Floor(w.X-half)), int(math.Floor(w.Y-half)), int(math.Ceil(w.X+half)), int(math.Ceil(w.Y+half))).Intersect(in)
}

// windows returns the faces that the cascade finds in v, a view of a photograph, in it,
// surest first.
func (f Finder) windows(v view, photo image.Rectangle, minSide, score float64) []window {
	longest := max(v.Rect.Dx(), v.Rect.Dy())
	hits := f.hits(v, photo, max(f.MinSide, int(math.Ceil(minSide*float64(longest)))), min(v.Rect.Dx(), v.Rect.Dy()))
	var found []window
	for _, w := range f.grouped(hits) {
		if w.score < score || len(found) > 0 && w.score < f.Other {
			break // they come surest first
		}
		if !f.part(found, w) {
			found = append(found, w)
		}
	}
	for i := range found {
		w := &found[i]
		w.Point = v.back.at(w.X, w.Y)
		w.side *= v.back.scale()
		w.angle = math.Atan2(v.back.b, v.back.a)
	}
	return found
}

// grouped joins the hits on one face: each to the surest hit that it
// overlaps. Their places are means weighted by score, and their
// scores add up. Pigo's ClusterDetections counts a hit in several faces and
// rounds to whole pixels.
func (f Finder) grouped(hits []hit) []window {
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.side, a.side), cmp.Compare(a.row, b.row), cmp.Compare(a.col, b.col))
	})
	var seeds, sums []window
	for _, h := range hits {
		w := window{Point: Point{float64(h.col) + 0.5, float64(h.row) + 0.5}, side: float64(h.side), score: float64(h.score)}
		i := slices.IndexFunc(seeds, func(s window) bool { return s.overlap(w) >= f.Overlap })
		if i < 0 {
			i = len(seeds)
			seeds, sums = append(seeds, w), append(sums, window{})
		}
		s := &sums[i]
		s.X += w.score * w.X
		s.Y += w.score * w.Y
		s.side += w.score * w.side
		s.score += w.score
	}
	for i := range sums {
		s := &sums[i]
		s.X, s.Y, s.side = s.X/s.score, s.Y/s.score, s.side/s.score
	}
	slices.SortStableFunc(sums, func(a, b window) int { return cmp.Compare(b.score, a.score) })
	return sums
}

// part reports whether w is a part of one of the faces found, as a mouth or a
// neck, or contains one, and is much less sure than that.
func (f Finder) part(found []window, w window) bool {
	return slices.ContainsFunc(found, func(s window) bool {
		dx, dy := math.Abs(w.X-s.X), w.Y-s.Y
		of := dx < s.side/2 && dy > -s.side/2 && dy < s.side
		around := dx < w.side/2 && math.Abs(dy) < w.side/2
		return w.score < f.Rival*s.score && (of || around)
	})
}

// overlap returns the intersection over the union of two upright windows.
func (w window) overlap(o window) float64 {
	common := func(a, b float64) float64 {
		return max(0, min(a+w.side/2, b+o.side/2)-max(a-w.side/2, b-o.side/2))
	}
	both := common(w.X, o.X) * common(w.Y, o.Y)
	return both / (w.side*w.side + o.side*o.side - both)
}
