package face

import (
	"fmt"
	"math"

	"nrdl.example/nrdl/advice"
)

// Limits are the quality limits for training and recognition.
type Limits struct {
	Eyes      float64 // least distance between the pupils, pixels
	Sharpness float64 // least
	Exposure  float64 // least share of the face that is neither black nor white
	Angle     float64 // most degrees of in-plane rotation, to either side
	Detection float64 // least score
}

// DefaultLimits are those for hand-made features. They reject none of the 1898 faces that
// DefaultFinder finds in the photographs of Georgia Tech and LFW. Their eyes are 23 to 83
// pixels apart (1 % below 31), the sharpness is at least 0.09 (1 % below 0.18, the median
// 0.35), the exposure at least 0.78 (1 % below 0.94) and the angle at most 35° (1 % above
// 19°). A blur whose standard deviation is a tenth of the eye distance leaves a sharpness
// of 0.00 to 0.07.
var DefaultLimits = Limits{Eyes: 20, Sharpness: 0.07, Exposure: 0.5, Angle: 45, Detection: DefaultFinder.Score}

// NetworkLimits are those for a network, which recognises people in much worse photographs.
// They rest on 40 faces of LFW of each kind (doc/photographs.md): with 9 pixels between the
// eyes a quarter were still recognised, with 7 one in twenty; blurred by a tenth of the eye
// distance, one in forty; turned by any angle, as many as upright. Strangers in bad
// photographs did not get names more often, so one threshold serves all.
var NetworkLimits = Limits{Eyes: 8, Sharpness: 0.05, Exposure: 0.1, Angle: 180, Detection: DefaultFinder.Score}

// Refusal returns nil if the quality of f is sufficient, or else an error with
// the value, the limit and a hint.
func (l Limits) Refusal(f Face) error {
	q := f.Quality
	switch {
	case math.Abs(q.Angle) > l.Angle:
		return advice.Add(fmt.Errorf("turned by %.0f°, at most %.0f° are allowed", q.Angle, l.Angle), "turn the photograph")
	case q.Eyes < l.Eyes:
		return advice.Add(fmt.Errorf("%.0f pixels between the eyes, at least %.0f are needed", math.Floor(q.Eyes), l.Eyes),
			"take a larger photograph, or go nearer")
	case q.Exposure < l.Exposure:
		return advice.Add(fmt.Errorf(
			"too dark or too bright: %.0f %% of the face have grey values between black and white, at least %.0f %% are needed",
			100*q.Exposure, 100*l.Exposure), "take the photograph in even light")
	case q.Sharpness < l.Sharpness:
		return advice.Add(fmt.Errorf("blurred: sharpness %.2f, at least %.2f is needed", math.Floor(100*q.Sharpness+1e-9)/100, l.Sharpness),
			"hold the camera still, and let it focus on the face")
	case q.Detection < l.Detection:
		return advice.Add(fmt.Errorf("hardly a face: score %.1f, at least %.1f is needed", q.Detection, l.Detection),
			"look into the camera, with nothing before the face")
	}
	return nil
}
