package face

import (
	"context"
	"image"

	"nrdl.example/nrdl/dataset"
)

// SightingOptions say where the landmarks of a face can be in a network's detection. Residuals
// are distances of five landmarks from those of the mean face, in eye distances.
type SightingOptions struct {
	LeastOfBox, MostOfBox float64 // eye distance, a share of the longer side of the box
	MostResidual          float64 // root of the mean square
	Beyond                float64 // of an eye outside of the photograph, in eye distances, at most
	Scale                 float64 // factor from the score of a network to Quality.Detection

	// The network of 68 landmarks sees a square with sides of Side eye distances about a point
	// Below the eyes. It looks again where it moved the pupils by more than Settled eye
	// distances, Looks times at most. Its landmarks are taken if they put the pupils no farther
	// than Near eye distances from where the detector has them: under a mask they lie elsewhere.
	Side    float64
	Below   float64
	Settled float64
	Looks   int
	Near    float64
}

// DefaultSighting is for the detector of DefaultSearch.
var DefaultSighting = SightingOptions{
	LeastOfBox: 0.1, MostOfBox: 0.8, MostResidual: 0.35, Beyond: 0.25, Scale: 100,
	Side: 2.4, Below: 0.6, Settled: 0.1, Looks: 3, Near: 0.4,
}

// faceOf returns the face of the detection d in photo. Not ok: it has no eyes where those
// of a face can be.
func (s *Search) faceOf(ctx context.Context, photo *dataset.Photo, d Detection) (f Face, ok bool, err error) {
	o, img := s.Sighting, photo.Grey
	side := max(d.Box.width(), d.Box.height())
	five, err := s.landmarks(ctx, photo, d)
	if err != nil || five == nil {
		return f, false, err
	}
	p, residual := pupilsOf(five)
	apart := p[0].to(p[1])
	if residual > o.MostResidual || apart < o.LeastOfBox*side || apart > o.MostOfBox*side || !inside(middle(p), img.Rect) || !o.within(five[0], apart, img.Rect) || !o.within(five[1], apart, img.Rect) {
		return f, false, nil
	}
	f.Aligned, f.Pupils, f.Landmarks = p, [2]Point{five[0], five[1]}, [5]Point(five)
	half := side / 2
	c := d.Box.centre()
	f.Box = window{c, 2 * half}.box(img.Rect)
	f.Quality = s.Measure.of(img, f.Pupils, o.Scale*min(1, d.Score))
	return f, true, nil
}

// within reports whether an eye at p is in r, or hardly outside; apart is the eye distance.
func (o SightingOptions) within(p Point, apart float64, r image.Rectangle) bool {
	return inside(p, r.Inset(-int(o.Beyond*apart)))
}

// landmarks returns the five landmarks of the detection d: those of the network of landmarks, or
// where these are not near, its own, at the angle at which the detector is surest of it. They are nil
// if they are not those of a face.
func (s *Search) landmarks(ctx context.Context, photo *dataset.Photo, d Detection) ([]Point, error) {
	o := s.Sighting
	if len(d.Landmarks) != len(fiveMean) {
		all, err := landmarks68(ctx, photo, d.Box.centre(), max(d.Box.width(), d.Box.height()), d.Angle)
		if err != nil || all == nil {
			return nil, err
		}
		d.Landmarks = fivePoints(all)
	}
	five, agree, err := o.checked(ctx, photo, d.Landmarks)
	if err != nil || five == nil || agree || s.net.kind != yunetFormat.name {
		return five, err
	}
	colours := s.patch(photo, d)
	level, _, err := s.Confirm.level(d.Angle, func(angle float64) (Detection, error) { return s.again(ctx, colours, d, s.Confirm.Turned, angle) })
	if err != nil || level.Score == 0 {
		return five, err
	}
	again, _, err := o.checked(ctx, photo, level.Landmarks)
	if again == nil {
		again = five
	}
	return again, err
}

// checked returns what the network of landmarks makes of own, if both agree; or else own, if that has the
// shape of a face.
func (o SightingOptions) checked(ctx context.Context, photo *dataset.Photo, own []Point) (five []Point, agree bool, err error) {
	p, residual := pupilsOf(own)
	if residual > o.MostResidual {
		return nil, false, nil
	}
	five, err = o.landmarksAt(ctx, photo, p)
	if err != nil || five == nil {
		return own, false, err
	}
	if q, off := pupilsOf(five); off > o.MostResidual || max(p[0].to(q[0]), p[1].to(q[1])) > o.Near*p[0].to(p[1]) {
		return own, false, nil
	}
	return five, true, nil
}
