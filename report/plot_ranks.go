package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
)

// Sizes of a diagram of ranks, in the units of its view box.
const (
	rankWidth = 600 // of the figure
	rankRoom  = 120 // widest name
	rankStep  = 19  // from name to name
	rankBar   = 3.4 // width of the line that joins a group
	rankBars  = 8   // from line to line
	rankTick  = 5
	axisTicks = 12 // most of them
)

// CriticalDifference draws the diagram of Demšar (Statistical comparisons of
// classifiers over multiple data sets, 2006): an axis of average ranks, 1 the
// best, with the names led to from both sides, and thick lines that join the
// names whose ranks differ by less than cd, which is the line above the axis.
// A cd of 0 joins nothing and is not drawn. The result is one <svg> element in
// the colour of the text around it.
func CriticalDifference(names []string, ranks []float64, cd float64) ([]byte, error) {
	if err := checkRanks(names, ranks, cd); err != nil {
		return nil, fmt.Errorf("draw ranks: %w", err)
	}
	p := newRankPlot(names, ranks, cd)
	p.drawAxis()
	p.drawNames()
	p.drawGroups()
	return p.c.svg(p.describe())
}

func checkRanks(names []string, ranks []float64, cd float64) error {
	if len(names) == 0 || len(names) != len(ranks) {
		return fmt.Errorf("%d names for %d ranks", len(names), len(ranks))
	}
	for i, r := range ranks {
		if !(r >= 1 && r <= float64(len(ranks))) {
			return fmt.Errorf("rank %v of %q is outside 1 … %d", r, names[i], len(ranks))
		}
	}
	if !(cd >= 0) || !drawable(cd) {
		return errors.New("the critical difference is not a number ≥ 0")
	}
	return nil
}

// A rankPlot is a diagram of ranks being drawn; names and ranks are sorted,
// the best first.
type rankPlot struct {
	c      *canvas
	x      axis
	names  []string // shortened to their room
	words  []string // whole names and ranks
	ranks  []float64
	cd     float64
	groups [][2]int  // first and last of each
	rows   []int     // of the line of each group, from the axis down
	line   vg.Length // height of the axis
	left   vg.Length // where the names of the left side end
	right  vg.Length // where the names of the right side begin
}

func newRankPlot(names []string, ranks []float64, cd float64) *rankPlot {
	order := make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(ranks[i], ranks[j]) })
	p := &rankPlot{cd: cd}
	width := vg.Length(0)
	for _, i := range order {
		name := shorten(names[i], nameSize, rankRoom)
		p.names, p.ranks = append(p.names, name), append(p.ranks, ranks[i])
		p.words = append(p.words, names[i]+" "+rankText(ranks[i]))
		width = max(width, textWidth(name+" "+rankText(ranks[i]), nameSize))
	}
	p.groups = joinedRanks(p.ranks, cd)
	p.rows = rowsOf(p.groups)
	p.left = width + tickGap
	p.right = rankWidth - p.left
	head := vg.Length(lineHeight + 2*tickGap)
	if cd > 0 {
		head += 2 * lineHeight
	}
	bars := vg.Length(p.barRows()) * rankBars
	side := vg.Length((len(names)+1)/2) * rankStep
	p.c = newCanvas(rankWidth, head+bars+side+tickGap)
	p.line = p.c.height - head
	p.x.lo, p.x.hi = 1, max(float64(len(names)), 1+cd, 2)
	p.x.place(p.left+2*tickGap, p.right-2*tickGap)
	return p
}

// joinedRanks returns the largest groups of two or more neighbours whose ranks,
// ascending, differ by less than cd.
func joinedRanks(ranks []float64, cd float64) (groups [][2]int) {
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

// rowsOf gives each group the first row in which it does not meet another.
func rowsOf(groups [][2]int) []int {
	rows := make([]int, len(groups))
	var end []int // last of the last group of each row
	for g, at := range groups {
		r := 0
		for r < len(end) && end[r] >= at[0] {
			r++
		}
		if r == len(end) {
			end = append(end, 0)
		}
		rows[g], end[r] = r, at[1]
	}
	return rows
}

func rankText(r float64) string { return strconv.FormatFloat(r, 'f', 2, 64) }

func (p *rankPlot) drawAxis() {
	k := len(p.names)
	p.c.line(soft, thin, nil, vg.Point{X: p.x.from, Y: p.line}, vg.Point{X: p.x.to, Y: p.line})
	every := (k + axisTicks - 1) / axisTicks
	for r := 1; r <= k; r++ {
		if (r-1)%every != 0 {
			continue
		}
		x := p.x.at(float64(r))
		p.c.line(soft, thin, nil, vg.Point{X: x, Y: p.line}, vg.Point{X: x, Y: p.line + rankTick})
		p.c.text(x, p.line+rankTick+tickGap/2, tickSize, middleAnchor, strconv.Itoa(r))
	}
	if p.cd == 0 {
		return
	}
	from, to := p.x.at(1), p.x.at(1+p.cd)
	y := p.line + rankTick + tickSize + 2*tickGap
	p.c.line(textInk, stroke, nil, vg.Point{X: from, Y: y}, vg.Point{X: to, Y: y})
	for _, x := range []vg.Length{from, to} {
		p.c.line(textInk, stroke, nil, vg.Point{X: x, Y: y - tickMark}, vg.Point{X: x, Y: y + tickMark})
	}
	p.c.text(from, y+tickGap, tickSize, startAnchor, "critical difference "+rankText(p.cd))
}

// drawNames leads from the ranks to the names: the better half on the left,
// the best on top, the others on the right, the last on top.
func (p *rankPlot) drawNames() {
	k := len(p.names)
	below := p.line - vg.Length(p.barRows())*rankBars - rankStep*0.7
	for i, name := range p.names {
		x, half := p.x.at(p.ranks[i]), (k+1)/2
		row, end, anchor := i, p.left, endAnchor
		text := name + " " + rankText(p.ranks[i])
		if i >= half {
			row, end, anchor = k-1-i, p.right, startAnchor
			text = rankText(p.ranks[i]) + " " + name
		}
		y := below - vg.Length(row)*rankStep
		p.c.line(soft, thin, nil, vg.Point{X: x, Y: p.line}, vg.Point{X: x, Y: y}, vg.Point{X: end, Y: y})
		gap := vg.Length(tickGap / 2)
		if anchor == endAnchor {
			gap = -gap
		}
		p.c.text(end+gap, y-nameSize*capHalf, nameSize, anchor, text)
	}
	for _, r := range p.ranks {
		p.c.dot(textInk, vg.Point{X: p.x.at(r), Y: p.line})
	}
}

func (p *rankPlot) barRows() int {
	n := 0
	for _, r := range p.rows {
		n = max(n, r+1)
	}
	return n
}

func (p *rankPlot) drawGroups() {
	const over = 3 // by which the lines are longer at both ends
	for g, at := range p.groups {
		y := p.line - vg.Length(p.rows[g]+1)*rankBars
		p.c.line(inks[2], rankBar, nil,
			vg.Point{X: p.x.at(p.ranks[at[0]]) - over, Y: y}, vg.Point{X: p.x.at(p.ranks[at[1]]) + over, Y: y})
	}
}

// describe says in words what the diagram shows.
func (p *rankPlot) describe() string {
	text := "Average ranks: " + strings.Join(p.words, ", ")
	if p.cd > 0 {
		text += "; critical difference " + rankText(p.cd)
	}
	return text
}
