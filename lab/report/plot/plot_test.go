package plot

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// An element of a figure.
type element struct {
	name, text string
	attr       map[string]string
	lines      [][][2]float64 // of a path, those between moves of the pen; markers by their centres
}

func (e element) number(name string) float64 {
	v, err := strconv.ParseFloat(e.attr[name], 64)
	if err != nil {
		panic(err)
	}
	return v
}

// box is where the text e lies; a letter is less than 0.8 of the size above the
// base line and 0.2 below.
func (e element) box() (x0, y0, x1, y1 float64) {
	x, y, size, length := e.number("x"), e.number("y"), e.number("font-size"), e.number("textLength")
	if e.attr["transform"] == "rotate(-90)" { // (x, y) is at (y, -x)
		return y - 0.8*size, -x - length, y + 0.2*size, -x
	}
	return x, y - 0.8*size, x + length, y + 0.2*size
}

func (e element) size() (w, h float64) {
	fmt.Sscanf(e.attr["viewBox"], "0 0 %g %g", &w, &h)
	return w, h
}

// steps are the parts of the data of a path that draw lines.
var steps = regexp.MustCompile(`([ML])(-?[\d.]+),(-?[\d.]+)|[a-z][^A-Z]*`)

// read reads the data of the path e.
func (e *element) read(t interface{ Fatalf(string, ...any) }) {
	d := e.attr["d"]
	if rest := steps.ReplaceAllString(d, ""); rest != "" || !strings.HasPrefix(d, "M") {
		t.Fatalf("path %q", d)
	}
	for _, m := range steps.FindAllStringSubmatch(d, -1) {
		if m[1] == "" {
			if !slices.ContainsFunc(shapes, func(s shape) bool { return s.outline == m[0] }) {
				t.Fatalf("no marker is drawn by %q", m[0])
			}
			continue
		}
		x, _ := strconv.ParseFloat(m[2], 64)
		y, _ := strconv.ParseFloat(m[3], 64)
		if m[1] == "M" {
			e.lines = append(e.lines, nil)
		}
		last := &e.lines[len(e.lines)-1]
		*last = append(*last, [2]float64{x, y})
	}
}

// checkPlaces complains of what is outside of the figure, and of text that is
// over another or over a line or a marker.
func checkPlaces(t interface{ Fatalf(string, ...any) }, all []element) {
	width, height := all[0].size()
	const slack = 1
	for i, e := range all {
		for _, p := range slices.Concat(e.lines...) {
			if p[0] < 0 || p[1] < 0 || p[0] > width || p[1] > height {
				t.Fatalf("a line goes to %v on %v×%v", p, width, height)
			}
		}
		if e.name != "text" {
			continue
		}
		x0, y0, x1, y1 := e.box()
		if x0 < -slack || y0 < -slack || x1 > width+slack || y1 > height+slack {
			t.Fatalf("%q is at (%v, %v) … (%v, %v) on %v×%v", e.text, x0, y0, x1, y1, width, height)
		}
		for j, o := range all {
			if o.name == "text" && j < i {
				if a0, b0, a1, b1 := o.box(); a0+slack < x1 && x0+slack < a1 && b0+slack < y1 && y0+slack < b1 {
					t.Fatalf("%q is over %q", e.text, o.text)
				}
			}
			for _, line := range o.lines {
				for k := range line {
					if p, q := line[max(k-1, 0)], line[k]; crosses(p, q, x0+slack, y0+slack, x1-slack, y1-slack) {
						t.Fatalf("%q is over the line from %v to %v", e.text, p, q)
					}
				}
			}
		}
	}
}

// crosses reports whether the line from p to q has points inside of the box.
func crosses(p, q [2]float64, x0, y0, x1, y1 float64) bool {
	from, to := 0.0, 1.0 // of the line, as shares of it
	for i, side := range [][2]float64{{x0, x1}, {y0, y1}} {
		d := q[i] - p[i]
		if d == 0 {
			if p[i] <= side[0] || p[i] >= side[1] {
				return false
			}
			continue
		}
		a, b := (side[0]-p[i])/d, (side[1]-p[i])/d
		from, to = max(from, min(a, b)), min(to, max(a, b))
	}
	return from < to || from == to && p == q
}

