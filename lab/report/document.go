package report

import (
	"slices"
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
	Level  int  // 2, or 3 for a part of a plan
	Folded bool // it is opened by whoever wants more than the rates
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
