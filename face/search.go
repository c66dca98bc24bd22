package face

import (
	"cmp"
	"context"
	"image"
	"math"
	"slices"

	"nrdl.example/nrdl/dataset"
)

// A Search finds the faces in photographs, and the pupils in each: by the cascade where
// it is sure, and otherwise by networks. It is safe for concurrent use.
//
// What a network detects is a face if five landmarks in it lie as those of a face do;
// upside down they do not. Detections that lead to the same landmarks are of one face,
// and their scores add up.
type Search struct {
	Name    string // of the detector; of a network in a file, the name of that
	Digest  string // SHA-256 of that file, hexadecimal; "" for a detector that is built in
	path    string // of that file
	Cascade Finder
	First   bool    // the cascade decides where it is certain
	Certain float64 // score of the cascade from which no network is asked

	Network BoxDetector // nil: the cascade alone
	Upright float64     // score of an upright face that the cascade sees too, from which the network does not look at the turned photograph
	Turns   []float64   // by these angles, degrees
	Aside   []float64   // angles, degrees, of faces that are too small for that; the cascade has to be sure of them
	Checked int         // so many of them, the surest, are shown to the network at each angle
	Around  float64     // each in a square with this side about its eyes, in eye distances
	Sure    float64     // sum of the scores of a face from which it is certain
	Least   float64     // the same, of a face that is reported
	Last    BoxDetector // looks where no face is certain; nil: none
	Alone   float64     // score of the cascade for a face that no network sees

	// A large photograph with small faces only, or none, is looked at part by part.
	Far    float64 // distance of the eyes, a share of the longest side of the photograph, below which faces are small
	Tiles  int     // in so many parts across and down
	Tiled  int     // longest side from which, pixels
	Beside float64 // how much of its side each part shares with the next
	Hint   float64 // score of Last from which a part is looked at
	Small  float64 // the same: width of the box at most, a share of the longest side
}

// String is what OpenSearch takes for s; "" for nil.
func (s *Search) String() string {
	if s == nil {
		return ""
	}
	return cmp.Or(s.path, s.Name)
}

// networkScale is the score of the cascade that is taken for one of 1 of a network.
const networkScale = 100

// DefaultSearch is the cascade, then the tiny detector, which sees large faces that are
// covered, turned or cut by the edge, then SSD, which sees small ones.
var DefaultSearch = &Search{
	Name: "auto", Cascade: DefaultFinder, First: true, Certain: 60,
	Network: NetDetector{Side: 224, Border: 0.2, Overlap: 0.4, Least: 0.05, kind: tinyKind},
	Last:    NetDetector{Side: 512, Overlap: 0.4, Least: 0.1, kind: ssdKind},
	Turns:   []float64{30, -30, 60, -60, 90, -90, 120, -120, 150, -150, 180},
	Aside:   []float64{90, -90, 180}, Checked: 12, Around: 8,
	Upright: 0.8, Sure: 0.5, Least: 0.25, Alone: 16,
	Far: 0.025, Tiles: 2, Tiled: 1000, Beside: 0.1, Hint: 0.035, Small: 0.2,
}

// Find returns the faces in photo, the largest eye distance first, without those in the
// background (see Finder.Background). The error is that of ctx, or of a network.
func (s *Search) Find(ctx context.Context, photo *dataset.Photo) ([]Face, error) {
	faces, _, err := s.FindAll(ctx, photo)
	return faces, err
}

// FindAll is Find. Behind are faces in the background that are certain; they are only
// those that are seen on the way, and are not searched for.
func (s *Search) FindAll(ctx context.Context, photo *dataset.Photo) (faces, behind []Face, err error) {
	faces, behind, err = s.find(ctx, photo)
	if err != nil || len(faces) == 0 {
		return faces, nil, err
	}
	var left []Face
	for _, f := range behind {
		if f.Quality.Detection >= s.Cascade.Sure && f.Quality.Eyes < faces[0].Quality.Eyes && !alike(faces, f) && !alike(left, f) {
			left = append(left, f)
		}
	}
	return faces, left, nil
}

// find returns the faces in photo, and those in the background, some more than once.
func (s *Search) find(ctx context.Context, photo *dataset.Photo) (faces, behind []Face, err error) {
	img := photo.Grey
	if img.Rect.Dx() < s.Cascade.LeastSide || img.Rect.Dy() < s.Cascade.LeastSide {
		return nil, nil, nil
	}
	if s.Network == nil {
		faces, behind = s.Cascade.find(img)
		return faces, behind, nil
	}
	var small view
	var byCascade []Face
	if s.First {
		small = s.Cascade.overview(img)
		byCascade, behind = s.Cascade.upright(img, small)
	}
	sure := s.First && surest(byCascade) >= s.Certain
	if sure && !s.far(img, byCascade) {
		return byCascade, behind, nil
	}
	g := &gathering{Search: s, photo: photo}
	if !sure {
		confirmed, err := g.network(ctx, byCascade)
		if err != nil {
			return nil, nil, err
		}
		if confirmed && !s.far(img, byCascade) {
			return byCascade, behind, nil
		}
		switch {
		case !s.First:
		case g.certain():
			turned, err := g.turned(ctx, small)
			if err != nil {
				return nil, nil, err
			}
			byCascade = append(byCascade, turned...)
		default:
			if turned, err := g.atAngles(ctx, small, s.Aside); err != nil || len(turned) > 0 {
				faces, more := s.Cascade.inFront(turned)
				return faces, append(behind, more...), err
			}
			if byCascade = s.Cascade.further(img, small, byCascade); surest(byCascade) >= s.Certain && !s.far(img, byCascade) {
				return byCascade, behind, nil
			}
		}
	}
	if s.Last != nil && !g.certain() {
		if err := g.last(ctx, byCascade, s.far(img, byCascade)); err != nil {
			return nil, nil, err
		}
	}
	faces, more := s.Cascade.inFront(g.with(byCascade))
	return faces, append(behind, more...), nil
}

