package experiment_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/internal/blas"
	"nrdl.example/nrdl/internal/testing/realdata"
	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/lab/report"
)

// quick are methods that can be run again within a test on every database;
// others are on the small ones.
var quick = []string{"lrc", "crc", "dsrc", "nrc", "procrc", "kcrc", "dpl"}

// seen are the inputs that are made again on larger sets than ORL.
var seen = []string{"faces96", "lighting"}

// slack is how many images in a thousand another back end may name otherwise:
// its sums are rounded otherwise.
const slack = 2

// The recorded rates are those of the program as it is: it is neither worse nor
// better on a sample of them, one run of a cell. Without NRDL_LONG=1 that is one run of
// CRC on each database, and on ORL one of each quick method and of CRC with each corruption.
func TestRecordedRates(t *testing.T) {
	if testing.Short() {
		t.Skip("makes dozens of runs again")
	}
	sets := realdata.Path(t, "sets")
	checkRates(t, &experiment.Databases{Roots: []string{filepath.Dir(sets)}}, func(file string) bool {
		return !slices.Contains([]string{
			"open.json",                                    // below
			"agreement.json",                               // with published programs
			"ideas.json", "photographs.json", "faces.json", // of studies that are finished, which have no plan
		}, file)
	})
}

// So are those of the plan on data that everybody has.
func TestRecordedRatesOfOpenData(t *testing.T) {
	checkRates(t, &experiment.Databases{}, func(file string) bool { return file == "open.json" })
}

// checkRates repeats some runs from the files of rates that wanted selects, and compares
// the rates.
func checkRates(t *testing.T, lib *experiment.Databases, wanted func(file string) bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("results", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded rates: %v", err)
	}
	long, made := os.Getenv("NRDL_LONG") != "", map[string]bool{}
	for _, path := range files {
		if !wanted(filepath.Base(path)) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var rates report.Rates
		if err := json.Unmarshal(text, &rates); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, plan := range rates.Plans {
			for _, c := range plan.Columns {
				for _, l := range c.Labels {
					what := kind(t, &c, &l)
					if sampled(&c, &l) && (long || !made[what] && !slow(&c, &l)) {
						made[what] = true
						again(t, lib, plan.Plan, c.Record(&l, l.Runs[len(l.Runs)/2]), l.Runs[len(l.Runs)/2])
					}
				}
			}
		}
	}
}

// sampled tells what can be run again in little time: quick methods, without
// PIE's ten thousand test images, and some that learn, on ORL and GT.
func sampled(c *report.ColumnRates, l *report.LabelRates) bool {
	if l.N == 0 {
		return false
	}
	if l.Input != nil && c.Dataset != "orl" && !slices.Contains(seen, l.Label) {
		return false
	}
	fast, strong := slices.Contains(quick, l.Method), c.Noise == 0.03
	switch c.Dataset {
	case "orl":
		return fast || (c.Noise == 0 || l.Method == "lcle") && !strings.HasPrefix(l.Label, "coder")
	case "gt":
		return c.Noise == 0 && (fast || l.Method == "nrdl" || l.Method == "fddl") || fast && strong
	case "pie", "ar": // large; not among the five
		return false
	}
	return fast && c.Noise == 0
}

// slow tells what takes long and is much like another run, or tested by its package on
// small sets: features have twins, and methods that learn their golden traces.
func slow(c *report.ColumnRates, l *report.LabelRates) bool {
	corrupted := c.Noise != 0 || c.Occlusion != 0
	switch {
	case l.Input != nil || corrupted && c.Dataset != "orl" || c.Dataset == "yaleb-images":
		return true
	case corrupted || c.Dataset != "orl":
		return l.Method != "crc"
	}
	return !slices.Contains(quick, l.Method)
}

// kind is the same for runs that test the same thing: one of them is enough.
func kind(t *testing.T, c *report.ColumnRates, l *report.LabelRates) string {
	text, err := json.Marshal([]any{c.Dataset, c.Noise, c.Occlusion, l.Method, l.Input})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// again makes a run again and compares the count.
func again(t *testing.T, lib *experiment.Databases, plan string, r experiment.Record, recorded report.RunRate) {
	t.Helper()
	run, err := experiment.Replay(t.Context(), lib, r)
	if err != nil {
		t.Errorf("%s: %v", plan, err)
		return
	}
	got, allowed := run.Record.Wrong, 0
	if blas.Current() != blas.AVX512 { // the one that made the records
		allowed = 1 + recorded.N*slack/1000
	}
	if run.Record.N != recorded.N || got < recorded.Wrong-allowed || got > recorded.Wrong+allowed {
		t.Errorf("%s, %s on %s, %s, noise %v, repeat %d: %d of %d named wrongly, the record says %d of %d", plan,
			r.Label, r.Dataset.Name, r.Split, r.Noise, r.Repeat, got, run.Record.N, recorded.Wrong, recorded.N)
	}
}
