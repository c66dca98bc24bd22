package legible

import (
	"fmt"
	"time"
)

// Seconds writes a duration that was measured.
func Seconds(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 0.01:
		return fmt.Sprintf("%.2g ms", 1000*s)
	case s < 1:
		return fmt.Sprintf("%.0f ms", 1000*s)
	case s < 10:
		return fmt.Sprintf("%.2f s", s)
	default:
		return fmt.Sprintf("%.1f s", s)
	}
}

// Took formats a number of seconds as Seconds does; "—" if it was not measured.
func Took(seconds float64) string {
	if seconds == 0 {
		return "—"
	}
	return Seconds(time.Duration(seconds * float64(time.Second)))
}
