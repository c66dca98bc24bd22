package plot

import (
	"errors"
	"fmt"
	"math"
)

// A Heat is a map of values over two lists: Values[y][x], a row for each of YNames. NaN is a
// gap. Darker cells have larger values.
type Heat struct {
	Title          string // alternative text; not drawn
	X, Y           string // names of the lists
	XNames, YNames []string
	Values         [][]float64
	Range          float64 // least range of the colours, in units of the values; 0 for none
}

// Gaps returns n values that are missing (NaN).
func Gaps(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = math.NaN()
	}
	return v
}

// Best returns the largest value and its place, the first of equal ones; −1 if there is no
// value.
func (h *Heat) Best() (best float64, x, y int) {
	best, x, y = math.Inf(-1), -1, -1
	for j, row := range h.Values {
		for i, v := range row {
			if v > best {
				best, x, y = v, i, j
			}
		}
	}
	return best, x, y
}

// Ends returns the values with the palest and the darkest colour: the least value, and the
// largest or, if that is more, the least value plus Range.
func (h *Heat) Ends() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, row := range h.Values {
		for _, v := range row {
			if !math.IsNaN(v) {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	return low, max(high, low+h.Range)
}

// Share returns where v lies between the ends of the colours, from 0 to 1.
func (h *Heat) Share(v float64) float64 {
	low, high := h.Ends()
	if !(high > low) {
		return 0
	}
	return (v - low) / (high - low)
}

const (
	cellHigh = 24.0
	palest   = 0.06 // opacity of the least value, and what is added for the largest
	deepest  = 0.6
)

// SVG draws the map: a cell with its value for each pair. It is an error if there is none.
func (h *Heat) SVG() ([]byte, error) {
	if len(h.Values) != len(h.YNames) || len(h.XNames) == 0 {
		return nil, fmt.Errorf("draw heat map: %d rows for %d names", len(h.Values), len(h.YNames))
	}
	if best, _, _ := h.Best(); math.IsInf(best, 0) {
		return nil, errors.New("draw heat map: there is no value that could be drawn")
	}
	left := 0.0
	for _, name := range h.YNames {
		left = max(left, textWidth(shorten(name, tickSize, widest), tickSize))
	}
	total := width + max(0, left-nameRoom)
	left += 2*gap + row // the name of the list is upward
	wide := (total - left - margin) / float64(len(h.XNames))
	high := cellHigh * float64(len(h.YNames))
	var s sheet
	for y, values := range h.Values {
		if len(values) != len(h.XNames) {
			return nil, fmt.Errorf("draw heat map: row %d has %d values for %d names", y, len(values), len(h.XNames))
		}
		top := gap + cellHigh*float64(y)
		for x, v := range values {
			if math.IsNaN(v) {
				continue
			}
			at := left + wide*float64(x)
			var cell path
			cell.line(at, top, at+wide-1, top, at+wide-1, top+cellHigh-1, at, top+cellHigh-1)
			cell.WriteString("z")
			s.draw(pen{colour: "#0072B2", opacity: palest + deepest*h.Share(v)}, &cell)
			s.text(at+wide/2, top+cellHigh/2+middle*tickSize, tickSize, 0.5, fmt.Sprintf("%.1f", v))
		}
		s.text(left-gap, top+cellHigh/2+middle*tickSize, tickSize, 1, shorten(h.YNames[y], tickSize, widest))
	}
	for x, name := range h.XNames {
		s.text(left+wide*(float64(x)+0.5), gap+high+row, tickSize, 0.5, shorten(name, tickSize, wide-gap))
	}
	s.text(left+(total-left-margin)/2, gap+high+2*row, nameSize, 0.5, shorten(h.X, nameSize, axisRoom))
	s.upward(row-gap/2, gap+high/2, nameSize, 0.5, shorten(h.Y, nameSize, high))
	return s.figure(h.Title, total, gap+high+3*row), nil
}
