package openset

import "fmt"

// Promise says which strangers get a name by the threshold of c, after "strangers: ": "at most
// about 1 in 100 gets a name, a relative more often". It is what holds whoever the strangers
// are, but for those who resemble the people; StrangerRates has the shares behind it.
func (c *Calibration) Promise() string {
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
