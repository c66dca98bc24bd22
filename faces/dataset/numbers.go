package dataset

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/kit/npz"
	"nrdl.example/nrdl/internal/kit/regular"
	"nrdl.example/nrdl/internal/legible"
)

// openNPY reads the array of a .npy file: samples without labels.
func openNPY(path string, opt Options) (*Images, error) {
	data, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	a, err := npz.ReadArray(bytes.NewReader(data), "X", npz.DefaultLimits)
	if err == nil && !opt.Arrays.Unlabelled && !opt.Arrays.Optional {
		err = advice.Add(errors.New("one array, and no labels"), "in Python, numpy.savez('set.npz', X=X, y=y) writes both into one file")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	opt.Arrays.X, opt.Arrays.Y, opt.Arrays.Unlabelled = "", "", true
	t, err := labelled(contents{a}, opt)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t.set(path, opt)
}

// openNumbers reads a table of numbers: a sample in each line, and its label in one column.
func openNumbers(ctx context.Context, data []byte, path string, opt Options) (*Images, error) {
	t, err := numbersOf(ctx, data, opt.Arrays)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t.grouped(Frame{}, 0)
}

// holdsNumbers reports whether the text file at path is a table of numbers, and no list of images:
// its second line has three fields at least, of which all but two are numbers.
func holdsNumbers(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv", ".tsv", ".txt":
	default:
		return false
	}
	file, _, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	head, err := io.ReadAll(io.LimitReader(file, 2*maxLine))
	return err == nil && tableOfNumbers(head)
}

// tableOfNumbers is holdsNumbers of the beginning of a file.
func tableOfNumbers(head []byte) bool {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	comma, err := separator(head)
	if err != nil {
		return false
	}
	r := tableReader(head, comma)
	var fields []string
	for range 2 {
		one, err := r.Read()
		if err != nil {
			break
		}
		fields = one
	}
	n := 0
	for _, f := range fields {
		if _, err := number(f, comma); err == nil {
			n++
		}
	}
	return len(fields) >= 3 && n > 0 && n >= len(fields)-2
}

func tableReader(data []byte, comma rune) *csv.Reader {
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma, r.Comment, r.FieldsPerRecord, r.TrimLeadingSpace = comma, '#', -1, comma != '\t'
	return r
}

