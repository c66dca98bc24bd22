package report

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"

	"gonum.org/v1/gonum/stat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/lab/experiment"
)

// The verdicts of a Change.
const (
	Better  = "better"  // the new rate is significantly higher
	Worse   = "worse"   // the new rate is significantly lower
	Unclear = "unclear" // answers changed, but the rates do not differ significantly
	Equal   = "equal"   // the same images are named wrongly in all runs
)

// Changes is the result of CompareRecords.
type Changes struct {
	Level    float64    `json:"level"`          // of the tests
	Rows     []Change   `json:"rows"`           // in the order of a report: plan, setting, label
	Unpaired []Unpaired `json:"left,omitempty"` // what has no pair of runs
}

// A Change compares the old and the new rate of a label in a setting, over the runs of
// equal repeat and split that both versions have. Rates are in percent.
type Change struct {
	Plan          string  `json:"plan"`           // name of the plan
	Setting       string  `json:"setting"`        // data set, split and corruption
	Label         string  `json:"label"`          // name of the method in tables
	Runs          int     `json:"runs"`           // pairs of runs
	MissingRuns   int     `json:"missing"`        // runs that only one version has
	Old           float64 `json:"old"`            // mean rate
	New           float64 `json:"new"`            // mean rate
	Difference    float64 `json:"difference"`     // New − Old, in points
	Images        int     `json:"images"`         // judged, in all runs together
	ChangedImages int     `json:"changed"`        // of Images: one version names it rightly and the other wrongly
	Verdict       string  `json:"verdict"`        // Better, Worse, Unclear or Equal
	Test          string  `json:"test,omitempty"` // the paired test
	P             float64 `json:"p"`              // of Test; 1 if Equal
	PAdjusted     float64 `json:"p_adjusted"`     // by Holm's correction over all rows that are not Equal
	OldSeconds    float64 `json:"old_seconds"`    // of training, median over the runs
	NewSeconds    float64 `json:"new_seconds"`    // time of a run in the new version

	old, new []*experiment.Record // in pairs
}

// An Unpaired is a label in a setting that is not compared, as it has no pair of runs.
type Unpaired struct {
	Plan    string `json:"plan"`    // name of the plan
	Setting string `json:"setting"` // data set, split and corruption
	Label   string `json:"label"`   // name of the method in tables
	Why     string `json:"why"`     // why there is no pair
}

// place identifies a cell in a report. It does not have the hash of the data, so that a
// change of the data is reported.
type place struct {
	plan, data, split string
	noise, occlusion  float64
	label             string
}

// each calls f with each cell of r that has records, by column and then label.
func (r *Report) each(f func(at place, u Unpaired, c *Cell)) {
	for _, p := range r.Plans {
		for j, column := range p.Columns {
			for i, l := range p.Labels {
				if c := p.Cells[i][j]; len(c.records) > 0 {
					f(place{p.Name, column.Source.Name, column.Split, column.Noise, column.Occlude, l.Name},
						Unpaired{Plan: p.Name, Setting: column.String(), Label: l.Name}, c)
				}
			}
		}
	}
}

// Check returns an error if no two runs could be compared.
func (c *Changes) Check() error {
	if len(c.Rows) > 0 || len(c.Unpaired) == 0 {
		return nil
	}
	return advice.Add(errors.New("nothing could be compared"),
		"give a method the same \"label\" in both plans, and use the same data, splits and repeats")
}

// CompareRecords compares two versions of records: each label in each setting of a plan,
// over the runs of equal repeat and split. If each version has a single plan, the two may
// have different names. It is an error if a version has no records.
//
// The tests are those of a report: see doc/results.md.
func CompareRecords(before, after []experiment.Record) (*Changes, error) {
	old, err := New(before)
	if err != nil { // the only error
		return nil, advice.Add(errors.New("the old version has no records"), "%v makes them", advice.RunPlan)
	}
	now, err := New(after)
	if err != nil {
		return nil, advice.Add(errors.New("the new version has no records"), "%v makes them", advice.RunPlan)
	}
	if len(old.Plans) == 1 && len(now.Plans) == 1 {
		old.Plans[0].Name = now.Plans[0].Name
	}
	oldCells := map[place]*Cell{}
	old.each(func(at place, _ Unpaired, c *Cell) { oldCells[at] = c })
	changes := &Changes{Level: level}
	leave := func(u Unpaired, why string) {
		u.Why = why
		changes.Unpaired = append(changes.Unpaired, u)
	}
	now.each(func(at place, u Unpaired, c *Cell) {
		if oldCells[at] == nil {
			leave(u, "only in the new records")
			return
		}
		row := Change{Plan: u.Plan, Setting: u.Setting, Label: u.Label}
		if why := row.pair(oldCells[at], c); why != "" {
			leave(u, why)
		} else {
			changes.Rows = append(changes.Rows, row)
		}
		delete(oldCells, at)
	})
	old.each(func(at place, u Unpaired, _ *Cell) {
		if oldCells[at] != nil {
			leave(u, "only in the old records")
		}
	})
	changes.test()
	return changes, nil
}

