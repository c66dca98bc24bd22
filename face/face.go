// Package face turns photographs into crops of faces: it finds the faces and
// their pupils, aligns the pupils to fixed positions, and measures the image
// quality of each face.
//
// Faces are found by the cascade of [pico] as pigo runs it, and pupils by the
// cascade of [puploc], in the files of pigo. The search is deterministic: a
// photograph gives the same faces on every run.
//
// Points are pixels of the upright photograph, x to the right and y down, from
// the top left corner. The centre of the first pixel is (0.5, 0.5).
//
// References:
//
//	[pico]   N. Markuš, M. Frljak, I. S. Pandžić, J. Ahlberg, R. Forchheimer.
//	         Object detection with pixel intensity comparisons organized in
//	         decision trees. arXiv:1305.4537, 2014.
//	[puploc] N. Markuš, M. Frljak, I. S. Pandžić, J. Ahlberg, R. Forchheimer.
//	         Eye pupil localization with an ensemble of randomized trees.
//	         Pattern Recognition 47, 578–587, 2014.
package face

import (
	"cmp"
	"context"
	"image"
	"math"
	"slices"

	"nrdl.example/nrdl/dataset"
)

// A Point is a position in the upright photograph, in pixels.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

func (p Point) to(q Point) float64 { return math.Hypot(q.X-p.X, q.Y-p.Y) }

// A Face is a face in a photograph.
type Face struct {
	Box     image.Rectangle `json:"box"`    // from the eyebrows to the chin, clipped to the photograph
	Pupils  [2]Point        `json:"pupils"` // for an upright face, first the left one in the photograph
	Quality dataset.Quality `json:"quality"`

	// Aligned are the pupils of the mean face whose five landmarks lie as near as
	// possible to those of this one; zero where landmarks were not looked for.
	Aligned [2]Point `json:"-"`
}

// A Finder has the parameters of face detection. It is safe for concurrent use.
type Finder struct {
	Side int // longest side of the image that the cascade runs over; larger photographs are reduced to it

	// The window of the cascade.
	Least     float64 // its least side, a share of the longest side of the photograph
	Fine      int     // longest side from which a photograph is looked at again at twice that size: for faces of half the size, and in the background
	FineShift float64 // step of the window then, a share of its side: small windows are many
	LeastSide int     // and in pixels
	Shift     float64 // step, a share of its side
	Scale     float64 // from one side to the next larger one
	Overlap   float64 // intersection over union of two windows, from which they show one face

	// The score of a face is the sum of the scores of the windows that show it.
	Score  float64 // least
	Other  float64 // least of a face beside a surer one, or cut by the edge
	Rival  float64 // least of a face before or just below a surer one, a share of the score of that
	Sure   float64 // below it a face may be cut by the edge, or the photograph turned
	Turned float64 // least of a face that is turned, in scores of the surest upright one; it is Sure too

	// The closer look, at a small copy of a photograph in which no upright face is
	// found: in steps of half the size, for a face that fills much of it.
	CloseSide   int     // longest side of the copy; 0 for no closer look
	CloseLeast  float64 // least side of the window, a share of the longest side of the photograph
	CloseSpread float64 // in place of Spread

	Background float64   // faces of less than this share of the eye distance of the largest are not reported
	Margin     float64   // by which a photograph is continued, a share of its sides, to find a face cut by the edge
	Turns      []float64 // angles of faces that are turned, degrees

	// Pupils.
	Patch  int     // pixels to which the side of a face is brought
	Starts int     // places from which a pupil is looked for; the median of where they lead counts
	Rounds int     // how often pupils are looked for, each time in the square that those before make level
	Spread float64 // most median distance from the median, a share of the eye distance
}

// DefaultFinder suits photographs of people. It was tried on 1896 photographs
// of Georgia Tech and LFW, which show one main face each. It finds no face in 7
// of them, and a second face in 16; one of these is a tie, the others are real
// faces. Of the detected faces, 1 % have a score below 13; the lowest is 5.
// False detections outside the faces have scores below 8 in upright photographs
// and up to 45 in turned ones.
var DefaultFinder = Finder{
	Side: 640, Fine: 1600, FineShift: 0.14, Least: 1. / 16, LeastSide: 24, Shift: 0.1, Scale: 1.1, Overlap: 0.2,
	Score: 4, Other: 10, Rival: 0.25, Sure: 25, Turned: 5,
	CloseSide: 160, CloseLeast: 0.25, CloseSpread: 0.2,
	Background: 0.5, Margin: 0.2, Turns: []float64{30, -30, 60, -60, 90, -90, 120, -120, 150, -150, 180},
	Patch: 160, Starts: 31, Rounds: 3, Spread: 0.14,
}

// Find returns the faces in img, which is upright, the largest eye distance
// first. If no whole face is certain, it also searches for faces cut by the
// edge of the photograph; both pupils must be inside. If no face is found, it
// searches a small copy more closely. If still no face is certain, it turns the
// photograph; Quality then has the angle.
func (f Finder) Find(img *image.Gray) []Face {
	faces, _ := f.find(img)
	return faces
}

