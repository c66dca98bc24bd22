// Package face turns photographs into crops of faces: it finds the faces and
// their pupils, aligns the pupils to fixed positions, and measures the image
// quality of each face.
//
// A Search is a list of stages. A stage takes the candidates of the stages before
// it, and returns them with its own; the search ends at the first stage that is
// sure. Each stage is a file (stage_NAME.go), and so is each format of a
// detector's network (format_NAME.go).
//
// The first stage is the cascade of [pico] as pigo runs it; pupils are found by the
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
//
// Experimental: this package may change in any version.
package face

import (
	"cmp"
	"image"
	"math"
	"slices"

	"nrdl.example/nrdl/faces/dataset"
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

	// Covered are the parts of the face, "eyes", "mouth" or "eyes and mouth", that are probably
	// covered, as by sunglasses or a mask; "" for none, and where faces are not aligned by
	// landmarks.
	Covered string `json:"covered,omitempty"`

	// Aligned are the pupils of the mean face, fitted to the five landmarks of this
	// face by least squares; zero if no landmarks were searched for.
	Aligned [2]Point `json:"-"`

	// Landmarks are the middles of the eyes, the tip of the nose and the corners of the
	// mouth, by which Aligned was fitted; zero if no landmarks were searched for.
	Landmarks [5]Point `json:"-"`
}

// surest is the highest score of faces; 0 for none.
func surest(faces []Face) float64 {
	var largest float64
	for _, f := range faces {
		largest = max(largest, f.Quality.Detection)
	}
	return largest
}

// OneFaceOptions say which findings are one face, and how large it is.
type OneFaceOptions struct {
	SameEyes  float64 // distance between the middles of two pairs of eyes below which they belong to one face, in eye distances
	SameFace  float64 // intersection over union of two boxes from which they show one face
	EyesOfBox float64 // eye distance of a face that looks ahead, a share of the longer side of its box
}

// DefaultOneFace tells the faces of a group apart, which are farther apart than half an eye
// distance, and joins the boxes of different detectors. EyesOfBox is between the medians over
// photographs of lfw_several: 0.316 for the tiny detector, and 0.342 for the cascade.
var DefaultOneFace = OneFaceOptions{SameEyes: 0.5, SameFace: 0.25, EyesOfBox: 0.33}

// seen reports whether the eyes at p belong to one of faces.
func (o OneFaceOptions) seen(faces []Face, p [2]Point) bool {
	return slices.ContainsFunc(faces, func(f Face) bool {
		return middle(f.Pupils).to(middle(p)) < o.SameEyes*f.Quality.Eyes
	})
}

// alike reports whether f is one of faces, by its eyes or by its box.
func (o OneFaceOptions) alike(faces []Face, f Face) bool {
	return o.seen(faces, f.Pupils) ||
		slices.ContainsFunc(faces, func(one Face) bool { return boxOf(one.Box).overlap(boxOf(f.Box)) >= o.SameFace })
}

// size is the eye distance of f as if it looked ahead: a head that is turned to the side has
// a larger box than its eyes tell.
func (o OneFaceOptions) size(f Face) float64 {
	return max(f.Quality.Eyes, o.EyesOfBox*float64(max(f.Box.Dx(), f.Box.Dy())))
}

// bySize sorts faces, the largest first.
func (o OneFaceOptions) bySize(faces []Face) {
	slices.SortStableFunc(faces, func(a, b Face) int { return cmp.Compare(o.size(b), o.size(a)) })
}

func middle(p [2]Point) Point { return Point{(p[0].X + p[1].X) / 2, (p[0].Y + p[1].Y) / 2} }
