package gallery

import (
	"fmt"
	"math"

	"nrdl.example/nrdl/openset"
)

// Promise says which strangers get a name by the threshold of g, after "strangers: ": "about 1
// in 100 gets a name (measured on 269820 pairs of people); relatives and people who look like yours
// get one more often". It is what holds whoever the strangers are, but for those who resemble the
// people; StrangerRates of the calibration are the shares behind it. It is "" if g has no
// calibration.
func (g *Gallery) Promise() string {
	c := g.Calibration
	if c == nil {
		return ""
	}
	rate, limit := c.FPIR, ""
	if l := g.Impostors(); c.FollowsLaw() && l != nil {
		limit = fmt.Sprintf(" (measured on %d pairs of people); relatives and people who look like yours get one more often", l.Comparisons)
	} else {
		rate = max(rate, c.SmallestFPIR())
	}
	const rare = 0.1 // above it a percentage is easier to read
	if rate > rare {
		return fmt.Sprintf("about %.0f %% get a name%s", 100*rate, limit)
	}
	return fmt.Sprintf("about 1 in %.0f gets a name%s", 1/rate, limit)
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

// Confidence writes the probability of a name in a word and in percent: "sure 99.9 %",
// "likely 93 %", "doubtful 34 %"; "" if it is not known.
func (s *Settings) Confidence(p float64) string {
	word := "doubtful "
	switch {
	case math.IsNaN(p):
		return ""
	case p >= s.Sure:
		word = "sure "
	case p >= s.Likely:
		word = "likely "
	}
	return word + Probability(p)
}

// A UselessError says why the threshold of a gallery makes it useless: nearly no enrolled face
// gets its name. A program should not write such a gallery in place of a good one unless
// somebody asks for it.
type UselessError struct {
	Rates   openset.Rates // at the threshold; Held is 0 if no face could be held out
	Members bool          // the strangers that were given are probably people of the model
}

func (e *UselessError) Error() string {
	if e.Members {
		return "most of the given strangers are probably people of the model, so that the threshold is far too high"
	}
	return fmt.Sprintf("under this threshold nearly no known face gets its name: %.2f %% of %d held-out faces", 100*e.Rates.Right, e.Rates.Held)
}

// Usable returns a *UselessError if nearly no enrolled face would get its name under the
// threshold of g, or if most of the strangers that it was calibrated with are probably people
// of the gallery. It returns nil if this is not known. A program should ask before it writes
// such a gallery.
func (g *Gallery) Usable() error {
	c := g.Calibration
	if c == nil {
		return nil
	}
	rates := c.Rates()
	if members := c.StrangersAreMembers(); members || rates.Held > 0 && rates.Right < g.Numbers().Useless {
		return &UselessError{rates, members}
	}
	return nil
}
