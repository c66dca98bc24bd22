package report_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/lab/report"
)

// Make the runs of a plan, and a report of their rates.
func Example() {
	plan, err := experiment.ParsePlan([]byte(`{
		"name": "drawn", "seed": 1, "repeats": 2,
		"datasets": [{"name": "drawn", "synthetic": {"people": 5, "per_person": 6, "size": "16x16"}, "split": "random:3"}],
		"methods": ["crc", "nrc"]
	}`), "drawn.json")
	check(err)
	dir, err := os.MkdirTemp("", "runs")
	check(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "runs.jsonl")
	_, err = (&experiment.Bench{Databases: &experiment.Databases{}}).Run(context.Background(), plan, path)
	check(err)
	records, err := experiment.ReadRecordsFile(path, nil)
	check(err)
	check(report.Write(io.Discard, records, report.Options{Format: "html"})) // or to a file

	r, err := report.New(records)
	check(err)
	for i, label := range r.Plans[0].Labels {
		cell := r.Plans[0].Cells[i][0]
		fmt.Printf("%s: %.1f %% ± %.1f over %d runs\n", label.Name, cell.Mean, cell.SD, cell.N)
	}
	// Output:
	// CRC: 76.7 % ± 14.1 over 2 runs
	// NRC: 76.7 % ± 14.1 over 2 runs
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
