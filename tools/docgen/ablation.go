package main

import (
	"fmt"
	"math"
	"strings"

	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/lab/report"
)

// The labels of the plan ablation that keep one of the two parts that NRDL
// learns, and neither.
const (
	whole      = "NRDL"
	dictionary = "D, least residual"
	classifier = "X and W"
	neither    = "X, least residual"
)

// learned says in a sentence what the dictionary and the classifier of NRDL are
// worth beside its coder; "" without the runs.
func learned(records []experiment.Record) string {
	var alike, apart []string
	for _, v := range versus(records, whole, neither) {
		title := v.Setting[:strings.LastIndex(v.Setting, ", ")] // without the split
		if v.Verdict == report.Unclear || v.Verdict == report.Equal {
			alike = append(alike, title)
		} else {
			better := "better"
			if v.Difference < 0 {
				better = "worse"
			}
			apart = append(apart, fmt.Sprintf("%s points %s on %s", points(math.Abs(v.Difference)), better, title))
		}
	}
	if len(alike)+len(apart) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("With the same exact non-negative coder, NRDL and exact NRC, which keeps the training samples and takes the least residual,")
	if len(alike) > 0 {
		fmt.Fprintf(&b, " are level on %s", list(alike))
	}
	if len(alike) > 0 && len(apart) > 0 {
		b.WriteString(", and NRDL")
	}
	if len(apart) > 0 {
		fmt.Fprintf(&b, " is %s", list(apart))
	}
	fmt.Fprintf(&b,
		" (paired tests). Of that the learned dictionary alone makes %s points, the learned classifier alone %s. The NRC "+
			"of the tables stops its coder early, which recognises better than exact coding.",
		span(versus(records, dictionary, neither)), span(versus(records, classifier, neither)))
	return b.String()
}

// versus compares two labels in each setting; nil without the runs of both.
func versus(records []experiment.Record, label, other string) []report.Change {
	var before, after []experiment.Record
	for _, r := range records {
		switch r.Label {
		case label:
			after = append(after, r)
		case other:
			r.Label = label
			before = append(before, r)
		}
	}
	changes, err := report.CompareRecords(before, after)
	if err != nil {
		return nil
	}
	return changes.Rows
}

// span is the range of the differences of all.
func span(all []report.Change) string {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range all {
		lo, hi = min(lo, v.Difference), max(hi, v.Difference)
	}
	return signed(lo) + " to " + signed(hi)
}

// signed is a difference in points with its sign.
func signed(v float64) string {
	if s := points(math.Abs(v)); s != "0.0" && v < 0 {
		return "−" + s
	} else if s != "0.0" {
		return "+" + s
	}
	return "0.0"
}

func list(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}
