package face

import (
	"context"
	"math"

	"nrdl.example/nrdl/faces/dataset"
)

// The 68 landmarks by number: the eyes, the tip of the nose and the corners of the
// mouth.
const (
	leftEye, rightEye, eyePoints   = 36, 42, 6
	noseTip, mouthLeft, mouthRight = 30, 48, 54
)

// fivePoints are the middles of the eyes, the tip of the nose and the corners of the
// mouth among 68 landmarks.
func fivePoints(all []Point) []Point {
	return []Point{mean(all[leftEye:][:eyePoints]), mean(all[rightEye:][:eyePoints]), all[noseTip], all[mouthLeft], all[mouthRight]}
}

func mean(points []Point) (m Point) {
	for _, p := range points {
		m.X += p.X / float64(len(points))
		m.Y += p.Y / float64(len(points))
	}
	return m
}

// fiveMean are the landmarks of dataset.MeanFace.
var fiveMean = pointsOf(dataset.MeanFace, 1, 1)

// pointsOf are the landmarks t in a face of this width and height.
func pointsOf(t dataset.Landmarks, width, height float64) []Point {
	points := make([]Point, len(t))
	for i, p := range t {
		points[i] = Point{p[0] * width, p[1] * height}
	}
	return points
}

// pupilsOf fits the mean face to five points by least squares. It returns the pupils of the
// fitted mean face, and the root of the mean square distance of the points from it, in eye
// distances.
func pupilsOf(five []Point) ([2]Point, float64) {
	s := fitted(fiveMean, five)
	var squares float64
	for i, p := range fiveMean {
		d := s.at(p.X, p.Y).to(five[i])
		squares += d * d / float64(len(five))
	}
	return [2]Point{s.at(-0.5, 0), s.at(0.5, 0)}, math.Sqrt(squares) / s.scale()
}

// fitted returns the similarity that maps the points from to the points to, by least squares.
func fitted(from, to []Point) similarity {
	cf, ct := mean(from), mean(to)
	var a, b, n float64
	for i, p := range from {
		x, y := p.X-cf.X, p.Y-cf.Y
		u, v := to[i].X-ct.X, to[i].Y-ct.Y
		a += x*u + y*v
		b += x*v - y*u
		n += x*x + y*y
	}
	return about(cf.X, cf.Y, math.Hypot(a, b)/n, math.Atan2(b, a), ct)
}

// landmarksAt returns five landmarks of the face whose pupils are near p. Each look is in the
// square that the landmarks of the one before make level.
func (o SightingOptions) landmarksAt(ctx context.Context, photo *dataset.Photo, p [2]Point) ([]Point, error) {
	var five []Point
	for range o.Looks {
		angle := math.Atan2(p[1].Y-p[0].Y, p[1].X-p[0].X)
		d := p[0].to(p[1])
		all, err := landmarks68(ctx, photo, about(0, 0, d, angle, middle(p)).at(0, o.Below), o.Side*d, angle)
		if err != nil || all == nil {
			return nil, err
		}
		five = fivePoints(all)
		before := p
		p, _ = pupilsOf(five)
		if max(before[0].to(p[0]), before[1].to(p[1])) < o.Settled*d {
			break
		}
	}
	return five, nil
}

// five returns five landmarks of the face f in photo: those that were found with it, or that the
// network of landmarks finds at its pupils. Where these do not fit a mean face, they are
// those of the mean face with the pupils of f.
func (o SightingOptions) five(ctx context.Context, photo *dataset.Photo, f Face) ([]Point, error) {
	if f.Landmarks != ([5]Point{}) {
		return f.Landmarks[:], nil
	}
	five, err := o.landmarksAt(ctx, photo, f.Pupils)
	if err != nil {
		return nil, err
	}
	if five != nil {
		if _, off := pupilsOf(five); off <= o.MaxResidual {
			return five, nil
		}
	}
	p := f.alignment()
	to := about(0, 0, p[0].to(p[1]), math.Atan2(p[1].Y-p[0].Y, p[1].X-p[0].X), middle(p))
	five = make([]Point, len(fiveMean))
	for i, m := range fiveMean {
		five[i] = to.at(m.X, m.Y)
	}
	return five, nil
}

// alignment returns the pupils by which f is aligned for a network: those of the fitted mean
// face if landmarks were searched for, or else the pupils themselves.
func (f Face) alignment() [2]Point {
	if f.Aligned != ([2]Point{}) {
		return f.Aligned
	}
	return f.Pupils
}

// Turn returns how far the head of f is turned to the side in photo: the distance of the tip
// of the nose from the line between the middle of the eyes and the middle of the mouth. Its
// unit is the eye distance, and it is positive to the right of the photograph. It is 0 for a
// frontal face, and about 0.2 for a head that is turned by 30 degrees. ok is false if no
// landmarks of a face are found.
func (s *Search) Turn(ctx context.Context, photo *dataset.Photo, f Face) (turn float64, ok bool, err error) {
	five, err := s.Sighting.landmarksAt(ctx, photo, f.Pupils)
	if err != nil || five == nil {
		return 0, false, err
	}
	_, off := pupilsOf(five)
	return sideways(five), off <= s.Sighting.MaxResidual, nil
}

// sideways is the distance of the nose from the line between the middle of the eyes and
// the middle of the mouth, in eye distances.
func sideways(five []Point) float64 {
	eyes, mouth := mean(five[:2]), mean(five[3:])
	dx, dy := mouth.X-eyes.X, mouth.Y-eyes.Y
	nose := five[2]
	return (dy*(nose.X-eyes.X) - dx*(nose.Y-eyes.Y)) / math.Hypot(dx, dy) / five[0].to(five[1])
}
