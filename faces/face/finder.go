package face

import (
	"context"
	"image"
	"math"

	"nrdl.example/nrdl/faces/dataset"
)

// A Finder has the parameters of face detection by the cascade. It is safe for concurrent
// use.
type Finder struct {
	Side int // longest side of the image that the cascade runs over; larger photographs are reduced to it

	// The window of the cascade.
	MinShare float64 // smallest side, a share of the longest side of the photograph
	// longest side from which a photograph is searched again at twice the resolution, for faces of half
	// the size and in the background
	Fine      int
	FineShift float64 // step of the window in that second search, a share of its side: small windows are many
	MinSide   int     // smallest side in pixels
	Shift     float64 // step, a share of its side
	Scale     float64 // ratio of one side to the next smaller one
	Overlap   float64 // intersection over union of two windows, from which they show one face

	// The score of a face is the sum of the scores of the windows that show it.
	Score  float64 // lowest score
	Other  float64 // lowest score of a face beside a surer one, or cut by the edge
	Rival  float64 // lowest score of a face in front of or just below a surer one, a share of that one's score
	Sure   float64 // score from which no face is searched for that is cut by the edge or turned
	Turned float64 // lowest score of a turned face, in scores of the surest upright one; it must reach Sure too

	// The closer look, at a small copy of a photograph in which no upright face is
	// found: in steps of half the size, for a face that fills much of it.
	CloseSide   int     // longest side of the copy; 0 for no closer look
	CloseLeast  float64 // smallest side of the window, a share of the longest side of the photograph
	CloseSpread float64 // replaces Spread

	Background float64   // faces with less than this share of the largest eye distance are in the background
	Margin     float64   // by which a photograph is continued, a share of its sides, to find a face cut by the edge
	Turns      []float64 // angles of faces that are turned, degrees

	PupilOptions
	OneFaceOptions
	Measure QualityOptions

	coarse int // trees that a window of every second row and column has to pass for those beside it to be looked at; 0: all windows are
}

// DefaultFinder suits photographs of people. It was tried on 1896 photographs of Georgia Tech
// and LFW, which show one main face each. It finds no face in 7 of them, and a second face in
// 16; one of these is a necktie, the others are real faces. Of the detected faces, 1 % have a
// score below 13; the lowest is 5. False detections outside the faces have scores below 8 in
// upright photographs, and up to 45 in turned ones.
var DefaultFinder = Finder{
	Side: 640, Fine: 1600, FineShift: 0.14, MinShare: 1. / 16, MinSide: 24, Shift: 0.1, Scale: 1.1, Overlap: 0.2,
	Score: 4, Other: 10, Rival: 0.25, Sure: 25, Turned: 5,
	CloseSide: 160, CloseLeast: 0.25, CloseSpread: 0.2,
	Background: 0.5, Margin: 0.2, Turns: []float64{30, -30, 60, -60, 90, -90, 120, -120, 150, -150, 180},
	PupilOptions: DefaultPupils, OneFaceOptions: DefaultOneFace, Measure: DefaultQuality,
}

// Find returns the faces in img, which is upright, the largest eye distance
// first. If no whole face is certain, it also searches for faces cut by the
// edge of the photograph; both pupils must be inside. If no face is found, it
// searches a small copy more closely. If still no face is certain, it turns the
// photograph; Quality then has the angle.
func (f Finder) Find(img *image.Gray) []Face {
	return f.find(newPicture(&dataset.Photo{Grey: img})).faces
}

// find is Find, with faces in the background.
func (f Finder) find(p *picture) candidates {
	if f.tooSmall(p.Grey) {
		return candidates{}
	}
	c, _, _ := find(context.Background(), p, []stage{uprightStage{f, f.enough}, edgeStage{f}, closerStage{f}, turnsStage{f}},
		candidates{}) // the cascade has no errors
	return c
}

// enough reports whether one of faces is so sure that no other way of searching is needed.
func (f Finder) enough(_ *picture, faces []Face) bool { return surest(faces) >= f.Sure }

// tooSmall reports whether img has no room for a face.
func (f Finder) tooSmall(img *image.Gray) bool {
	return img.Rect.Dx() < f.MinSide || img.Rect.Dy() < f.MinSide
}

// Detect implements BoxDetector. The landmarks are the pupils.
func (f Finder) Detect(_ context.Context, photo *dataset.Photo) ([]Detection, error) {
	return detections(f.Find(photo.Grey)), nil
}

func detections(faces []Face) []Detection {
	found := make([]Detection, len(faces))
	for i, f := range faces {
		found[i] = Detection{Box: boxOf(f.Box), Score: f.Quality.Detection, Angle: f.Quality.Angle * math.Pi / 180, Landmarks: f.Pupils[:]}
	}
	return found
}

// facesIn returns the faces of the photograph img that the cascade finds in v,
// largest first, without those in the background.
func (f Finder) facesIn(img *image.Gray, v view, minSide, score float64) []Face {
	faces, _ := f.inFront(f.allIn(img, v, minSide, score))
	return faces
}

// allIn returns all faces of the photograph img that the cascade finds in v.
func (f Finder) allIn(img *image.Gray, v view, minSide, score float64) []Face {
	var faces []Face
	for _, w := range f.windows(v, img.Rect, minSide, score) {
		if p, ok := f.pupils(img, w); ok && !f.seen(faces, p) {
			faces = append(faces, Face{Box: w.box(img.Rect), Pupils: p, Quality: f.Measure.of(img, p, w.score)})
		}
	}
	return faces
}

// inFront sorts faces, the largest first, and separates those in the background.
func (f Finder) inFront(faces []Face) (front, behind []Face) {
	f.bySize(faces)
	n := 0
	for n < len(faces) && f.size(faces[n]) >= f.Background*f.size(faces[0]) {
		n++
	}
	return faces[:n:n], faces[n:]
}
