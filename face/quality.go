package face

import (
	"image"
	"math"

	"nrdl.example/nrdl/dataset"
)

// Where quality is measured: in a level square about the eyes in which they are
// apart by qualityEyes pixels, so that photographs of all sizes compare. It
// reaches from the brows to the lower lip.
const (
	qualityEyes  = 32
	qualitySide  = 64
	qualityAbove = 16 // rows above the pupils
)

// Bounds of grey values that tell shapes.
const crushed, clipped = 8, 247

// rounding is what rounding the photograph and then the square to whole grey
// values adds to the mean square of the Laplacian: twice the sum of its squared
// weights, 20, times the variance of a rounding error, 1/12.
const rounding = 2 * 20. / 12

// lowContrast is the standard deviation of grey values below which rounding hides the
// detail of a face, so that a dark one would be taken for a blurred one.
const lowContrast = 8

// measure returns the quality of the face in img whose pupils are p.
//
// Sharpness is the root mean square of the Laplacian (−4 at the middle, 1 at
// the neighbours) over the standard deviation of the grey values, both in the
// square in which the eyes are 32 pixels apart: 0 is no detail, about 1 much.
func measure(img *image.Gray, p [2]Point, score float64) dataset.Quality {
	q := dataset.Quality{
		Eyes:      p[0].to(p[1]),
		Angle:     math.Atan2(p[1].Y-p[0].Y, p[1].X-p[0].X) * 180 / math.Pi,
		Detection: score,
	}
	scale := q.Eyes / qualityEyes
	centre := about(0, 0, scale, q.Angle*math.Pi/180, middle(p)).at(0, qualitySide/2-qualityAbove)
	level := reduced(img, window{Point: centre, side: 2 * qualitySide * scale}.box(img.Rect), scale)
	square := level.square(qualitySide, scale, q.Angle*math.Pi/180, centre)
	q.Sharpness, q.Exposure = detail(square.Gray)
	return q
}

// detail returns the sharpness of m and the share of its pixels that is neither
// crushed nor clipped.
func detail(m *image.Gray) (sharpness, exposure float64) {
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
			if v >= crushed && v <= clipped {
				well++
			}
		}
	}
	n := float64((w - 2) * (h - 2))
	if variance := squares/n - sum/n*sum/n; variance > 0 {
		off := rounding
		if variance < lowContrast*lowContrast {
			off = 0
		}
		sharpness = math.Sqrt(max(0, laplacian/n-off) / variance)
	}
	return sharpness, well / n
}