// parsed returns the elements of a figure, and complains of what no figure
// may have.
func parsed(t interface{ Fatalf(string, ...any) }, svg []byte, err error) []element {
	if err != nil {
		t.Fatalf("%v", err)
	}
	dec := xml.NewDecoder(bytes.NewReader(svg))
	var all []element
	var open []int
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("not XML: %v\n%s", err, svg)
		}
		switch e := token.(type) {
		case xml.StartElement:
			attr := map[string]string{}
			for _, a := range e.Attr {
				attr[a.Name.Local] = a.Value
				if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "id" || a.Name.Local == "href" {
					t.Fatalf("attribute %s=%q", a.Name.Local, a.Value)
				}
				if a.Name.Local != "aria-label" && regexp.MustCompile(`NaN|Inf`).MatchString(a.Value) {
					t.Fatalf("%s has %s=%q", e.Name.Local, a.Name.Local, a.Value)
				}
			}
			switch e.Name.Local {
			case "svg", "title", "style", "path", "text":
			default:
				t.Fatalf("element %s", e.Name.Local)
			}
			open = append(open, len(all))
			this := element{name: e.Name.Local, attr: attr}
			if this.name == "path" {
				this.read(t)
			}
			all = append(all, this)
		case xml.CharData:
			if len(open) > 0 {
				all[open[len(open)-1]].text += string(e)
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
	root := all[0]
	if root.name != "svg" || root.attr["role"] != "img" || root.attr["viewBox"] == "" || root.attr["width"] != "100%" ||
		root.attr["height"] != "" {
		t.Fatalf("root is %v", root)
	}
	if all[1].name != "title" || all[1].text != root.attr["aria-label"] {
		t.Fatalf("the title is %v, the label %q", all[1], root.attr["aria-label"])
	}
	checkPlaces(t, all)
	return all
}

func textsOf(all []element) (texts []string) {
	for _, e := range all {
		if e.name == "text" {
			texts = append(texts, e.text)
		}
	}
	return texts
}

// seriesOf are the line and the markers of series i: its first paths that look like it.
func seriesOf(all []element, i int) (found [2]element) {
	p, m := look(i)
	for _, e := range slices.Backward(all) {
		switch {
		case e.name != "path":
		case e.attr["stroke"] == p.colour && e.attr["stroke-width"] == number(p.width) && e.attr["stroke-dasharray"] == p.dashes:
			found[0] = e
		case strings.Contains(e.attr["d"], m.outline) && (e.attr["fill"] == p.colour || !m.filled && e.attr["stroke"] == p.colour):
			found[1] = e
		}
	}
	return found
}

// rulerOf maps values to places by the labels of the ticks of an axis alone; it
// is nil if there are no two of them.
func rulerOf(all []element, vertical, log bool) func(v float64) float64 {
	scale := func(v float64) float64 {
		if log {
			return math.Log10(v)
		}
		return v
	}
	var values, places []float64
	_, height := all[0].size()
	for _, e := range all {
		if e.name != "text" || e.attr["font-size"] != "12" {
			continue
		}
		x0, y0, x1, _ := e.box()
		place := (x0 + x1) / 2
		level := y0 > height-2*row-1 // beside the horizontal axis
		if vertical {
			place = e.number("y") - middle*tickSize
		}
		if v := valueOf(e.text); level != vertical && !math.IsNaN(v) {
			values, places = append(values, scale(v)), append(places, place)
		}
	}
	n := len(values) - 1
	if n < 1 {
		return nil
	}
	return func(v float64) float64 {
		return places[0] + (scale(v)-values[0])/(values[n]-values[0])*(places[n]-places[0])
	}
}

// Each point is where the labels of the axes say, with its marker and its spread.
func TestPointsAreAtTheirValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Axes{Title: "t", X: "x", Y: "y", LogX: rapid.Bool().Draw(t, "log x"), LogY: rapid.Bool().Draw(t, "log y")}
		size := math.Pow(10, rapid.Float64Range(-8, 8).Draw(t, "size"))
		values := func(log bool, name string) []float64 {
			draw := rapid.Float64Range(-1, 1)
			if log {
				draw = rapid.Map(rapid.Float64Range(-3, 3), func(e float64) float64 { return math.Pow(10, e) })
			}
			v := rapid.SliceOfN(draw, 6, 6).Draw(t, name)
			for i := range v {
				v[i] *= size
			}
			return v
		}
		s := make([]Series, rapid.IntRange(1, 9).Draw(t, "series"))
		for i := range s {
			s[i] = Series{Name: fmt.Sprint("name ", i), X: values(a.LogX, "x"), Y: values(a.LogY, "y")}
		}
		svg, err := Lines(a, s)
		all := parsed(t, svg, err)
		x, y := rulerOf(all, false, a.LogX), rulerOf(all, true, a.LogY)
		if y == nil {
			t.Fatalf("there are no ticks to read values from: %q", textsOf(all))
		}
		for i := range s {
			for _, e := range seriesOf(all, i) {
				places := slices.Concat(e.lines...)
				if len(places) != len(s[i].X) {
					t.Fatalf("series %d: %d places of %d points", i, len(places), len(s[i].X))
				}
				for j, p := range places {
					if x != nil && math.Abs(p[0]-x(s[i].X[j])) > 0.1 || math.Abs(p[1]-y(s[i].Y[j])) > 0.1 {
						t.Fatalf("series %d: (%v, %v) is at %v", i, s[i].X[j], s[i].Y[j], p)
					}
				}
			}
		}
	})
}

