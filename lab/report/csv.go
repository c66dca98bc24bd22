package report

import (
	"cmp"
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"strings"

	"nrdl.example/nrdl/internal/legible"
)

var csvHead = []string{
	"plan", "dataset", "split", "noise", "occlusion", "label", "method", "n", "mean", "sd", "low", "high", "paper_mean", "paper_sd",
	"difference", "rank", "p_adjusted", "told_from_best", "p_paired_t", "fit_seconds", "code_seconds", "passes", "failed", "missing", "note",
}

// writeCSV writes a line for each cell, with all digits: rates in percent,
// times and passes as medians, low and high the exact 95 % interval of
// a single run, told_from_best "best", "yes", "no" or "" where
// no test was made, p_paired_t of the t-test against the best, without
// correction. What is not known is empty.
func (r *Report) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write(csvHead); err != nil {
		return err
	}
	for _, p := range r.Plans {
		for j := range p.Columns {
			for i := range p.Labels {
				if err := out.Write(p.csvLine(i, j)); err != nil {
					return err
				}
			}
		}
	}
	out.Flush()
	return out.Error()
}

func (p *Plan) csvLine(i, j int) []string {
	column, label, c := p.Columns[j], p.Labels[i], p.Cells[i][j]
	mean, sd := math.NaN(), math.NaN()
	if c.Published != nil {
		mean = c.Published.Mean
		if c.Published.SD > 0 {
			sd = c.Published.SD
		}
	}
	adjusted, separated, student := math.NaN(), "", math.NaN()
	if c.Comparison != nil {
		adjusted, separated, student = c.Comparison.AdjustedP, "yes", c.Comparison.PairedT
	}
	switch {
	case c.Best:
		separated = "best"
	case c.Alike:
		separated = "no"
	}
	low, high, _ := c.Interval()
	remarks := c.remarks()
	if c.Note != "" {
		remarks = append([]string{c.Note}, remarks...)
	}
	return []string{
		cellText(p.Name), cellText(column.Source.Name), cellText(column.Split), exact(column.Noise), exact(column.Occlude),
		cellText(label.Name), cellText(label.Method),
		strconv.Itoa(c.N), exact(c.Mean), exact(c.SD), exact(low), exact(high), exact(mean), exact(sd), exact(c.Difference()), exact(c.Rank),
		exact(adjusted), separated, exact(student), exact(c.medianOf(measures[0])), exact(c.medianOf(measures[1])), exact(c.passes()),
		strconv.Itoa(c.Failures), strconv.Itoa(c.MissingRuns), cellText(strings.Join(remarks, "; ")),
	}
}

// exact formats v with as many digits as are needed to restore it; "" if it is not finite.
func exact(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return strconv.FormatFloat(cmp.Or(v, 0), 'g', -1, 64) // no −0
}

// cellText changes s so that spreadsheets do not treat it as a formula.
func cellText(s string) string { return legible.Cell(oneLine(s)) }