// find is Find, with faces in the background.
func (f Finder) find(img *image.Gray) (faces, behind []Face) {
	if img.Rect.Dx() < f.LeastSide || img.Rect.Dy() < f.LeastSide {
		return nil, nil
	}
	small := f.overview(img)
	best, behind := f.upright(img, small)
	if surest(best) >= f.Sure {
		return best, behind
	}
	return f.further(img, small, best), behind
}

// upright returns the faces in img that are upright and not cut by the edge, and those of
// them in the background. Small is a smaller copy of img.
func (f Finder) upright(img *image.Gray, small view) (faces, behind []Face) {
	faces, behind = f.inFront(f.allIn(img, small, f.Least, f.Score))
	if max(img.Rect.Dx(), img.Rect.Dy()) >= f.Fine {
		var more []Face
		faces, more = f.withSmaller(img, faces)
		behind = append(behind, more...)
	}
	return faces, behind
}

// further returns the faces that are cut by the edge, that the closer look shows, or
// that are turned, if they are surer than best.
func (f Finder) further(img *image.Gray, small view, best []Face) []Face {
	if faces := f.facesIn(img, small.padded(f.Margin), f.Least, f.Other); surest(faces) > surest(best) {
		best = faces
	}
	if len(best) == 0 && f.CloseSide > 0 {
		best = f.closely(img)
	}
	if surest(best) >= f.Sure {
		return best
	}
	least := max(f.Sure, f.Turned*surest(best))
	for _, degrees := range f.Turns {
		if faces := f.facesIn(img, small.turned(degrees), 2*f.Least, least); surest(faces) > least {
			best, least = faces, surest(faces)
		}
	}
	return best
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

// withSmaller returns faces with those that are half as large as the smallest of
// them may be, if they are sure: who photographs a group from afar has the pixels
// for them. Behind are those in the background.
func (f Finder) withSmaller(img *image.Gray, faces []Face) (_, behind []Face) {
	f.Side, f.Least, f.Background, f.Shift = 2*f.Side, f.Least/2, f.Background/2, f.FineShift
	finer, behind := f.inFront(f.allIn(img, f.overview(img), f.Least, f.Sure))
	for _, one := range finer {
		if !seen(faces, one.Pupils) {
			faces = append(faces, one)
		}
	}
	faces, more := f.inFront(faces)
	return faces, append(behind, more...)
}

// closely returns the faces that fill much of the photograph img, by a search in
// steps of half the size: few windows show a face under a cap or a head turned
// aside, and large steps pass between them. The cascade compares single pixels,
// which are means of many in a small copy.
func (f Finder) closely(img *image.Gray) []Face {
	const more = 8 // times as many windows: twice as many across, down and in size
	f.Side, f.Shift, f.Scale, f.Spread = f.CloseSide, f.Shift/2, math.Sqrt(f.Scale), f.CloseSpread
	f.Other *= more
	padding := 1 + 2*f.Margin
	faces := f.facesIn(img, f.overview(img).padded(f.Margin), f.CloseLeast/padding, more*f.Score)
	for i := range faces {
		faces[i].Quality.Detection /= more
	}
	return faces
}

func surest(faces []Face) float64 {
	var most float64
	for _, f := range faces {
		most = max(most, f.Quality.Detection)
	}
	return most
}

// facesIn returns the faces of the photograph img that the cascade sees in v,
// largest first, without those in the background.
func (f Finder) facesIn(img *image.Gray, v view, least, score float64) []Face {
	faces, _ := f.inFront(f.allIn(img, v, least, score))
	return faces
}

// allIn returns all faces of the photograph img that the cascade sees in v.
func (f Finder) allIn(img *image.Gray, v view, least, score float64) []Face {
	var faces []Face
	for _, w := range f.windows(v, least, score) {
		if p, ok := f.pupils(img, w); ok && !seen(faces, p) {
			faces = append(faces, Face{Box: w.box(img.Rect), Pupils: p, Quality: measure(img, p, w.score)})
		}
	}
	return faces
}

// inFront divides faces, which it sorts, the largest first, into those that are reported
// and those in the background.
func (f Finder) inFront(faces []Face) (front, behind []Face) {
	slices.SortStableFunc(faces, func(a, b Face) int { return cmp.Compare(b.Quality.Eyes, a.Quality.Eyes) })
	n := 0
	for n < len(faces) && faces[n].Quality.Eyes >= f.Background*faces[0].Quality.Eyes {
		n++
	}
	return faces[:n:n], faces[n:]
}

// seen reports whether one of faces has its eyes where p are: two windows
// showed it.
func seen(faces []Face, p [2]Point) bool {
	const near = 0.5 // of the eye distance
	return slices.ContainsFunc(faces, func(f Face) bool {
		return middle(f.Pupils).to(middle(p)) < near*f.Quality.Eyes
	})
}

func middle(p [2]Point) Point { return Point{(p[0].X + p[1].X) / 2, (p[0].Y + p[1].Y) / 2} }