// A spread is drawn from Y − spread to Y + spread.
func TestSpreadsAreAtTheirValues(t *testing.T) {
	x, y, spread := []float64{1, 2, 3}, []float64{10, 25, 20}, []float64{2.5, 0, 7}
	svg, err := Lines(Axes{}, []Series{{Name: "a", X: x, Y: y, Spread: spread}})
	all := parsed(t, svg, err)
	h, v := rulerOf(all, false, false), rulerOf(all, true, false)
	var bars [][][2]float64
	for _, e := range all {
		if e.attr["stroke-opacity"] == "0.47" {
			bars = append(bars, e.lines...)
		}
	}
	if len(bars) != 6 {
		t.Fatalf("%d lines of spreads: %v", len(bars), bars)
	}
	for i, j := range []int{0, 2} {
		for k, want := range []float64{y[j] - spread[j], y[j] + spread[j]} {
			if p := bars[3*i][k]; math.Abs(p[0]-h(x[j])) > 0.1 || math.Abs(p[1]-v(want)) > 0.1 {
				t.Errorf("the spread of point %d ends at %v, not at %v", j, p, want)
			}
		}
	}
}

func has(texts []string, want string) bool {
	for _, s := range texts {
		if s == want {
			return true
		}
	}
	return false
}

const hostile = "</text><script>\"'&\x00\n\u202eb|a"

func TestHostileNamesAreText(t *testing.T) {
	a := Axes{Title: hostile, X: hostile, Y: hostile}
	s := []Series{{Name: hostile, X: []float64{0}, Y: []float64{1}}, {Name: "stroke:#000000", X: []float64{0}, Y: []float64{2}}}
	for name, draw := range map[string]func() ([]byte, error){
		"lines":  func() ([]byte, error) { return Lines(a, s) },
		"points": func() ([]byte, error) { return Lines(Axes{Title: hostile, Categories: []string{hostile}}, s) },
		"ranks":  func() ([]byte, error) { return Ranks([]string{hostile, "b"}, []float64{1, 2}, 1) },
	} {
		svg, err := draw()
		all := parsed(t, svg, err)
		if !strings.Contains(all[0].attr["aria-label"], "<script>\"'&") {
			t.Errorf("%s: label %q", name, all[0].attr["aria-label"])
		}
		if found := strings.Join(textsOf(all), " "); !strings.Contains(found, "</text>") {
			t.Errorf("%s: the name is not among %q", name, found)
		} else if name != "ranks" && !strings.Contains(found, s[1].Name) {
			t.Errorf("%s: %q is not among %q", name, s[1].Name, found)
		}
	}
}

