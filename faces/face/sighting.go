package face

import (
	"context"
	"image"
	"math"
	"slices"

	"nrdl.example/nrdl/faces/dataset"
)

// A sighting is a face that networks found in one or more looks at a photograph.
type sighting struct {
	Face
	sum float64 // of the scores, one a look
}

// SightingOptions say where the eyes of a face can be in a network's detection. Residuals
// are distances of five landmarks from those of the mean face, in eye distances.
type SightingOptions struct {
	MinShare, MaxShare float64 // eye distance, a share of the longer side of the box
	MaxResidual        float64 // root of the mean square
	MaxTilt            float64 // angle between the eyes and the box, radians
	NearEye            float64 // of a pupil that the cascade finds from the middle of the eye's corners and lids, in eye distances
	Near               float64 // of each eye in two looks, in eye distances, below which they show one face
	Scale              float64 // score of the cascade that compares to a score of 1 of a network

	// The network of landmarks sees a square with sides of Side eye distances about a point
	// Below the eyes. It looks again where it moved the pupils by more than Settled eye
	// distances, Looks times at most.
	Side    float64
	Below   float64
	Settled float64
	Looks   int

	// Of a face that the quick look of the tiny detector finds, the network of landmarks sees one
	// square: its side is Square of that of the box, and its middle lies Aside to the right of that
	// of the box and Higher, in shares of the side of the box.
	// Where the eyes that it shows are nearer than Wide, a share of the longer side of the box, it
	// looks as at any other face: a face that is upside down may seem to be so narrow a one.
	Square float64
	Aside  float64
	Higher float64
	Wide   float64
}

// DefaultSighting is for the detectors of DefaultSearch. Square, Aside and Higher are those of the
// squares that landmarks settle in, the median of the photographs of LFW's cohort; 0.7 and 0.9 in
// place of 0.8 are as good. Of 392 upright faces of LFW with several photographs, 3 % are narrower
// than Wide, and of 91 that are upside down and look certain all but 4.
var DefaultSighting = SightingOptions{
	MinShare: 0.15, MaxShare: 0.8, MaxResidual: 0.35, MaxTilt: DefaultPupils.MaxTilt,
	NearEye: 0.2, Near: 0.35, Scale: 100,
	Side: 2.4, Below: 0.6, Settled: 0.1, Looks: 3,
	Square: 0.8, Aside: 0.035, Higher: 0.026, Wide: 0.25,
}

// faceOf returns the face of the detection d in photo. Not ok: it has no eyes where those
// of a face can be.
func (s *Search) faceOf(ctx context.Context, photo *dataset.Photo, d Detection) (f Face, ok bool, err error) {
	o, img := s.Sighting, photo.Grey
	side := max(d.Box.width(), d.Box.height())
	five, err := o.landmarks(ctx, photo, d)
	if err != nil || five == nil {
		return f, false, err
	}
	p, residual := pupilsOf(five)
	apart := p[0].to(p[1])
	tilt := math.Atan2(p[1].Y-p[0].Y, p[1].X-p[0].X) - d.Angle
	if residual > o.MaxResidual || apart < o.MinShare*side || apart > o.MaxShare*side ||
		math.Abs(math.Remainder(tilt, 2*math.Pi)) > o.MaxTilt || !inside(middle(p), img.Rect) {
		return f, false, nil
	}
	f.Aligned, f.Pupils, f.Landmarks = p, [2]Point{five[0], five[1]}, [5]Point(five)
	if s.exact {
		if exact, ok := s.Cascade.pupils(img, s.Cascade.windowOf(p)); ok && max(exact[0].to(five[0]), exact[1].to(five[1])) < o.NearEye*apart {
			f.Pupils = exact
		}
	}
	half := side / 2
	c := d.Box.centre()
	f.Box = image.Rect(int(c.X-half), int(c.Y-half), int(math.Ceil(c.X+half)), int(math.Ceil(c.Y+half))).Intersect(img.Rect)
	f.Quality = s.Cascade.Measure.of(img, f.Pupils, o.Scale*d.Score)
	return f, true, nil
}

// landmarks returns the five landmarks of the detection d, which are searched for if its
// detector has none; nil if they are not those of a face.
func (o SightingOptions) landmarks(ctx context.Context, photo *dataset.Photo, d Detection) ([]Point, error) {
	if len(d.Landmarks) == len(fiveMean) {
		return d.Landmarks, nil
	}
	all, err := landmarks68(ctx, photo, d.Box.centre(), max(d.Box.width(), d.Box.height()), d.Angle)
	if err != nil || all == nil {
		return nil, err
	}
	p, residual := pupilsOf(fivePoints(all))
	if residual > o.MaxResidual {
		return nil, nil
	}
	return o.landmarksAt(ctx, photo, p)
}

// inBox returns five landmarks of the detection d of the tiny detector, by one look; nil if one is
// not enough.
func (o SightingOptions) inBox(ctx context.Context, photo *dataset.Photo, d Detection) ([]Point, error) {
	side := max(d.Box.width(), d.Box.height())
	centre := about(0, 0, side, d.Angle, d.Box.centre()).at(o.Aside, -o.Higher)
	all, err := landmarks68(ctx, photo, centre, o.Square*side, d.Angle)
	if err != nil || all == nil {
		return nil, err
	}
	five := fivePoints(all)
	if p, _ := pupilsOf(five); p[0].to(p[1]) < o.Wide*side {
		return nil, nil
	}
	return five, nil
}

// near reports whether a face with the eyes at p is f, turned alike.
func (o SightingOptions) near(f Face, p [2]Point) bool {
	reach := o.Near * max(f.Aligned[0].to(f.Aligned[1]), p[0].to(p[1]))
	return f.Aligned[0].to(p[0]) < reach && f.Aligned[1].to(p[1]) < reach
}

// add adds what a detector has found in p to the sightings of c, unless it failed with err.
func (s *Search) add(ctx context.Context, p *picture, c *candidates, found []Detection, err error) error {
	if err == nil {
		c.sightings, err = s.with(ctx, p.Photo, c.sightings, found)
	}
	return err
}

// with returns all with the detections of one look at photo added. A face counts once a
// look; of several looks, the detection with the highest score gives its place.
func (s *Search) with(ctx context.Context, photo *dataset.Photo, all []sighting, found []Detection) ([]sighting, error) {
	all = slices.Clone(all)
	counted := map[int]bool{}
	for _, d := range found {
		f, ok, err := s.faceOf(ctx, photo, d)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		i := slices.IndexFunc(all, func(o sighting) bool { return s.Sighting.near(o.Face, f.Aligned) })
		switch {
		case i < 0:
			i = len(all)
			all = append(all, sighting{Face: f})
		case counted[i]:
			continue
		case f.Quality.Detection > all[i].Quality.Detection:
			all[i].Face = f
		}
		all[i].sum += d.Score
		counted[i] = true
	}
	return all, nil
}
