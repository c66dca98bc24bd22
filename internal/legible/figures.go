package legible

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Percent formats a fraction in percent, without the sign %.
func Percent(fraction float64) string {
	if v := 100 * fraction; v > 0 && v < leastPercent {
		return strconv.FormatFloat(v, 'f', 1-int(math.Floor(math.Log10(v))), 64)
	}
	return fmt.Sprintf("%.2f", 100*fraction)
}

// leastPercent is the smallest percentage with two decimals; smaller ones have two
// significant digits.
const leastPercent = 0.01

// Abridged joins at most five names, and counts the others.
func Abridged(names []string) string {
	if len(names) <= 5 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:5], ", "), len(names)-5)
}