func TestSeriesBreakAtGaps(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		logX, logY bool
		x, y       []float64
		want       int // moves of the pen of the line
	}{
		{false, false, []float64{1, 2, 3, 4}, []float64{1, 2, 3, 5}, 1},
		{false, false, []float64{1, 2, 3, 4, 5}, []float64{1, 2, nan, 5, 4}, 2},
		{false, false, []float64{1, 2, 3, 4, 5}, []float64{1, 2, math.Inf(1), 5, 4}, 2},
		{false, false, []float64{1, 2, 3, 4, 5}, []float64{1, 2, 0, 5, 4}, 1},
		{false, true, []float64{1, 2, 3, 4, 5}, []float64{1, 2, 0, 5, 4}, 2},
		{true, false, []float64{-1, 0, 3, 4, 5}, []float64{1, 2, 0, 5, 4}, 1},
	} {
		svg, err := Lines(Axes{LogX: c.logX, LogY: c.logY}, []Series{{Name: "a", X: c.x, Y: c.y}})
		all := parsed(t, svg, err)
		if got := len(seriesOf(all, 0)[0].lines); got != c.want {
			t.Errorf("%v, %v: %d pieces, want %d", c.x, c.y, got, c.want)
		}
	}
}

func TestNothingToDrawIsAnError(t *testing.T) {
	nan := []float64{math.NaN()}
	draws := map[string]func() ([]byte, error){
		"no series":       func() ([]byte, error) { return Lines(Axes{}, nil) },
		"no point":        func() ([]byte, error) { return Lines(Axes{}, []Series{{Name: "a"}}) },
		"not a number":    func() ([]byte, error) { return Lines(Axes{}, []Series{{X: []float64{1}, Y: nan}}) },
		"zero logarithm":  func() ([]byte, error) { return Lines(Axes{LogY: true}, []Series{{X: []float64{1}, Y: []float64{0}}}) },
		"fewer X":         func() ([]byte, error) { return Lines(Axes{}, []Series{{X: nil, Y: []float64{0}}}) },
		"fewer spreads":   func() ([]byte, error) { return Lines(Axes{}, []Series{{X: nan, Y: nan, Spread: []float64{}}}) },
		"no ranks":        func() ([]byte, error) { return Ranks(nil, nil, 1) },
		"ranks and names": func() ([]byte, error) { return Ranks([]string{"a"}, []float64{1, 2}, 1) },
		"rank 0":          func() ([]byte, error) { return Ranks([]string{"a"}, []float64{0}, 1) },
		"no difference":   func() ([]byte, error) { return Ranks([]string{"a"}, []float64{1}, math.NaN()) },
	}
	for name, draw := range draws {
		if svg, err := draw(); err == nil || svg != nil {
			t.Errorf("%s: %d bytes, error %v", name, len(svg), err)
		}
	}
}

// Values of which floating point has few digits are zero.
func TestTinyValues(t *testing.T) {
	for _, v := range []float64{5e-324, 1e-300, -1e-310} {
		svg, err := Lines(Axes{}, []Series{{Name: "a", X: []float64{1, 1}, Y: []float64{v, 1e300}}})
		parsed(t, svg, err)
		svg, err = Lines(Axes{Categories: []string{"g"}}, []Series{{Name: "a", X: []float64{0}, Y: []float64{v}}})
		parsed(t, svg, err)
	}
	svg, err := Lines(Axes{LogX: true, LogY: true}, []Series{{Name: "a", X: []float64{smallest}, Y: []float64{smallest}}})
	parsed(t, svg, err)
}

