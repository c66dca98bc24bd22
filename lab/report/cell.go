package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/lab/significance"
)

// A Cell is the result of the runs of a label in a column.
type Cell struct {
	N           int                   // runs with a rate
	Mean        float64               // percent; NaN without runs
	SD          float64               // points, sample standard deviation; NaN for fewer than 2 runs
	Published   *experiment.Published // nil if none is
	Note        string                // about this rate, from the plan
	Failures    int
	MissingRuns int // repeats that only other labels of the column have
	Errors      []string
	Mixed       bool        // the runs have different parameters although none is tuned
	Best        bool        // highest mean of the complete cells of the column
	Alike       bool        // not significantly different from the best
	Comparison  *Comparison // with the best; nil for the best and if there is no test
	Rank        float64     // in the column, among the ranked labels; NaN for others

	records []*experiment.Record // failed ones too, by repeat
	runs    []*experiment.Record // those that count
}

func newCell(c *Column, records []*experiment.Record) *Cell {
	cell := &Cell{Mean: math.NaN(), SD: math.NaN(), Rank: math.NaN(), records: records, MissingRuns: len(c.Repeats) - len(records)}
	for _, r := range records {
		cell.Published = cmp.Or(cell.Published, r.Published)
		cell.Note = cmp.Or(cell.Note, r.Note)
		if r.Error != "" {
			cell.Failures++
			if !slices.Contains(cell.Errors, r.Error) {
				cell.Errors = append(cell.Errors, r.Error)
			}
			continue
		}
		cell.runs = append(cell.runs, r)
		first := cell.runs[0]
		if r.Tuning == nil && first.Tuning == nil && !sameValues(r.Params, first.Params) {
			cell.Mixed = true
		}
	}
	rates := cell.rates()
	if cell.N = len(rates); cell.N > 0 {
		cell.Mean = stat.Mean(rates, nil)
	}
	if cell.N > 1 {
		cell.SD = stat.StdDev(rates, nil)
	}
	return cell
}

// sameValues reports whether two JSON texts have the same values: 1e8 is 100000000.
func sameValues(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// rates returns the rates of the runs, in percent.
func (c *Cell) rates() []float64 {
	rates := make([]float64, len(c.runs))
	for i, r := range c.runs {
		rates[i] = 100 * r.Rate
	}
	return rates
}

// Complete reports whether no run of the column is missing and all have the
// same parameters or are tuned.
func (c *Cell) Complete() bool { return c.N > 0 && c.Failures == 0 && c.MissingRuns == 0 && !c.Mixed }

// Interval returns the exact 95 % interval of the rate of a single run, in percent. It is
// not ok if there is not exactly one run.
func (c *Cell) Interval() (low, high float64, ok bool) {
	if c.N != 1 {
		return math.NaN(), math.NaN(), false
	}
	r := c.runs[0]
	low, high = significance.Interval(r.N-r.Wrong, r.N, level)
	return 100 * low, 100 * high, true
}

// Images returns the number of test images of a run; 0 without runs.
func (c *Cell) Images() int {
	if c.N == 0 {
		return 0
	}
	return c.runs[0].N
}

// Difference returns the mean minus the published rate, in points; NaN if there is no
// published rate.
func (c *Cell) Difference() float64 {
	if c.Published == nil {
		return math.NaN()
	}
	return c.Mean - c.Published.Mean
}

// absences returns the reasons for missing runs.
func (c *Cell) absences() []string {
	var why []string
	total := c.N + c.Failures + c.MissingRuns
	switch {
	case len(c.records) == 0:
		return []string{"no run in these records: not in the plan, or not run yet"}
	case c.Failures > 0:
		why = append(why, fmt.Sprintf("%s failed: %s", ofRuns(c.Failures, total), strings.Join(c.Errors, "; ")))
	}
	if c.MissingRuns > 0 {
		verb := "are"
		if c.MissingRuns == 1 {
			verb = "is"
		}
		why = append(why, fmt.Sprintf("%s %s not made yet", ofRuns(c.MissingRuns, total), verb))
	}
	return why
}

// remarks returns the footnotes of c.
func (c *Cell) remarks() []string {
	why := c.absences()
	if c.Mixed {
		why = append(why, "its runs have different parameters: the plan was changed between them")
	}
	return why
}

// ofRuns is "3 of 10 runs", or "the run".
func ofRuns(n, total int) string {
	switch {
	case total == 1:
		return "the run"
	case n == total:
		return fmt.Sprintf("all %d runs", total)
	}
	return fmt.Sprintf("%d of %d runs", n, total)
}
