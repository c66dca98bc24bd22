package feature

import (
	"fmt"
	"math"

	"nrdl.example/nrdl/advice"
)

// maxWork bounds the multiply-adds that all features of an image take, and all
// its photometric steps: about ten seconds. Faces of 100×100 pixels take a
// thousandth of it.
const maxWork = 1e10

// A laborious feature or step takes more than a few operations for every pixel
// of an image, since its filters are long.
type laborious interface {
	// work bounds its multiply-adds for an image.
	work(height, width int) float64
}

var _ = []laborious{DefaultGabor, DefaultLCN, DefaultTanTriggs}

// affordable reports a list that takes too much work.
func affordable[T named](list []T, height, width int) error {
	var sum, largest float64
	var at T
	for _, v := range list {
		if l, ok := any(v).(laborious); ok {
			w := l.work(height, width)
			sum += w
			if w >= largest {
				largest, at = w, v
			}
		}
	}
	if sum <= maxWork {
		return nil
	}
	err := fmt.Errorf("%s (%+v), and what is beside it, takes %.2g operations for an image of %dx%d, more than the limit of %.2g",
		at.Name(), at, sum, height, width, maxWork)
	return advice.Add(err, "take smaller images, shorter filters, or fewer of them")
}

func (g Gabor) work(height, width int) (sum float64) {
	for v := range g.Scales {
		sigma := g.Width * g.Wavelength * math.Pow(2, float64(v)/2)
		taps := 2*waveletReach*sigma + 2
		step := max(1, math.Floor(min(sigma, g.Cell/2)))
		rows, cols := math.Ceil(float64(height)/step), math.Ceil(float64(width)/step)
		sum += float64(g.Orientations) * taps * (2*rows*float64(width) + 4*rows*cols)
	}
	return sum
}

func (l LCN) work(height, width int) float64 { return 2 * blurWork(height, width, l.Sigma) }

func (s TanTriggs) work(height, width int) float64 {
	return blurWork(height, width, s.Inner) + blurWork(height, width, s.Outer)
}

// blurWork is the work of a blur, along both sides.
func blurWork(height, width int, sigma float64) float64 {
	return 2 * (2*gaussianReach*sigma + 2) * float64(height) * float64(width)
}
