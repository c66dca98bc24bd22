package legible

import "testing"

// A small rate is not written as none.
func TestPercent(t *testing.T) {
	for fraction, want := range map[float64]string{
		0: "0.00", 1: "100.00", 0.01: "1.00", 0.0001: "0.01",
		0.00005: "0.0050", 0.00000123: "0.00012", -0.5: "-50.00",
	} {
		if got := Percent(fraction); got != want {
			t.Errorf("Percent(%v) = %s, want %s", fraction, got, want)
		}
	}
}
