package legible

import (
	"fmt"
	"math"
)

// Probability writes a probability in percent, rounded down, since 100 % would be too much to
// say: "6 %", "99.9 %", "under 1 %".
func Probability(p float64) string {
	const least, nearOne = 0.01, 0.99
	switch {
	case p < least:
		return "under 1 %"
	case p > nearOne:
		return fmt.Sprintf("%.1f %%", math.Floor(1000*p+rounding)/10)
	}
	return fmt.Sprintf("%.0f %%", math.Floor(100*p+rounding))
}

// rounding keeps a decimal fraction, which has no exact binary form, from the next lower number.
const rounding = 1e-9

// Sure writes the probability of a name in a word and in percent: "sure 99.9 %", "likely 93 %",
// "doubtful 34 %"; "" if it is not known.
func Sure(p float64) string {
	const sure, likely = 0.99, 0.8
	word := "doubtful "
	switch {
	case math.IsNaN(p):
		return ""
	case p >= sure:
		word = "sure "
	case p >= likely:
		word = "likely "
	}
	return word + Probability(p)
}
