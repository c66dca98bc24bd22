package legible

import (
	"fmt"
	"math"
)

// rarest is the largest N in "1 in N".
const rarest = 1_000_000

// OneIn formats 10^evidence with two digits: 210 for 2.32.
func OneIn(evidence float64) string {
	n := math.Pow(10, min(evidence, math.Log10(rarest)))
	unit := math.Pow(10, max(0, math.Floor(math.Log10(n))-1))
	return fmt.Sprintf("%.0f", math.Round(n/unit)*unit)
}

// AsSimilar describes the share of strangers with at least this evidence: "about 1 in 64000
// strangers in general is".
func AsSimilar(evidence float64) string {
	const many = 0.3 // as 1 in 2
	switch {
	case evidence < many:
		return "most strangers in general are"
	case evidence > math.Log10(rarest):
		return "fewer than 1 in 1000000 strangers in general are"
	}
	return "about 1 in " + OneIn(evidence) + " strangers in general is"
}