// pair sets the fields that do not depend on other rows, or returns the reason why old and
// now cannot be compared.
func (row *Change) pair(old, now *Cell) (why string) {
	for s, r := range pairs(now.runs, old.runs) {
		if s.Dataset.Hash == r.Dataset.Hash && s.N == r.N {
			row.old, row.new = append(row.old, r), append(row.new, s)
		}
	}
	switch {
	case old.N == 0:
		return "all old runs failed: " + old.Errors[0]
	case now.N == 0:
		return "all new runs failed: " + now.Errors[0]
	case old.runs[0].Dataset.Hash != now.runs[0].Dataset.Hash:
		return "the data are not the same"
	case row.old == nil:
		return "no run has the same repeat and split in both"
	}
	row.Runs, row.MissingRuns = len(row.old), old.N+now.N-2*len(row.old)
	var a, b, c, d []float64
	for i, r := range row.old {
		s := row.new[i]
		a, b = append(a, 100*r.Rate), append(b, 100*s.Rate)
		c, d = append(c, r.Cost.FitSeconds), append(d, s.Cost.FitSeconds)
		row.Images += r.N
		row.ChangedImages += onlyIn(r.MissedColumns, s.MissedColumns) + onlyIn(s.MissedColumns, r.MissedColumns)
	}
	row.Old, row.New = stat.Mean(a, nil), stat.Mean(b, nil)
	row.Difference = row.New - row.Old
	row.OldSeconds, row.NewSeconds = median(c), median(d)
	return ""
}

// onlyIn is the number of elements of a that are not in b.
func onlyIn(a, b []int) (n int) {
	for _, j := range a {
		if !slices.Contains(b, j) {
			n++
		}
	}
	return n
}

// test tests the rows whose answers changed.
func (c *Changes) test() {
	var rows []*Change
	for i := range c.Rows {
		row := &c.Rows[i]
		if row.Verdict, row.P, row.PAdjusted = Equal, 1, 1; row.ChangedImages > 0 {
			row.Verdict = Unclear
			rows = append(rows, row)
		}
	}
	tests := make([]*Comparison, len(rows))
	for i, row := range rows {
		tests[i] = compareRuns(row.new, row.old, len(rows))
	}
	adjust(tests)
	for i, t := range tests {
		row := rows[i]
		row.Test, row.P, row.PAdjusted = t.Test, t.P, t.AdjustedP
		switch {
		case t.AdjustedP > c.Level:
		case row.Difference > 0:
			row.Verdict = Better
		default:
			row.Verdict = Worse
		}
	}
}

// Write writes c as text: a line for each row that is not Equal, the cells that are not
// compared, and an explanation of the words.
func (c *Changes) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	count := map[string]int{}
	for _, row := range c.Rows {
		if count[row.Verdict]++; row.Verdict == Equal {
			continue
		}
		if count[Better]+count[Worse]+count[Unclear] == 1 {
			fmt.Fprintln(t, "setting\tmethod\truns\told %\tnew %\tdifference\tp (Holm)\tverdict\ttrain time")
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\t%+.2f\t%.2g\t%s\t%s → %s\n", legible.Escaped(row.Setting), legible.Escaped(row.Label), row.Runs,
			legible.Percent(row.Old/100), legible.Percent(row.New/100), row.Difference, row.PAdjusted, row.Verdict,
			legible.Took(row.OldSeconds), legible.Took(row.NewSeconds))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "%d better, %d worse, %d unclear, %d equal", count[Better], count[Worse], count[Unclear], count[Equal])
	if len(c.Unpaired) > 0 {
		fmt.Fprintf(w, "; not compared: %d", len(c.Unpaired))
	}
	fmt.Fprintln(w)
	for _, row := range c.Rows {
		if row.MissingRuns > 0 {
			fmt.Fprintf(w, "%s on %s: %s compared; %s in one version only\n", legible.Escaped(row.Label), legible.Escaped(row.Setting),
				legible.Count(row.Runs, "run"), legible.Count(row.MissingRuns, "run"))
		}
	}
	c.writeLeft(w)
	if count[Better]+count[Worse]+count[Unclear] == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, `better, worse: significant by a paired test over the runs of equal repeat and split (Wilcoxon's
signed-rank test, for other splits; with few runs a test over their images, for other images
of these people and not for other splits), two-sided, level %g, Holm's correction over these
rows. unclear: some answers changed, and the test cannot tell which version is better. equal:
the same images are wrong. Times are medians, without a test.
`, c.Level)
	return err
}

// writeLeft writes a line for each label that is not compared, with the reason.
func (c *Changes) writeLeft(w io.Writer) {
	type group struct{ label, why string }
	order, members := grouped(len(c.Unpaired), func(i int) (group, bool) { return group{c.Unpaired[i].Label, c.Unpaired[i].Why}, true })
	for _, g := range order {
		on := c.Unpaired[members[g][0]].Setting
		if n := len(members[g]); n > 1 {
			on = legible.Count(n, "setting")
		}
		fmt.Fprintf(w, "not compared: %s on %s: %s\n", legible.Escaped(g.label), legible.Escaped(on), legible.Escaped(g.why))
	}
}

// WriteCSV writes a line for each row, with all digits.
func (c *Changes) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	lines := [][]string{{
		"plan", "setting", "label", "runs", "missing", "old", "new", "difference", "images", "changed",
		"verdict", "test", "p", "p_adjusted", "old_seconds", "new_seconds",
	}}
	for _, row := range c.Rows {
		lines = append(lines, []string{
			cellText(row.Plan), cellText(row.Setting), cellText(row.Label), strconv.Itoa(row.Runs),
			strconv.Itoa(row.MissingRuns), exact(row.Old), exact(row.New), exact(row.Difference),
			strconv.Itoa(row.Images), strconv.Itoa(row.ChangedImages), row.Verdict, row.Test, exact(row.P),
			exact(row.PAdjusted), exact(row.OldSeconds), exact(row.NewSeconds),
		})
	}
	return out.WriteAll(lines)
}