// A value of many digits at the right end of the axis is not written into the names.
func TestLongValueAtTheEnd(t *testing.T) {
	x := []float64{0.00048828125, 0.5000019073486328}
	var s []Series
	for i := range 16 {
		s = append(s, Series{Name: fmt.Sprint("name ", i), X: x, Y: []float64{1, 1e12}})
	}
	svg, err := Lines(Axes{X: "x", Y: "y", LogX: true, LogY: true}, s)
	if texts := textsOf(parsed(t, svg, err)); !has(texts, "0.01") {
		t.Errorf("no round number among %q", texts)
	}
}

// Whatever is drawn is well-formed, the same each time, and has a text for
// each name.
func TestAnyFigure(t *testing.T) {
	values := rapid.OneOf(rapid.Float64(), rapid.Float64Range(-1, 1), rapid.Float64Range(0, 100),
		rapid.SampledFrom([]float64{0, 1, math.NaN(), math.Inf(1), math.Inf(-1), 1e308, 5e-324, 1e-300, 1e12, 0.1, 0.1 + 1e-16}))
	rapid.Check(t, func(t *rapid.T) {
		a := Axes{Title: "t", X: rapid.String().Draw(t, "x"), Y: "y", LogX: rapid.Bool().Draw(t, "log x"), LogY: rapid.Bool().Draw(t, "log y")}
		n := rapid.IntRange(1, 5).Draw(t, "n")
		s := make([]Series, rapid.IntRange(1, 20).Draw(t, "series"))
		points := Axes{Y: "y", LogY: a.LogY, Categories: rapid.SliceOfN(rapid.String(), n, n).Draw(t, "categories")}
		at := []float64{0, 1, 2, 3, 4}[:n]
		some := rapid.SliceOfN(values, n, n)
		for i := range s {
			s[i] = Series{Name: fmt.Sprint("name ", i), X: some.Draw(t, "x"), Y: some.Draw(t, "y")}
			if rapid.Bool().Draw(t, "spread") {
				s[i].Spread = some.Draw(t, "spread")
			}
		}
		for name, draw := range map[string]func() ([]byte, error){
			"lines": func() ([]byte, error) { return Lines(a, s) },
			"points": func() ([]byte, error) {
				s := slices.Clone(s)
				for i := range s {
					s[i].X = at
				}
				return Lines(points, s)
			},
		} {
			svg, err := draw()
			if err != nil {
				if !strings.Contains(err.Error(), "could be drawn") {
					t.Fatalf("%s: %v", name, err)
				}
				continue
			}
			again, _ := draw()
			if !bytes.Equal(svg, again) {
				t.Fatalf("%s differ from call to call", name)
			}
			all := textsOf(parsed(t, svg, err))
			for i := range s {
				if want := s[i].Name; len(s) > 1 && !has(all, want) && !has(all, want+noValues) {
					t.Fatalf("%s: no %q among %q", name, want, all)
				}
			}
		}
	})
}

// A point of a category that has no name has no place.
func TestPointsOutsideOfCategories(t *testing.T) {
	a := Axes{Categories: []string{"a", "b"}}
	svg, err := Lines(a, []Series{{Name: "s", X: []float64{-1, 0, 1, 2}, Y: []float64{1, 2, 3, 4}}})
	if places := seriesOf(parsed(t, svg, err), 0)[1].lines; len(places) != 2 {
		t.Errorf("%d points on %d categories", len(places), len(a.Categories))
	}
}

// Any ranks make a figure with all names, in which nothing is outside.
func TestAnyRanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "n")
		ranks := rapid.SliceOfN(rapid.Float64Range(1, float64(n)), n, n).Draw(t, "ranks")
		names := rapid.SliceOfN(rapid.String(), n, n).Draw(t, "names")
		cd := rapid.OneOf(rapid.Float64Range(0, float64(n)), rapid.Float64Range(0, largest)).Draw(t, "critical difference")
		svg, err := Ranks(names, ranks, cd)
		all := parsed(t, svg, err)
		x, dots := rulerOf(all, false, false), all[len(all)-1]
		for _, e := range all {
			if strings.Contains(e.attr["d"], circle) {
				dots = e
			}
		}
		if len(dots.lines) != n {
			t.Fatalf("%d dots of %d ranks", len(dots.lines), n)
		}
		sorted := slices.Sorted(slices.Values(ranks))
		for i, p := range slices.Concat(dots.lines...) {
			if x != nil && math.Abs(p[0]-x(sorted[i])) > 0.1 {
				t.Fatalf("rank %v is at %v", sorted[i], p)
			}
		}
	})
	svg, err := Ranks([]string{"a", "b"}, []float64{1, 2}, 1.0001)
	parsed(t, svg, err)
}

