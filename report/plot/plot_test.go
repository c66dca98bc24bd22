package plot

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"image/color"
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
	rotated    bool // a quarter turn, counterclockwise
}

// box is where the text e lies in a figure of the given height; a letter is less
// than 0.8 of the size above the base line and 0.2 below.
func (e element) box(height float64) (x0, y0, x1, y1 float64) {
	number := func(name string) float64 {
		v, err := strconv.ParseFloat(e.attr[name], 64)
		if err != nil {
			panic(err)
		}
		return v
	}
	x, y, size, length := number("x"), number("y"), number("font-size"), number("textLength")
	if e.rotated {
		return y - 0.8*size, height - x - length, y + 0.2*size, height - x
	}
	return x, height + y - 0.8*size, x + length, height + y + 0.2*size
}

// checkTexts complains of text that is outside of the figure or over another.
func checkTexts(t interface{ Fatalf(string, ...any) }, all []element) {
	var width, height float64
	if _, err := fmt.Sscanf(all[0].attr["viewBox"], "0 0 %g %g", &width, &height); err != nil {
		t.Fatalf("%v", err)
	}
	const slack = 1
	for i, e := range all {
		if e.name != "text" {
			continue
		}
		x0, y0, x1, y1 := e.box(height)
		if x0 < -slack || y0 < -slack || x1 > width+slack || y1 > height+slack {
			t.Fatalf("%q is at (%v, %v) … (%v, %v) on %v×%v", e.text, x0, y0, x1, y1, width, height)
		}
		for _, o := range all[:i] {
			if o.name != "text" {
				continue
			}
			if a0, b0, a1, b1 := o.box(height); a0+slack < x1 && x0+slack < a1 && b0+slack < y1 && y0+slack < b1 {
				t.Fatalf("%q is over %q", e.text, o.text)
			}
		}
	}
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
			case "svg", "title", "style", "g", "path", "text":
			default:
				t.Fatalf("element %s", e.Name.Local)
			}
			turned := attr["transform"] == "rotate(90)"
			if len(open) > 0 {
				turned = turned || all[open[len(open)-1]].rotated
			}
			open = append(open, len(all))
			all = append(all, element{name: e.Name.Local, attr: attr, rotated: turned})
		case xml.CharData:
			if len(open) > 0 {
				all[open[len(open)-1]].text += string(e)
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
	root := all[0]
	if root.name != "svg" || root.attr["role"] != "img" || root.attr["viewBox"] == "" || root.attr["width"] != "100%" || root.attr["height"] != "" {
		t.Fatalf("root is %v", root)
	}
	for _, e := range all {
		if strings.Contains(e.attr["style"], "#000000") {
			t.Fatalf("black is not the colour of the text")
		}
	}
	checkTexts(t, all)
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
		l := newLine(0, 1, Series{Name: "a", X: c.x, Y: c.y}, Axes{LogX: c.logX, LogY: c.logY})
		if got := len(l.plotters) - 2; got != c.want { // and markers and error bars
			t.Errorf("%v, %v: %d pieces, want %d", c.x, c.y, got, c.want)
		}
		svg, err := Lines(Axes{LogX: c.logX, LogY: c.logY}, []Series{{Name: "a", X: c.x, Y: c.y}})
		parsed(t, svg, err)
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

// The names of fifteen lines, of which many end at one place, are all there,
// beside the lines and in the order of their ends.
func TestNamesAreBesideLines(t *testing.T) {
	var s []Series
	for i := range 15 {
		s = append(s, Series{Name: fmt.Sprintf("%d. method of a long name", i), X: []float64{0, 1}, Y: []float64{50, 50 + float64(i%3)}})
	}
	svg, err := Lines(Axes{X: "x", Y: "y"}, s)
	var ends []float64
	for _, e := range parsed(t, svg, err) {
		var i int
		if _, err := fmt.Sscanf(e.text, "%d. method", &i); e.name != "text" || err != nil {
			continue
		}
		if x, _, right, _ := e.box(0); x < 0.6*width || right > width {
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
	luminance := func(c color.NRGBA) float64 {
		l := 0.0
		for i, v := range []uint8{c.R, c.G, c.B} {
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
	dark := luminance(color.NRGBA{0x11, 0x11, 0x11, 255})
	for _, c := range inks[1:] { // the first is the colour of the text
		if l := luminance(c); 1.05/l < 3 || l/dark < 3 {
			t.Errorf("%v has contrasts %.2f and %.2f", c, 1.05/l, l/dark)
		}
	}
}

func TestSeriesLookDifferent(t *testing.T) {
	seen := map[string]int{}
	for i := range 28 {
		line, mark := look(i)
		colour := fmt.Sprintf("%v %T", line, mark.Shape)
		grey := fmt.Sprintf("without colour %v %T", line.Dashes, mark.Shape)
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
