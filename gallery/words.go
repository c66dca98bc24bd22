package gallery

import (
	"fmt"
	"math"

	"nrdl.example/nrdl/openset"
)

// Promise says which strangers get a name by the threshold of c, after "strangers: ": "at most
// about 1 in 100 gets a name, a relative more often". It is what holds whoever the strangers
// are, but for those who resemble the people; c.StrangerRates has the shares behind it.
func Promise(c *openset.Calibration) string {
	rate, text, limit := c.FPIR, "about", ""
	if c.FollowsLaw() {
		text, limit = "at most about", ", a relative more often"
	} else {
		rate = max(rate, c.SmallestFPIR())
	}
	const rare = 0.1 // above it a percentage is easier to read
	if rate > rare {
		return fmt.Sprintf("%s %.0f %% get a name%s", text, 100*rate, limit)
	}
	return fmt.Sprintf("%s 1 in %.0f gets a name%s", text, 1/rate, limit)
}

// Probability writes a probability in percent, rounded down, since 100 % would be too much to
// say: "6 %", "99.9 %", "under 1 %".
func Probability(p float64) string {
	const least, nearOne = 0.01, 0.99
	switch {
	case p < least:
		return "under 1 %"
	case p > nearOne:
		return fmt.Sprintf("%.1f %%", math.Floor(1000*p+nearlyNext)/10)
	}
	return fmt.Sprintf("%.0f %%", math.Floor(100*p+nearlyNext))
}

// nearlyNext keeps a decimal fraction, which has no exact binary form, from the next lower number.
const nearlyNext = 1e-9

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
