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
		if got := Sure(p); got != want {
			t.Errorf("Sure(%v) = %s, want %s", p, got, want)
		}
	}
	if got := Sure(math.NaN()); got != "" {
		t.Errorf("a probability that is not known is %q", got)
	}
}
