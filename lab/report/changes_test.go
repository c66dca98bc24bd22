package report_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/lab/report"
)

// missing returns the record of a run on 100 images that names those of columns wrongly.
func missing(label string, repeat int, columns ...int) experiment.Record {
	n := len(columns)
	return experiment.Record{
		Plan: "p", Key: label + string(rune('a'+repeat)), Method: "nrc", Label: label, Split: "random:5",
		Repeat: repeat, SplitHash: string(rune('a' + repeat)),
		Dataset: experiment.Source{Name: "d", Title: "D", Hash: "h"},
		Train:   100, N: 100, Wrong: n, MissedColumns: columns, Rate: float64(100-n) / 100,
	}
}

// span returns the columns lo ≤ j < hi.
func span(lo, hi int) (columns []int) {
	for j := lo; j < hi; j++ {
		columns = append(columns, j)
	}
	return columns
}

func TestCompareRecords(t *testing.T) {
	var old, now []experiment.Record
	for r := range 3 {
		old = append(old, missing("steady", r, 1, 2, 3), missing("up", r, span(0, 20)...), missing("down", r),
			missing("noise", r, 1, 2), missing("gone", r))
		now = append(now, missing("steady", r, 1, 2, 3), missing("up", r, 0, 1), missing("down", r, span(0, 12)...),
			missing("noise", r, 3, 4), missing("added", r))
	}
	c, err := report.CompareRecords(old, now)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"steady": report.Equal, "up": report.Better, "down": report.Worse, "noise": report.Unclear}
	for _, row := range c.Rows {
		if row.Verdict != want[row.Label] || row.Runs != 3 || row.Images != 300 {
			t.Errorf("%s: %+v, want %s", row.Label, row, want[row.Label])
		}
		delete(want, row.Label)
	}
	if len(want) > 0 {
		t.Errorf("no row for %v", want)
	}
	if up := c.Rows[slices.IndexFunc(c.Rows, func(r report.Change) bool { return r.Label == "up" })]; up.Old != 80 || up.New != 98 ||
		up.ChangedImages != 54 {
		t.Errorf("up: %+v", up)
	}
	if len(c.Unpaired) != 2 || c.Unpaired[0].Label != "added" || c.Unpaired[1].Label != "gone" {
		t.Errorf("not compared: %+v", c.Unpaired)
	}
	var text bytes.Buffer
	if err := c.Write(&text); err != nil {
		t.Fatal(err)
	}
	if s := text.String(); !strings.Contains(s, "1 better, 1 worse, 1 unclear, 1 equal; not compared: 2\n") || strings.Contains(s, "steady") {
		t.Error(s)
	}
}

// Exchanging the versions exchanges better and worse, and nothing else.
func TestCompareRecordsIsSymmetric(t *testing.T) {
	var old, now []experiment.Record
	for r := range 4 {
		old = append(old, missing("a", r, span(r, 10+r)...), missing("b", r, 1))
		now = append(now, missing("a", r, 5), missing("b", r, 2))
	}
	there, errThere := report.CompareRecords(old, now)
	back, errBack := report.CompareRecords(now, old)
	if errThere != nil || errBack != nil {
		t.Fatal(errThere, errBack)
	}
	opposite := map[string]string{
		report.Better: report.Worse, report.Worse: report.Better,
		report.Unclear: report.Unclear, report.Equal: report.Equal,
	}
	for i, row := range there.Rows {
		if o := back.Rows[i]; o.Verdict != opposite[row.Verdict] || o.P != row.P || o.Difference != -row.Difference {
			t.Errorf("%+v and back %+v", row, o)
		}
	}
}

// Runs on other data or other splits are no pairs.
func TestCompareRecordsOfOtherData(t *testing.T) {
	other, split, failed := missing("x", 0), missing("y", 0), missing("z", 0)
	other.Dataset.Hash, split.SplitHash = "other", "other"
	failed.Error, failed.N = "out of memory", 0
	c, err := report.CompareRecords([]experiment.Record{missing("x", 0), missing("y", 0), missing("z", 0)},
		[]experiment.Record{other, split, failed})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Rows) != 0 || len(c.Unpaired) != 3 {
		t.Fatalf("%+v", c)
	}
	for _, want := range []string{"data", "split", "out of memory"} {
		if !slices.ContainsFunc(c.Unpaired, func(u report.Unpaired) bool { return strings.Contains(u.Why, want) }) {
			t.Errorf("nothing says %q: %+v", want, c.Unpaired)
		}
	}
	if c.Check() == nil {
		t.Error("no error although nothing was compared")
	}
	if _, err := report.CompareRecords(nil, []experiment.Record{other}); err == nil {
		t.Error("no error without records")
	}
}
