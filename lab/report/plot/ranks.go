package plot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const (
	rankStep = 19  // from one name to the next
	rankRoom = 180 // of names with their ranks; wider ones widen the figure
	joinStep = 0.4 // of it, between the lines that join ranks
	over     = 3   // by which these are longer at both ends
)

// Ranks draws the diagram of Demšar (Statistical comparisons of classifiers
// over multiple data sets, 2006): a row for each name, the best on top, with
// its average rank (1 is best) on a common axis. Thick lines below join ranks
// that differ by less than the critical difference cd, which is the line on
// top. A cd of 0 joins nothing and is not drawn.
func Ranks(names []string, ranks []float64, cd float64) ([]byte, error) {
	if len(names) == 0 || len(names) != len(ranks) || !(cd >= 0) || !shows(cd, false) {
		return nil, fmt.Errorf("draw ranks: %d names for %d ranks, critical difference %v", len(names), len(ranks), cd)
	}
	order := make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(ranks[i], ranks[j]) })
	last := float64(len(ranks))
	f := frame{x: newAxis("average rank", false), y: newAxis("", false)}
	var sorted, whole []float64 // whole are the ranks that have a tick
	var named []string
	for n, i := range order {
		rank := fmt.Sprintf(" %.2f", ranks[i])
		if !(ranks[i] >= 1 && ranks[i] <= last) {
			return nil, fmt.Errorf("draw ranks: rank %v of %q is outside 1 … %v", ranks[i], names[i], last)
		}
		if n%(1+len(ranks)/maxExact) == 0 {
			whole = append(whole, float64(n+1))
		}
		sorted, named = append(sorted, ranks[i]), append(named, names[i]+rank)
		f.y.ticks = append(f.y.ticks, tick{-float64(n), shorten(names[i], nameSize, widest) + rank})
	}
	groups := joined(sorted, cd)
	f.x.lo, f.x.hi = 1, max(last, 1+cd, 2)
	f.y.lo, f.y.hi = 0.5-last-joinStep*float64(len(groups)), 0.5
	about := "Average ranks: " + strings.Join(named, ", ")
	limit := ""
	if cd > 0 {
		limit = fmt.Sprintf("critical difference %.2f", cd)
		about, f.y.hi = about+"; "+limit, 2.5
	}
	f.height = (f.y.hi-f.y.lo)*rankStep + top + gap + 2*row
	wide := float64(width)
	for _, t := range f.y.ticks {
		wide = max(wide, width+textWidth(t.label, tickSize)-rankRoom)
	}
	f.place(wide-margin, whole)
	var s sheet
	f.draw(&s)
	drawRanks(&s, f.x, f.y, sorted, groups)
	if cd > 0 {
		drawLimit(&s, f.x, f.y, cd, limit)
	}
	return s.figure(about, wide, f.height), nil
}

// drawRanks draws the ranks, ascending, and what joins groups of them.
func drawRanks(s *sheet, x, y axis, ranks []float64, groups [][2]int) {
	var across, down, join path
	var dots []float64
	for n, rank := range ranks {
		h, v := x.at(rank), y.at(-float64(n))
		across.line(x.start, v, h, v)
		down.line(h, v, h, y.start)
		dots = append(dots, h, v)
	}
	for g, of := range groups {
		v := y.at(y.lo + joinStep*(float64(len(groups)-g)-0.5))
		join.line(x.at(ranks[of[0]])-over, v, x.at(ranks[of[1]])+over, v)
	}
	s.draw(faint, &across)
	s.draw(soft, &down)
	s.draw(pen{colour: inks[2], opacity: 1, width: radius}, &join)
	s.marks(textColour, shapes[0], dots...)
}

// drawLimit draws the critical difference cd with its label above the ranks.
func drawLimit(s *sheet, x, y axis, cd float64, label string) {
	var d path
	d.bar(x.start, y.at(1), x.at(1+cd), y.at(1))
	s.draw(pen{colour: textColour, opacity: 1, width: stroke}, &d)
	s.text(x.start, y.at(2)+middle*tickSize, tickSize, 0, label)
}

// joined returns the first and the last of the largest groups of two or more
// neighbours whose ranks, ascending, differ by less than cd.
func joined(ranks []float64, cd float64) (groups [][2]int) {
	reach := 0
	for i := range ranks {
		last := i
		for last+1 < len(ranks) && ranks[last+1]-ranks[i] < cd {
			last++
		}
		if last > i && last > reach {
			groups, reach = append(groups, [2]int{i, last}), last
		}
	}
	return groups
}
