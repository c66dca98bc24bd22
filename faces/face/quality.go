package face

import (
	"image"
	"math"

	"nrdl.example/nrdl/faces/dataset"
)

// QualityOptions are the parameters of the measurement of quality. It is measured in a level
// square about the eyes in which these have a fixed distance, so that photographs of all
// sizes compare.
type QualityOptions struct {
	Eyes  int // distance of the eyes in the square, pixels
	Side  int // side of the square, pixels
	Above int // rows above the pupils

	Dark, Light float64 // grey values beyond which shapes are lost

	// Contrast is the standard deviation of grey values below which rounding hides the
	// detail of a face, so that a dark one would be taken for a blurred one.
	Contrast float64
}

// DefaultQuality has a square from the brows to the lower lip. The limits of DefaultLimits
// and NetworkLimits are for it.
var DefaultQuality = QualityOptions{Eyes: 32, Side: 64, Above: 16, Dark: 8, Light: 247, Contrast: 8}

// rounding is what rounding the photograph and then the square to whole grey
// values adds to the mean square of the Laplacian: twice the sum of its squared
// weights, 20, times the variance of a rounding error, 1/12.
const rounding = 2 * 20. / 12

// of returns the quality of the face in img whose pupils are p.
//
// Sharpness is the root mean square of the Laplacian (−4 at the middle, 1 at
// the neighbours) over the standard deviation of the grey values, both in the
// square: 0 is no detail, about 1 much.
func (o QualityOptions) of(img *image.Gray, p [2]Point, score float64) dataset.Quality {
	q := dataset.Quality{
		Eyes:      p[0].to(p[1]),
		Angle:     math.Atan2(p[1].Y-p[0].Y, p[1].X-p[0].X) * 180 / math.Pi,
		Detection: score,
	}
	scale := q.Eyes / float64(o.Eyes)
	centre := about(0, 0, scale, q.Angle*math.Pi/180, middle(p)).at(0, float64(o.Side)/2-float64(o.Above))
	level := reduced(img, window{Point: centre, side: 2 * float64(o.Side) * scale}.box(img.Rect), scale)
	square := level.square(o.Side, scale, q.Angle*math.Pi/180, centre)
	q.Sharpness, q.Exposure = o.detail(square.Gray)
	return q
}

// detail returns the sharpness of m and the share of its pixels that are neither too dark
// nor too light.
func (o QualityOptions) detail(m *image.Gray) (sharpness, exposure float64) {
	var sum, squares, laplacian, well float64
	w, h := m.Rect.Dx(), m.Rect.Dy()
	for y := 1; y < h-1; y++ {
		for x := 1; x < w-1; x++ {
			at := y*m.Stride + x
			v := float64(m.Pix[at])
			l := float64(m.Pix[at-1]) + float64(m.Pix[at+1]) + float64(m.Pix[at-m.Stride]) + float64(m.Pix[at+m.Stride]) - 4*v
			sum += v
			squares += v * v
			laplacian += l * l
			if v >= o.Dark && v <= o.Light {
				well++
			}
		}
	}
	n := float64((w - 2) * (h - 2))
	if variance := squares/n - sum/n*sum/n; variance > 0 {
		off := rounding
		if variance < o.Contrast*o.Contrast {
			off = 0
		}
		sharpness = math.Sqrt(max(0, laplacian/n-off) / variance)
	}
	return sharpness, well / n
}