// number reads a number, with a decimal comma where the comma does not separate fields.
func number(text string, comma rune) (float64, error) {
	text = strings.TrimSpace(text)
	if comma != ',' && strings.Count(text, ",") == 1 && !strings.Contains(text, ".") {
		text = strings.Replace(text, ",", ".", 1)
	}
	if strings.ContainsAny(text, "xX_") { // Go's own forms
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(text, 64)
}

// labelColumns are the names of columns of labels, lower case.
var labelColumns = []string{"label", "labels", "class", "y", "target", "person", "name", "subject", "species", "gnd"}

// numbersOf reads a table of numbers. Its labels are in the column that a.Y names, else in the one
// with a common name, else in the only one that holds no numbers.
func numbersOf(ctx context.Context, data []byte, a Arrays) (*table, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(data) {
		return nil, errors.New("the text is not UTF-8")
	}
	comma, err := separator(data)
	if err != nil {
		return nil, err
	}
	t := numberTable{comma: comma, label: -1}
	r := tableReader(data, comma)
	for {
		fields, err := r.Read()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = context.Cause(ctx)
		}
		if err == nil {
			line, _ := r.FieldPos(0)
			err = t.add(fields, line, a.Y)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(t.header) > 0 { // one line, which is no header
		if err := t.begin(t.header, nil, a.Y); err != nil {
			return nil, err
		}
	}
	return t.table(a)
}

// A numberTable is a table of numbers while it is read.
type numberTable struct {
	comma    rune
	header   []string // the first line, until the second says whether it is a header
	heldLine int
	names    []string // of the columns, if there is a header
	columns  []int    // those of numbers
	label    int      // column of labels, or −1
	width    int      // fields of a line
	x        []float64
	y        []string
}

func (t *numberTable) add(fields []string, line int, label string) error {
	switch {
	case t.width == 0:
		t.header, t.heldLine, t.width = slices.Clone(fields), line, len(fields)
		return nil
	case len(fields) != t.width:
		return fmt.Errorf("line %d has %s, and the first line %d", line, legible.Count(len(fields), "field"), t.width)
	case t.columns == nil:
		if err := t.begin(t.header, fields, label); err != nil {
			return err
		}
		t.header = nil
	}
	return t.row(fields, line)
}

// begin finds the columns by the first line, and the second one unless that is nil.
func (t *numberTable) begin(first, second []string, label string) error {
	sample := second
	if sample == nil {
		sample = first
	}
	var text []int // columns without a number
	for c, f := range sample {
		if _, err := number(f, t.comma); err != nil {
			text = append(text, c)
		} else if _, err := number(first[c], t.comma); err != nil {
			t.names = first
		}
	}
	var err error
	if t.label, err = t.labelColumn(text, label); err != nil {
		return err
	}
	for c := range sample {
		if c != t.label && !(t.names != nil && c == 0 && strings.TrimSpace(t.names[0]) == "") { // the index of pandas
			t.columns = append(t.columns, c)
		}
	}
	if len(t.columns) == 0 {
		return errors.New("no column holds numbers")
	}
	if t.names == nil {
		return t.row(first, t.heldLine)
	}
	return nil
}

// labelColumn is the column of labels, −1 for none. Text are the columns that hold no numbers.
func (t *numberTable) labelColumn(text []int, label string) (int, error) {
	common := -1
	for c, name := range t.names {
		name = strings.ToLower(strings.TrimSpace(name))
		if label != "" && name == strings.ToLower(label) {
			return c, nil
		}
		if common < 0 && slices.Contains(labelColumns, name) {
			common = c
		}
	}
	switch {
	case label != "" && t.names == nil:
		return -1, fmt.Errorf("the first line does not name the columns, of which %q would be the labels", label)
	case label != "":
		return -1, advice.Add(fmt.Errorf("no column is named %q", label), "the columns are %s", legible.Abridged(t.names))
	case common >= 0:
		return common, nil
	case len(text) == 1:
		return text[0], nil
	case len(text) > 1:
		return -1, advice.Add(fmt.Errorf("columns %d and %d hold no numbers: which are the labels?", text[0]+1, text[1]+1),
			"%v names their column, which the first line names", advice.LabelArray)
	}
	return -1, nil
}

func (t *numberTable) row(fields []string, line int) error {
	if len(t.x)/len(t.columns) == maxRows {
		return fmt.Errorf("more than %d samples", maxRows)
	}
	for _, c := range t.columns {
		v, err := number(fields[c], t.comma)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return advice.Add(fmt.Errorf("line %d, column %d: %.40q is no number", line, c+1, fields[c]),
				"samples have a finite number in each column but that of the labels")
		}
		t.x = append(t.x, v)
	}
	if t.label >= 0 {
		label := strings.TrimSpace(fields[t.label])
		if label == "" {
			return fmt.Errorf("line %d has no label", line)
		}
		t.y = append(t.y, strings.Clone(label))
	}
	return nil
}

// table is what was read, a sample in each column.
func (t *numberTable) table(a Arrays) (*table, error) {
	if len(t.x) == 0 {
		return nil, errors.New("it holds no samples")
	}
	labelled := t.label >= 0
	if !labelled && !a.Unlabelled && !a.Optional {
		return nil, advice.Add(errors.New("no column holds labels"),
			"%v names their column, which the first line names; label, class and y are known names", advice.LabelArray)
	}
	d := len(t.columns)
	x := mat.DenseCopyOf(mat.NewDense(len(t.x)/d, d, t.x).T())
	return &table{x: x, labels: t.y, unlabelled: a.Unlabelled || !labelled}, nil
}