// The names of fifteen lines, of which many end at one place, are all there,
// beside the lines and in the order of their ends.
func TestNamesAreBesideLines(t *testing.T) {
	var s []Series
	for i := range 15 {
		s = append(s, Series{Name: fmt.Sprintf("%d. method of a long name", i), X: []float64{0, 1}, Y: []float64{50, 50 + float64(i%3)}})
	}
	svg, err := Lines(Axes{X: "x", Y: "y"}, s)
	var ends []float64
	all := parsed(t, svg, err)
	wide, _ := all[0].size()
	for _, e := range all {
		var i int
		if _, err := fmt.Sscanf(e.text, "%d. method", &i); e.name != "text" || err != nil {
			continue
		}
		if x, _, right, _ := e.box(); x < 0.6*width || right > wide || !strings.HasSuffix(e.text, "of a long name") {
			t.Errorf("%q is at %v … %v", e.text, x, right)
		}
		ends = append(ends, s[i].Y[1])
	}
	if len(ends) != len(s) || !slices.IsSortedFunc(ends, func(a, b float64) int { return cmp.Compare(b, a) }) {
		t.Errorf("the names are of lines that end at %v", ends)
	}
}

// WCAG 2.2, 1.4.11: graphics have a contrast of 3:1 to what is behind them.
func TestInksContrast(t *testing.T) {
	luminance := func(colour string) float64 {
		var c [3]uint8
		if _, err := fmt.Sscanf(colour, "#%02x%02x%02x", &c[0], &c[1], &c[2]); err != nil {
			t.Fatalf("%s: %v", colour, err)
		}
		l := 0.0
		for i, v := range c {
			u := float64(v) / 255
			if u <= 0.04045 {
				u /= 12.92
			} else {
				u = math.Pow((u+0.055)/1.055, 2.4)
			}
			l += u * []float64{0.2126, 0.7152, 0.0722}[i]
		}
		return l + 0.05
	}
	dark := luminance("#111111")
	for _, c := range inks[1:] { // the first is the colour of the text
		if l := luminance(c); 1.05/l < 3 || l/dark < 3 {
			t.Errorf("%v has contrasts %.2f and %.2f", c, 1.05/l, l/dark)
		}
	}
}

func TestSeriesLookDifferent(t *testing.T) {
	seen := map[string]int{}
	for i := range 56 {
		line, mark := look(i)
		colour := fmt.Sprintf("%v %v", line, mark)
		grey := fmt.Sprintf("without colour %v %v", line.dashes, mark)
		for _, s := range []string{colour, grey} {
			if j, twice := seen[s]; twice {
				t.Errorf("series %d looks like %d", i, j)
			}
			seen[s] = i
		}
	}
}

func TestRanksAreNamed(t *testing.T) {
	svg, err := Ranks([]string{"worse", "best", "middle"}, []float64{2.6, 1.25, 2.15}, 1.2)
	all := parsed(t, svg, err)
	texts := textsOf(all)
	for _, want := range []string{"best 1.25", "middle 2.15", "worse 2.60", "critical difference 1.20"} {
		if !has(texts, want) {
			t.Errorf("no %q among %q", want, texts)
		}
	}
	if want := "Average ranks: best 1.25, middle 2.15, worse 2.60; critical difference 1.20"; all[0].attr["aria-label"] != want {
		t.Errorf("label %q", all[0].attr["aria-label"])
	}
	svg, err = Ranks([]string{"a", "b"}, []float64{1, 2}, 1e11)
	parsed(t, svg, err)
}
