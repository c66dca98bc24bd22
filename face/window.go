package face

import (
	"image"
	"math"
)

// A window is a square of the photograph that shows a face.
type window struct {
	Point         // its centre
	side  float64 // pixels
}

func (w window) box(in image.Rectangle) image.Rectangle {
	half := w.side / 2
	return image.Rect(int(math.Floor(w.X-half)), int(math.Floor(w.Y-half)), int(math.Ceil(w.X+half)), int(math.Ceil(w.Y+half))).Intersect(in)
}

// Where the pupils of a face are that looks ahead, in the square from its eyebrows to its chin:
// shares of the side of the square.
const (
	pupilAside = 0.18  // from the middle
	pupilAbove = 0.075 // the middle
)

// windowOf returns the square of the face whose pupils are p.
func windowOf(p [2]Point) window {
	w := window{side: p[0].to(p[1]) / (2 * pupilAside)}
	w.Point = about(0, 0, w.side, angleOf(p), middle(p)).at(0, pupilAbove)
	return w
}

// pupilsIn returns where the pupils of an upright face are expected in w.
func pupilsIn(w window) [2]Point {
	y := w.Y - pupilAbove*w.side
	return [2]Point{{w.X - pupilAside*w.side, y}, {w.X + pupilAside*w.side, y}}
}

// angleOf is by how much a face with these pupils is turned, radians, clockwise.
func angleOf(p [2]Point) float64 { return math.Atan2(p[1].Y-p[0].Y, p[1].X-p[0].X) }

func inside(p Point, r image.Rectangle) bool {
	return p.X >= float64(r.Min.X) && p.X < float64(r.Max.X) && p.Y >= float64(r.Min.Y) && p.Y < float64(r.Max.Y)
}

// longest is the longest side of img.
func longest(img *image.Gray) int { return max(img.Rect.Dx(), img.Rect.Dy()) }
