package gallery

import (
	"math"
	"testing"
)

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