// far reports whether img is so large that parts of it tell more, and has small faces
// only, or none.
func (s *Search) far(img *image.Gray, faces []Face) bool {
	longest := max(img.Rect.Dx(), img.Rect.Dy())
	return longest >= s.Tiled && !slices.ContainsFunc(faces, func(f Face) bool { return f.Quality.Eyes >= s.Far*float64(longest) })
}

// sameFace is the intersection over union of two boxes from which they show one face:
// detectors draw their boxes differently.
const sameFace = 0.25

func alike(faces []Face, f Face) bool {
	return seen(faces, f.Pupils) || slices.ContainsFunc(faces, func(o Face) bool { return boxOf(o.Box).overlap(boxOf(f.Box)) >= sameFace })
}

func boxOf(r image.Rectangle) Box {
	return Box{float64(r.Min.X), float64(r.Min.Y), float64(r.Max.X), float64(r.Max.Y)}
}

// Where the eyes of a face can be that a network sees: their distance in shares of the
// longer side of the box, the angle between them and the box, and how far five
// landmarks are from those of the mean face at most, in eye distances.
const (
	leastOfBox, mostOfBox = 0.15, 0.8
	mostResidual          = 0.35
)

// faceOf returns the face that a network sees at d. Not ok: it has no eyes where those
// of a face can be.
func (s *Search) faceOf(ctx context.Context, photo *dataset.Photo, d Detection) (f Face, ok bool, err error) {
	img := photo.Grey
	side := max(d.Box.width(), d.Box.height())
	five := d.Landmarks
	if len(five) != len(fiveMean) {
		all, err := landmarks68(ctx, photo, d.Box.centre(), side, d.Angle)
		if err != nil || all == nil {
			return f, false, err
		}
		p, residual := pupilsOf(fivePoints(all))
		if residual > mostResidual {
			return f, false, nil
		}
		if five, err = landmarksAt(ctx, photo, p); err != nil || five == nil {
			return f, false, err
		}
	}
	p, residual := pupilsOf(five)
	apart := p[0].to(p[1])
	tilt := math.Atan2(p[1].Y-p[0].Y, p[1].X-p[0].X) - d.Angle
	if residual > mostResidual || apart < leastOfBox*side || apart > mostOfBox*side || math.Abs(math.Remainder(tilt, 2*math.Pi)) > mostTilt || !inside(middle(p), img.Rect) {
		return f, false, nil
	}
	f.Aligned, f.Pupils = p, [2]Point{five[0], five[1]}
	if exact, ok := s.Cascade.pupils(img, windowOf(p)); ok && max(exact[0].to(five[0]), exact[1].to(five[1])) < nearEyes*apart {
		f.Pupils = exact
	}
	half := side / 2
	c := d.Box.centre()
	f.Box = image.Rect(int(c.X-half), int(c.Y-half), int(math.Ceil(c.X+half)), int(math.Ceil(c.Y+half))).Intersect(img.Rect)
	f.Quality = measure(img, f.Pupils, networkScale*d.Score)
	return f, true, nil
}

// nearEyes is how far a pupil may be from the middle of the eye's corners and lids, in
// eye distances.
const nearEyes = 0.2

// lit returns c, brighter if the photograph is dark: its lightest pixels, but for one
// in a hundred, come near to white.
func (c channels) lit() channels {
	const share, light, dark = 0.99, 230, 140
	var counts [256]int
	n := len(c[1].Pix)
	for _, v := range c[1].Pix {
		counts[v]++
	}
	level, below := 0, counts[0]
	for below < int(share*float64(n)) {
		level++
		below += counts[level]
	}
	if level >= dark || level == 0 {
		return c
	}
	gain := min(8, light/float64(level))
	for k := range c {
		m := image.NewGray(c[k].Rect)
		for i, v := range c[k].Pix {
			m.Pix[i] = byte(min(255, gain*float64(v)))
		}
		c[k].Gray = m
	}
	return c
}

// Detect implements BoxDetector.
func (s *Search) Detect(ctx context.Context, photo *dataset.Photo) ([]Detection, error) {
	faces, err := s.Find(ctx, photo)
	found := detections(faces)
	slices.SortStableFunc(found, func(a, b Detection) int { return cmp.Compare(b.Score, a.Score) })
	return found, err
}
