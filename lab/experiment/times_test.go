package experiment

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"testing"

	"nrdl.example/nrdl/lab/plans"
)

var updateTimes = flag.String("update-times", "", "write lab/plans/times/seconds.json, with the records of this file, too")

// The times of the built-in plans are those of the records.
func TestRecordedTimes(t *testing.T) {
	t.Parallel()
	if os.Getenv("NRDL_LONG") == "" && *updateTimes == "" {
		t.Skip("NRDL_LONG=1 reads all records")
	}
	files, err := filepath.Glob("results/*.jsonl.gz")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	if *updateTimes != "" {
		files = append(files, *updateTimes)
	}
	want := plans.Times{}
	for _, file := range files {
		records, err := ReadRecordsFile(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(want, meanTimes(records))
	}
	if *updateTimes == "" {
		want["quick"] = plans.RecordedTimes()["quick"] // its records are not kept
	} else {
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("../plans/times/seconds.json", append(text, '\n'), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !reflect.DeepEqual(want, plans.RecordedTimes()) {
		t.Error("go test -run RecordedTimes ./lab/experiment -update-times QUICK.jsonl, with the records of nrdl bench quick, writes them")
	}
}

func meanTimes(records []Record) plans.Times {
	count := map[[3]string]float64{}
	all := plans.Times{}
	for _, r := range records {
		p, d := r.Plan, r.Dataset.Name
		if all[p] == nil {
			all[p] = map[string]map[string]float64{}
		}
		if all[p][d] == nil {
			all[p][d] = map[string]float64{}
		}
		all[p][d][r.Label] += r.Cost.seconds()
		count[[3]string{p, d, r.Label}]++
	}
	for k, n := range count {
		mean := strconv.FormatFloat(all[k[0]][k[1]][k[2]]/n, 'g', 2, 64)
		all[k[0]][k[1]][k[2]], _ = strconv.ParseFloat(mean, 64)
	}
	return all
}

// A plan without records takes as long as the recorded runs of its name, or else like its name.
func TestLeftOfAFreshPlan(t *testing.T) {
	t.Parallel()
	for _, name := range plans.Names() {
		p, err := FindPlan(name)
		if err != nil {
			t.Fatal(err)
		}
		runs, left := p.Left(nil, 1)
		p.Name = "mine"
		if _, other := p.Left(nil, 1); left <= 0 || other <= 0 || runs != len(p.Keys()) {
			t.Errorf("%s: %d runs, %v, with another name %v", name, runs, left, other)
		}
	}
}
