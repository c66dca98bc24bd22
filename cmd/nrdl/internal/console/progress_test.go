package console

import (
	"math"
	"testing"
	"time"

	"nrdl.example/nrdl/classify"
)

// After a dozen passes the forecast of the end is not far off.
func TestForecast(t *testing.T) {
	for _, c := range []struct {
		name     string
		residual func(pass float64) float64
		end      int     // the first pass with a residual below 1e-6
		within   float64 // of the end, as a fraction
	}{
		{"linear convergence", func(k float64) float64 { return math.Pow(0.9, k) }, 132, 0.15},
		{"a growing penalty", growing, 112, 0.35},
	} {
		var f forecast
		for k := 1; k < c.end; k++ {
			left := f.add(classify.Progress{Iter: k, Residual: c.residual(float64(k)), Limits: classify.Limits{Passes: 1000, Tol: 1e-6}})
			if end := float64(k) + left; k > window && math.Abs(end-float64(c.end)) > c.within*float64(c.end) {
				t.Errorf("%s: after pass %d it expects pass %.0f to be the last, not %d", c.name, k, end, c.end)
			}
		}
	}
}

// growing interpolates −log residual of the published NRDL on ORL, 6 training
// images per person, every tenth pass.
func growing(pass float64) float64 {
	ell := []float64{0.0257, 0.0345, 0.0592, 0.1216, 0.28, 0.676, 1.7, 4.13, 7.95, 8.63, 10.0, 13.3, 20}
	i := int(pass / 10)
	part := pass/10 - float64(i)
	return math.Exp(-(1-part)*ell[i] - part*ell[i+1])
}

// Where there is no end in sight the limit is the forecast.
func TestForecastWithoutEnd(t *testing.T) {
	for name, residual := range map[string]float64{"stuck": 0.5, "solved": 0} {
		var f forecast
		for k := 1; k <= 50; k++ {
			left := f.add(classify.Progress{Iter: k, Residual: residual, Limits: classify.Limits{Passes: 50}})
			if left != float64(50-k) {
				t.Errorf("%s: %v passes left after %d of 50", name, left, k)
			}
		}
	}
}

func TestAbout(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                               "< 1 s",
		1400 * time.Millisecond:         "1 s",
		89 * time.Second:                "89 s",
		100 * time.Second:               "2 min",
		59*time.Minute + 50*time.Second: "1 h",
		71 * time.Minute:                "1 h 10 min",
		100 * time.Hour:                 "100 h",
	} {
		if got := About(d); got != want {
			t.Errorf("%v is %q, not %q", d, got, want)
		}
	}
}
