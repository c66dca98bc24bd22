package report

import (
	"fmt"
	"math"
	"strings"

	"nrdl.example/nrdl/internal/legible"
)

// place is a few sentences about the position of NRDL in p; "" if p does not have it.
func (p *Plan) place() string {
	n := p.label("nrdl")
	if n < 0 {
		return ""
	}
	return p.stand(n) + p.against(n)
}

// stand is a sentence about the position of label n.
func (p *Plan) stand(n int) string {
	best, alike, columns := 0, 0, 0
	for j := range p.Columns {
		switch c := p.Cells[n][j]; {
		case !c.Complete():
			continue
		case c.Best:
			best++
		case c.Alike:
			alike++
		}
		columns++
	}
	var s strings.Builder
	fmt.Fprintf(&s, "%s is the best in %d of %s", p.Labels[n].Name, best, legible.Count(columns, "setting"))
	switch {
	case columns == 0:
		return p.Labels[n].Name + " has all runs in no setting."
	case alike > 0 && best > 0:
		fmt.Fprintf(&s, " and not significantly different from the best in %d more", alike)
	case alike > 0:
		fmt.Fprintf(&s, ", and not significantly different from the best in %d", alike)
	}
	if rank := p.Ranking.meanRank(n); !math.IsNaN(rank) {
		fmt.Fprintf(&s, "; its average rank is %s, the %s", fixed(rank, 2), p.Ranking.standing(n))
	} else {
		s.WriteString("; it is not ranked, since it lacks runs in a setting")
	}
	return s.String() + "."
}

// against is a sentence, after a space, that compares label n with NRC and CRC over the
// columns in which both are complete; "" if there are none.
func (p *Plan) against(n int) string {
	var parts []string
	for _, other := range []string{"nrc", "crc"} {
		i := p.label(other)
		if i < 0 {
			continue
		}
		higher, columns, sum := 0, 0, 0.0
		for j := range p.Columns {
			a, b := p.Cells[n][j], p.Cells[i][j]
			if !a.Complete() || !b.Complete() {
				continue
			}
			columns++
			d := a.Mean - b.Mean
			sum += d
			if d > rounding {
				higher++
			}
		}
		if columns > 0 {
			parts = append(parts, fmt.Sprintf("%s %s (higher in %d of %s)",
				above(sum/float64(columns)), p.Labels[i].Name, higher, legible.Count(columns, "setting")))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " On average it is " + strings.Join(parts, " and ") + "."
}

// rounding is the largest difference of means, in points, that is a rounding error.
const rounding = 1e-9

// above words a difference in points: "1.4 points above".
func above(d float64) string {
	switch s := tenths(math.Abs(d)); {
	case s == "0.0":
		return "level with"
	case d < 0:
		return s + " points below"
	default:
		return s + " points above"
	}
}
