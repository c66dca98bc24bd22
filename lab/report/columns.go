package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"nrdl.example/nrdl/internal/natural"
	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/method"
)

// A Column is a setting: a data set with a split and a corruption. Runs of one
// setting can be compared.
type Column struct {
	Title   string // of the data set
	Sub     string // its split, and its corruption, if any
	Source  experiment.Source
	Split   string
	Noise   float64
	Occlude float64
	Repeats []int // with a record of any label, ascending
	key     columnKey
}

type columnKey struct {
	data, hash, split string
	noise, occlusion  float64
}

func keyOf(r *experiment.Record) columnKey {
	return columnKey{r.Dataset.Name, r.Dataset.Hash, r.Split, r.Noise, r.Occlusion}
}

func newColumn(r *experiment.Record) *Column {
	return &Column{
		Title: cmp.Or(r.Dataset.Title, r.Dataset.Name), Source: r.Dataset,
		Split: r.Split, Noise: r.Noise, Occlude: r.Occlusion, key: keyOf(r),
	}
}

func (c *Column) addRepeat(r *experiment.Record) {
	if i, ok := slices.BinarySearch(c.Repeats, r.Repeat); !ok {
		c.Repeats = slices.Insert(c.Repeats, i, r.Repeat)
	}
}

// clean reports whether the images are not corrupted.
func (c *Column) clean() bool { return c.Noise == 0 && c.Occlude == 0 }

// String is the title of c in running text.
func (c *Column) String() string { return c.Title + ", " + c.Sub }

// name sets Sub of all columns, so that columns differ.
func name(columns []*Column) {
	for _, c := range columns {
		parts := []string{c.Split}
		if c.Noise > 0 {
			parts = append(parts, "noise "+share(c.Noise))
		}
		if c.Occlude > 0 {
			parts = append(parts, "covered "+share(c.Occlude))
		}
		twin := func(o *Column) bool { return o.Source.Name == c.Source.Name && o.key.hash != c.key.hash }
		if slices.ContainsFunc(columns, twin) {
			parts = append(parts, "data "+c.key.hash[:min(8, len(c.key.hash))])
		}
		c.Sub = strings.Join(parts, ", ")
	}
}

// share formats a fraction in percent, with as many digits as it has.
func share(v float64) string {
	return strconv.FormatFloat(percent(v), 'f', -1, 64) + " %"
}

// percent is 100·v without visible rounding errors: 7 for 0.07.
func percent(v float64) float64 {
	p, _ := strconv.ParseFloat(strconv.FormatFloat(100*v, 'g', 12, 64), 64) // is a number
	return p
}

// dataOrder is the position of a data set in the order of the presets; others follow.
func dataOrder(s experiment.Source) int {
	all := method.PresetNames()
	if slices.Contains(all, s.Preset) {
		return slices.Index(all, s.Preset)
	}
	return indexOrLast(all, strings.ToLower(s.Name))
}

// indexOrLast is the index of name, or len(names).
func indexOrLast(names []string, name string) int {
	if i := slices.Index(names, name); i >= 0 {
		return i
	}
	return len(names)
}

func compareColumns(a, b *Column) int {
	return cmp.Or(
		cmp.Compare(dataOrder(a.Source), dataOrder(b.Source)),
		natural.Compare(a.Source.Name, b.Source.Name), cmp.Compare(a.Source.Name, b.Source.Name),
		natural.Compare(a.Split, b.Split), cmp.Compare(a.Split, b.Split),
		cmp.Compare(a.Noise, b.Noise), cmp.Compare(a.Occlude, b.Occlude), cmp.Compare(a.key.hash, b.key.hash))
}

// A Label is a method with its settings in a plan.
type Label struct {
	Name        string
	Method      string
	Variation   *experiment.Variation
	Explanation string // a sentence that explains it
	Plain       bool   // it has no features, and About is the description of the method
	Input       bool   // it has features
	HasTuning   bool   // parameters of a run or more were tuned
	look        int    // in figures, from 1
}

