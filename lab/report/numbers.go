package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// tenths formats v with one decimal, without a minus before zero.
func tenths(v float64) string { return fixed(v, 1) }

func fixed(v float64, decimals int) string {
	unit := math.Pow(10, float64(decimals))
	if r := math.Round(v * unit); math.Abs(r) < 1<<53 { // half away from zero, as people round
		v = r / unit
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return strings.Replace(s, "-", "−", 1)
}

// signed formats a difference with its sign and one decimal.
func signed(v float64) string {
	s := tenths(v)
	if strings.HasPrefix(s, "−") || strings.Trim(s, "0.") == "" || math.IsNaN(v) {
		return s
	}
	return "+" + s
}

// seconds formats a time with three digits at most.
func seconds(v float64) string {
	switch {
	case v < 0.0005:
		return "< 0.001 s"
	case v < 1:
		return fixed(v, 3) + " s"
	case v < 10:
		return fixed(v, 2) + " s"
	case v < 100:
		return fixed(v, 1) + " s"
	case v < 600:
		return fixed(v, 0) + " s"
	}
	d := time.Duration(v * float64(time.Second)).Round(time.Minute)
	if d < time.Hour {
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
}

// digits formats v with n significant digits.
func digits(v float64, n int) string {
	return strings.Replace(strconv.FormatFloat(v, 'g', n, 64), "-", "−", 1)
}

// few joins a list, of a long one the first six.
func few(list []string) string {
	if len(list) > 8 {
		return strings.Join(list[:6], ", ") + fmt.Sprintf(" and %d more", len(list)-6)
	}
	return join(list)
}

// join joins a list with commas, and with "and" before the last element.
func join(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}
