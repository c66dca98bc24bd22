package gallery

import (
	"math"
	"regexp"
	"strconv"
	"testing"

	"nrdl.example/nrdl/openset"
)

// The promise about strangers is what the model estimates of itself, and never less: not the rate
// that was asked for.
func TestPromiseIsTheEstimate(t *testing.T) {
	oneIn := regexp.MustCompile(`^fewer than 1 in (\d+) gets a name$`)
	for _, fpir := range []float64{0.001, 0.01, 0.3} {
		g := &Gallery{Calibration: &openset.Calibration{FPIR: fpir, Threshold: 1, Faces: 400, LeftOut: make([]float64, 400)}}
		limit := g.Calibration.StrangerLimit(nil)
		words := oneIn.FindStringSubmatch(g.Promise())
		if words == nil {
			t.Fatalf("it says %q", g.Promise())
		}
		if n, _ := strconv.ParseFloat(words[1], 64); 1/n < limit || 1/n > 1.1*limit {
			t.Errorf("FPIR %v: it says %q where the limit is %v", fpir, g.Promise(), limit)
		}
	}
	for _, few := range []*openset.Calibration{nil, {FPIR: 0.01, Threshold: 1, Faces: 1, LeftOut: []float64{0}}} {
		if got := (&Gallery{Calibration: few}).Promise(); got != "" {
			t.Errorf("of %+v it says %q", few, got)
		}
	}
}

// A probability is never written as larger than it is, and its word is that of the number.
func TestProbability(t *testing.T) {
	for p, want := range map[float64]string{
		0: "doubtful under 1 %", 0.0099: "doubtful under 1 %", 0.01: "doubtful 1 %", 0.29: "doubtful 29 %", 0.799: "doubtful 79 %",
		0.8: "likely 80 %", 0.9899: "likely 98 %", 0.99: "sure 99 %", 0.999: "sure 99.9 %", 0.9999: "sure 99.9 %", 1: "sure 100.0 %",
	} {
		if got := DefaultSettings.Confidence(p); got != want {
			t.Errorf("Confidence(%v) = %s, want %s", p, got, want)
		}
	}
	other := DefaultSettings
	if other.Likely, other.Sure = 0.5, 0.6; other.Confidence(0.55) != "likely 55 %" || other.Confidence(0.7) != "sure 70 %" {
		t.Errorf("other limits: %s, %s", other.Confidence(0.55), other.Confidence(0.7))
	}
	if got := DefaultSettings.Confidence(math.NaN()); got != "" {
		t.Errorf("a probability that is not known is %q", got)
	}
}
