package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A document is a report in words, tables and figures, for all formats.
type document struct {
	Title    string
	Sections []section
	plans    map[item]string // the plan that has an item
}

// A section has blocks under a title.
type section struct {
	ID     string // in the document
	Title  string
	Level  int // 2, or 3 for a part of a plan
	Blocks []block
}

// A block has exactly one of these fields.
type block struct {
	Text    string
	Items   []item
	Code    []string // commands
	Table   *table
	Figures []*Figure // side by side
}

// An item is an element of a list. Term may be "".
type item struct{ Term, Text string }

// A table has row headers in the first column. Other columns are numbers unless Words is
// set.
type table struct {
	Caption string
	Head    []head
	Rows    [][]cell
	Notes   []string // cells refer to them, from 1
}

type head struct {
	Title, Sub string
	Words      bool
}

// heads returns the heads of columns of numbers, and wordHeads those of columns of words.
func heads(titles ...string) (all []head) {
	for _, t := range titles {
		all = append(all, head{Title: t})
	}
	return all
}

func wordHeads(titles ...string) []head {
	all := heads(titles...)
	for i := range all {
		all[i].Words = true
	}
	return all
}

// cells returns a row of texts.
func cells(texts ...string) (row []cell) {
	for _, t := range texts {
		row = append(row, cell{Text: t})
	}
	return row
}

// A cell is a text or a rate.
type cell struct {
	Text   string
	Spread string // after ±, or ""
	Best   bool
	Alike  bool
	Sub    string // smaller, below
	Shade  int    // percent of colour behind a number of a heat map, in LaTeX
	Notes  []int
}

// noted returns the number of the remark in the notes of t, to which it adds the remark
// if it is new.
func (t *table) noted(remark string) int {
	if i := slices.Index(t.Notes, remark); i >= 0 {
		return i + 1
	}
	t.Notes = append(t.Notes, remark)
	return len(t.Notes)
}

// Subtitled reports whether a column has a second line in its head.
func (t *table) Subtitled() bool {
	return slices.ContainsFunc(t.Head, func(h head) bool { return h.Sub != "" })
}

// wideTable is the number of columns above which a table is transposed, if it has fewer
// rows.
const wideTable = 9

// upright returns t, or the transpose of a wide table if that is narrower. A row has as
// many cells as the head.
func (t *table) upright() *table {
	if len(t.Head) <= wideTable || len(t.Head) <= len(t.Rows)+1 {
		return t
	}
	out := &table{Caption: t.Caption, Notes: t.Notes, Head: []head{{}}}
	for _, row := range t.Rows {
		out.Head = append(out.Head, head{Title: row[0].Text})
	}
	for j, h := range t.Head[1:] {
		line := []cell{{Text: h.Title, Sub: h.Sub}}
		for _, row := range t.Rows {
			line = append(line, row[j+1])
		}
		out.Rows = append(out.Rows, line)
	}
	return out
}

// rateCell returns the mean and the standard deviation.
func (c *Cell) rateCell() cell {
	if c.N == 0 {
		return cell{Text: "—"}
	}
	out := cell{Text: tenths(c.Mean)}
	if c.N > 1 {
		out.Spread = tenths(c.SD)
	}
	return out
}

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
