package report

import (
	"encoding/csv"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/lab/experiment"
)

func comparison() *experiment.Comparison {
	run := []experiment.Run{{N: 50, Train: 50}, {N: 50, Train: 50}}
	return &experiment.Comparison{
		Split: "half", Repeats: 2, Seed: 3, Level: experiment.Level,
		Methods: []experiment.MethodResult{
			{Method: "nrc", Accuracy: 0.9, SD: 0.01, Best: true, P: 1, PAdjusted: 1, FitSeconds: 0.5, CodeSeconds: 0.25, Runs: run},
			{
				Method: "src", Accuracy: 0.89, SD: 0.02, Difference: -0.01, Test: experiment.SignedRank, P: 0.5,
				PAdjusted: 0.5, FitSeconds: 1, CodeSeconds: 2, Runs: run,
			},
			{
				Method: "crc", Accuracy: 0.5, Difference: -0.4, Separated: true, Test: experiment.CorrectedT,
				P: 0.001, PAdjusted: 0.002, FitSeconds: 1, CodeSeconds: 2, Runs: run,
			},
			{Method: "ksvd", Err: "=it \x1bbroke"},
		},
	}
}

// The table marks what cannot be separated from the best, and says by which test.
func TestMethodsAsText(t *testing.T) {
	var b strings.Builder
	if err := WriteMethods(&b, comparison()); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{
		`(?m)^ +nrc +90\.00 ± 1\.00 +best +— +500 ms +250 ms$`, `(?m)^ +src +89\.00 ± 2\.00 +~ -1\.00 +0\.5 +1\.00 s +2\.00 s$`,
		`(?m)^ +crc +50\.00 ± 0\.00 +-40\.00 +0\.002 `, `(?m)^ +ksvd +failed: =it \\x1bbroke$`,
		`split half, 2 runs, seed 3`, `corrected resampled t-test`, `level 0\.05`, `Holm's correction for 2 comparisons`,
		`src differs by the same in every run`,
	} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	for line := range strings.Lines(text) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 100 {
			t.Errorf("a line of %d characters: %s", n, line)
		}
	}
	if strings.Contains(text, "features of all images") {
		t.Errorf("vectors have features:\n%s", text)
	}
	one := comparison()
	one.Repeats, one.Methods = 1, one.Methods[:2]
	b.Reset()
	if err := WriteMethods(&b, one); err != nil || !strings.Contains(b.String(), "McNemar's exact test") || !strings.Contains(b.String(),
		"\nTimes are of one run") || strings.Contains(b.String(), "±") || !strings.Contains(b.String(), "1 comparison.") {
		t.Errorf("of a single run: %v\n%s", err, b.String())
	}
	one.Methods = one.Methods[:1]
	b.Reset()
	if err := WriteMethods(&b, one); err != nil || strings.Contains(b.String(), "~") {
		t.Errorf("of one method: %v\n%s", err, b.String())
	}
}

// Each column of the CSV has what its name says, and a reason is no formula.
func TestMethodsAsCSV(t *testing.T) {
	var b strings.Builder
	if err := WriteMethodsCSV(&b, comparison()); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil || len(lines) != 5 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	for _, c := range []struct {
		row         int
		column, has string
	}{
		{1, "method", "nrc"},
		{1, "runs", "2"},
		{1, "right", "90"},
		{1, "sd", "1"},
		{1, "difference", "0"},
		{1, "p", ""},
		{1, "told_from_best", "best"},
		{1, "fit_seconds", "0.5"},
		{2, "told_from_best", "no"},
		{2, "test", "signed-rank"},
		{2, "difference", "-1"},
		{3, "told_from_best", "yes"},
		{3, "p", "0.001"},
		{3, "p_adjusted", "0.002"},
		{3, "code_seconds", "2"},
		{4, "runs", "0"},
		{4, "right", ""},
		{4, "error", "'=it broke"},
	} {
		if at := slices.Index(lines[0], c.column); at < 0 || lines[c.row][at] != c.has {
			t.Errorf("row %d, %s: %q, not %q", c.row, c.column, lines[c.row], c.has)
		}
	}
}

// The decisions at the threshold are printed below the rate.
func TestResultAsText(t *testing.T) {
	r := experiment.Result{
		Method: "mean", Split: "half", Repeats: 1, Accuracy: 0.875,
		Runs: []experiment.Run{{N: 16, Wrong: 2, Accuracy: 0.875, Status: "closed-form"}},
	}
	for _, c := range []struct {
		d    *experiment.Decisions
		line string
	}{
		{nil, ""},
		{
			&experiment.Decisions{FPIR: 0.01, Right: 6, Wrong: 1, Unknown: 1},
			"threshold for an FPIR of 1 %: of 8 faces 75.00 % get the right name, 12.50 % a wrong name, 12.50 % are unknown\n",
		},
		{
			&experiment.Decisions{FPIR: 0.01, Right: 8, Strangers: 8, Named: 3},
			"threshold for an FPIR of 1 %: of 8 faces 100.00 % get the right name, 0.00 % a wrong name, 0.00 % are unknown; " +
				"3 of 8 faces of people who are not enrolled get a name\n",
		},
		{
			&experiment.Decisions{FPIR: 0.1, Strangers: 1},
			"threshold for an FPIR of 10 %: 0 of 1 face of people who are not enrolled get a name\n",
		},
	} {
		r.Runs[0].Decisions = c.d
		for _, existed := range []bool{false, true} {
			var b strings.Builder
			if err := WriteResult(&b, &r, existed); err != nil || !strings.HasPrefix(b.String(),
				"mean: 87.50 % right (split half, 1 run)\n"+c.line+"\n ") || strings.Contains(b.String(), "seed") == existed {
				t.Errorf("%+v: %v\n%s", c.d, err, b.String())
			}
		}
	}
}
