package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/lab/report/plot"
	"nrdl.example/nrdl/method"
)

// A Figure is a plot and the numbers in it.
type Figure struct {
	Name      string // of a file, without extension; unique in a report
	Title     string
	Caption   string
	Alt       string
	Axes      plot.Axes
	Series    []plot.Series
	rankNames []string // names of a diagram of ranks
	ranks     *Ranking // of it; nil for lines
	heat      *plot.Heat
	sample    []float64 // values of X in the table of numbers; nil for all
}

// SVG draws the figure.
func (f *Figure) SVG() ([]byte, error) {
	var svg []byte
	var err error
	switch {
	case f.ranks != nil:
		svg, err = plot.Ranks(f.rankNames, f.ranks.Mean, f.ranks.CD)
	case f.heat != nil:
		svg, err = f.heat.SVG()
	default:
		svg, err = plot.Lines(f.Axes, f.Series)
	}
	if err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.Name, err)
	}
	return svg, nil
}

// numbers returns the values in the figure as a table; nil for ranks, which are in another
// table.
func (f *Figure) numbers() *table {
	switch {
	case f.ranks != nil:
		return nil
	case f.heat != nil:
		return f.heatTable()
	}
	xs := f.xs()
	t := &table{Caption: f.Title, Head: heads(f.Axes.X)}
	for _, x := range xs {
		title := digits(x, 6)
		if f.Axes.Categories != nil {
			title = f.Axes.Categories[int(x)]
		}
		t.Head = append(t.Head, head{Title: title})
	}
	for _, s := range f.Series {
		row := cells(s.Name)
		for _, x := range xs {
			c := cell{Text: "—"}
			for i := range s.Y {
				if s.X[i] != x || math.IsNaN(s.Y[i]) {
					continue
				}
				if !strings.HasSuffix(f.Axes.Y, "%") {
					c.Text = digits(s.Y[i], 4)
				} else if c.Text = tenths(s.Y[i]); s.Spread != nil && s.Spread[i] > 0 {
					c.Spread = tenths(s.Spread[i])
				}
			}
			row = append(row, c)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// xs returns all values of X of the series, ascending.
func (f *Figure) xs() (xs []float64) {
	for _, s := range f.Series {
		for _, x := range s.X {
			if at, ok := slices.BinarySearch(xs, x); !ok && (f.sample == nil || slices.Contains(f.sample, x)) {
				xs = slices.Insert(xs, at, x)
			}
		}
	}
	return xs
}

// A sweep is a quantity on the x-axis of a figure, in which columns differ.
type sweep struct {
	title  string // "… against" it
	axis   string
	value  func(c *Column) (x float64, ok bool)
	common func(c *Column) columnKey // what columns of one figure have in common
}

var sweeps = []sweep{
	{
		"salt-and-pepper noise", "noise density, %",
		func(c *Column) (float64, bool) { return percent(c.Noise), true },
		func(c *Column) columnKey { k := c.key; k.noise = 0; return k },
	},
	{
		"occlusion", "covered by a block, %",
		func(c *Column) (float64, bool) { return percent(c.Occlude), true },
		func(c *Column) columnKey { k := c.key; k.occlusion = 0; return k },
	},
	{
		"training images", "training images per person",
		func(c *Column) (float64, bool) {
			_, k, _ := strings.Cut(c.Split, ":")
			v, err := strconv.Atoi(k)
			return float64(v), err == nil
		},
		func(c *Column) columnKey { k := c.key; k.split, _, _ = strings.Cut(c.Split, ":"); return k },
	},
}

// curves returns the figures of rates against the quantities of sweeps.
func (p *Plan) curves() (all []*Figure) {
	for _, s := range sweeps {
		order, groups := grouped(len(p.Columns), func(j int) (columnKey, bool) {
			_, ok := s.value(p.Columns[j])
			return s.common(p.Columns[j]), ok
		})
		for _, k := range order {
			if len(groups[k]) > 1 {
				others := slices.ContainsFunc(order, func(o columnKey) bool { return o != k && o.data == k.data })
				if f := p.curve(s, groups[k], others); len(f.Series) > 0 {
					all = append(all, f)
				}
			}
		}
	}
	return all
}

// grouped groups the numbers below n by their keys. Order has the keys in the order of
// their first number.
func grouped[K comparable](n int, keyOf func(int) (k K, ok bool)) (order []K, groups map[K][]int) {
	groups = map[K][]int{}
	for i := range n {
		if k, ok := keyOf(i); ok {
			if groups[k] == nil {
				order = append(order, k)
			}
			groups[k] = append(groups[k], i)
		}
	}
	return order, groups
}

// curve returns the figure of the columns of a sweep. If there are others of the same data
// set, its title has the split and the corruption.
func (p *Plan) curve(s sweep, columns []int, others bool) *Figure {
	first := p.Columns[columns[0]]
	title := first.Title
	if others {
		title += ", " + first.Sub
	}
	f := &Figure{
		Title: fmt.Sprintf("%s: rate against %s", title, s.title),
		Axes:  plot.Axes{Title: first.Title, X: s.axis, Y: "rate, %"},
	}
	var shown []int
	for i, l := range p.Labels {
		if !l.onMap() {
			shown = append(shown, i)
		}
	}
	base := "" // of all, if of any
	for n, i := range shown {
		if l := p.Labels[i]; l.Variation == nil || n > 0 && l.Base() != base {
			base = ""
			break
		} else {
			base = l.Base()
		}
	}
	xs := make([]float64, len(columns))
	for n, j := range columns {
		xs[n], _ = s.value(p.Columns[j])
	}
	for _, i := range shown {
		l := p.Labels[i]
		name, look := l.Name, l.look
		if base != "" {
			name, look = l.Variation.Path+"="+l.Variation.Value, 0
		}
		f.line(name, look, xs, func(n int) *Cell { return p.Cells[i][columns[n]] })
	}
	caption := "Means over runs with the sample standard deviation."
	if base != "" {
		caption = base + ". " + caption
	}
	f.describe(caption)
	return f
}

// look gives each method a colour that is its own in all figures of r. Plans of few methods come first:
// their figures show all of them.
func (r *Report) look() {
	looks := map[string]int{}
	plans := slices.Clone(r.Plans)
	slices.SortStableFunc(plans, func(a, b *Plan) int { return cmp.Compare(len(a.Labels), len(b.Labels)) })
	for _, p := range plans {
		for _, l := range p.Labels {
			if looks[l.Method] == 0 {
				looks[l.Method] = len(looks)%plot.Looks + 1
			}
			l.look = looks[l.Method]
		}
	}
}

// line adds a line with the means of cells at xs to f. A cell without runs is a gap. A look that
// another line of f has is changed, but for its colour; 0 takes the next one.
func (f *Figure) line(name string, look int, xs []float64, cell func(n int) *Cell) {
	for range plot.Looks / plot.Inks {
		if look > 0 && slices.ContainsFunc(f.Series, func(s plot.Series) bool { return s.Look == look }) {
			look = (look-1+plot.Inks)%plot.Looks + 1
		}
	}
	s := plot.Series{Name: name, Look: look}
	for n, x := range xs {
		if c := cell(n); c.N > 0 {
			s.X, s.Y, s.Spread = append(s.X, x), append(s.Y, c.Mean), append(s.Spread, c.SD)
		}
	}
	if len(s.X) > 0 {
		f.Series = append(f.Series, s)
	}
}

// describe sets the caption and the alternative text of f.
func (f *Figure) describe(caption string) {
	f.Caption = caption
	names := make([]string, len(f.Series))
	for i, s := range f.Series {
		names[i] = s.Name
	}
	f.Alt = fmt.Sprintf("%s. %s. Lines: %s.", f.Title, f.Axes.Y+" over "+f.Axes.X, strings.Join(names, ", "))
}

// fixedValue is a sentence with the value of the parameter at path in runs of the same
// method in which the plan does not vary it; "" if there are none.
func (p *Plan) fixedValue(path string, labels []int) string {
	i := p.label(p.Labels[labels[0]].Method)
	if i < 0 {
		return ""
	}
	var values []string
	for j := range p.Columns {
		for _, r := range p.Cells[i][j].runs {
			if v, ok := value(r, path); ok && !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
	}
	if len(values) == 0 {
		return ""
	}
	return fmt.Sprintf(" %s has %s = %s.", p.Labels[i].Name, path, join(values))
}

// value returns the value of the parameter at path in r.
func value(r *experiment.Record, path string) (string, bool) {
	m, err := method.Named(r.Method)
	if err != nil {
		return "", false
	}
	if m, err = method.Unmarshal(m, r.Params); err != nil {
		return "", false
	}
	for _, param := range method.Params(m) {
		if param.Path == path {
			return param.Value, true
		}
	}
	return "", false
}

// short returns names of columns that differ: titles, or splits and corruptions. The
// latter come first, since long names are cut at the end.
func short(columns []*Column) []string {
	titles := map[string]int{}
	splits := map[string]bool{}
	for _, c := range columns {
		titles[c.Title]++
		splits[c.Split] = true
	}
	names := make([]string, len(columns))
	for j, c := range columns {
		suffix := c.Sub
		if len(splits) == 1 {
			suffix = cmp.Or(strings.TrimPrefix(strings.TrimPrefix(c.Sub, c.Split), ", "), "clean")
		}
		switch {
		case len(titles) == 1 && len(columns) > 1:
			names[j] = suffix
		case titles[c.Title] == 1:
			names[j] = c.Title
		default:
			names[j] = suffix + ", " + c.Title
		}
	}
	return names
}
