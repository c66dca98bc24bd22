package face

import (
	"math"
	"testing"
)

// A nose in the middle is not turned; one to the right of the photograph is, also where
// the face is tilted.
func TestSideways(t *testing.T) {
	for _, angle := range []float64{0, 0.4, -1} {
		to := about(0, 0, 50, angle, Point{200, 100})
		var frontal, right []Point
		for i, p := range fiveMean {
			frontal = append(frontal, to.at(p.X, p.Y))
			if i == 2 {
				p.X += 0.2
			}
			right = append(right, to.at(p.X, p.Y))
		}
		apart := 0.974 // of the eyes in fiveMean
		if got := sideways(frontal); math.Abs(got) > 1e-9 {
			t.Errorf("frontal: %v", got)
		}
		if got := sideways(right); math.Abs(got-0.2/apart) > 1e-9 {
			t.Errorf("to the right: %v, want %v", got, 0.2/apart)
		}
	}
}