func newLabel(r *experiment.Record) *Label {
	return &Label{
		Name: r.Label, Method: r.Method, Variation: r.Variation, Explanation: about(r),
		Plain: r.Input == nil && explained(r) == "", Input: r.Input != nil,
	}
}

// onMap reports whether a map shows the label, among those of two varied parameters.
func (l *Label) onMap() bool { return l.Variation != nil && l.Variation.Second != nil }

// Base is the name of the label without the varied parameter.
func (l *Label) Base() string {
	if l.Variation == nil {
		return l.Name
	}
	varied := ""
	for v := l.Variation; v != nil; v = v.Second {
		varied += fmt.Sprintf(", %s=%s", v.Path, v.Value)
	}
	return strings.TrimSuffix(l.Name, varied)
}

// compareLabels has the order of method.All. For each method, labels with a varied
// parameter come last, in the order of its values.
func compareLabels(a, b *Label) int {
	all := method.Names()
	return cmp.Or(
		cmp.Compare(indexOrLast(all, a.Method), indexOrLast(all, b.Method)), natural.Compare(a.Method, b.Method),
		compareVaried(a, b),
		natural.Compare(a.Name, b.Name), cmp.Compare(a.Name, b.Name))
}

func compareVaried(a, b *Label) int {
	v, w := a.Variation, b.Variation
	switch {
	case v == nil && w == nil:
		return 0
	case v == nil:
		return -1
	case w == nil:
		return 1
	}
	c := cmp.Or(natural.Compare(a.Base(), b.Base()), cmp.Compare(v.Path, w.Path))
	if c != 0 {
		return c
	}
	c = compareValues(v.Value, w.Value)
	if c == 0 && v.Second != nil && w.Second != nil {
		c = compareValues(v.Second.Value, w.Second.Value)
	}
	return c
}

// compareValues compares numbers by their size, and texts as people do.
func compareValues(a, b string) int {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	return natural.Compare(a, b)
}

// later orders records by time, and equals by all fields that identify a run.
func later(a, b *experiment.Record) int {
	return cmp.Or(
		a.Cost.EndTime.Compare(b.Cost.EndTime),
		cmp.Compare(a.Label, b.Label), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Repeat, b.Repeat),
		cmp.Compare(a.Key, b.Key), cmp.Compare(a.Wrong, b.Wrong), cmp.Compare(a.Error, b.Error))
}

// A panel is the part of a plan in one table: columns, and the labels with records in one
// of them.
type panel struct {
	columns []int
	labels  []int
}

// panels divides p into tables without many gaps, if its data sets have different
// contestants. A column joins the first panel with which it has most labels in common.
// Columns and labels keep their order.
func (p *Plan) panels() (all []panel) {
	for j := range p.Columns {
		present := p.present(j)
		at := slices.IndexFunc(all, func(q panel) bool { return alikeLabels(q.labels, present) })
		if at < 0 {
			all = append(all, panel{})
			at = len(all) - 1
		}
		q := &all[at]
		q.columns = append(q.columns, j)
		for _, i := range present {
			if n, ok := slices.BinarySearch(q.labels, i); !ok {
				q.labels = slices.Insert(q.labels, n, i)
			}
		}
	}
	return all
}

// present returns the labels with a record for the data set of column j, in any of its
// settings.
func (p *Plan) present(j int) (labels []int) {
	for i := range p.Labels {
		for n, c := range p.Columns {
			if c.Source.Name == p.Columns[j].Source.Name && len(p.Cells[i][n].records) > 0 {
				labels = append(labels, i)
				break
			}
		}
	}
	return labels
}

// alikeLabels reports whether at least half of the labels in a or b are in both.
func alikeLabels(a, b []int) bool {
	both := 0
	for _, i := range a {
		if slices.Contains(b, i) {
			both++
		}
	}
	return 2*both >= len(a)+len(b)-both
}

// heads returns the head of the table of a panel.
func (p *Plan) heads(q panel) []head {
	all := heads("method")
	for _, j := range q.columns {
		all = append(all, head{Title: p.Columns[j].Title, Sub: p.Columns[j].Sub})
	}
	return all
}
