package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/lab/experiment"
)

func arranged(t testing.TB, records []experiment.Record) *Report {
	t.Helper()
	r, err := New(records)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func written(t testing.TB, records []experiment.Record, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, records, o); err != nil {
		t.Fatalf("%s: %v", o.Format, err)
	}
	return b.String()
}

func (p *Plan) cell(t testing.TB, method, data string) *Cell {
	t.Helper()
	i := p.label(method)
	j := slices.IndexFunc(p.Columns, func(c *Column) bool { return c.Source.Name == data })
	if i < 0 || j < 0 {
		t.Fatalf("plan %s has no %s on %s", p.Name, method, data)
	}
	return p.Cells[i][j]
}

// ratesOf are the rates of the records with a result, in percent.
func ratesOf(records []experiment.Record, plan, method, data string) (rates []float64) {
	for _, r := range records {
		if r.Plan == plan && r.Method == method && r.Dataset.Name == data && r.Error == "" {
			rates = append(rates, 100*float64(r.N-r.Wrong)/float64(r.N))
		}
	}
	return rates
}

func TestCells(t *testing.T) {
	records := realistic(t)
	p := arranged(t, records).Plans[0]
	for _, data := range []string{"orl", "pie", "lfw"} {
		for _, m := range []string{"nrdl", "fddl", "lcle"} {
			c, rates := p.cell(t, m, data), ratesOf(records, "paper", m, data)
			if c.N != len(rates) || math.Abs(c.Mean-stat.Mean(rates, nil)) > 1e-9 {
				t.Errorf("%s on %s: %d runs, mean %v; want %d, %v", m, data, c.N, c.Mean, len(rates), stat.Mean(rates, nil))
			}
			if len(rates) > 1 && math.Abs(c.SD-stat.StdDev(rates, nil)) > 1e-9 || len(rates) == 1 && !math.IsNaN(c.SD) {
				t.Errorf("%s on %s: deviation %v of %v", m, data, c.SD, rates)
			}
		}
	}
	for _, want := range []struct {
		method, data       string
		n, failed, missing int
		says               string
	}{
		{"fddl", "pie", 7, 3, 0, "3 of 10 runs failed: diverged in pass 7"},
		{"lcle", "lfw", 3, 0, 7, "7 of 10 runs are not made yet"},
		{"dksvd", "gt", 0, 0, 1, "no run in these records"},
		{"nrdl", "pie", 10, 0, 0, ""},
	} {
		c := p.cell(t, want.method, want.data)
		if c.N != want.n || c.Failures != want.failed || c.MissingRuns != want.missing {
			t.Errorf("%s on %s: %d runs, %d failed, %d missing", want.method, want.data, c.N, c.Failures, c.MissingRuns)
		}
		if says := strings.Join(c.remarks(), "; "); !strings.Contains(says, want.says) || want.says == "" && says != "" {
			t.Errorf("%s on %s: %q, want %q", want.method, want.data, says, want.says)
		}
		if want.says != "" && (c.Complete() || c.Best || c.Comparison != nil || !math.IsNaN(c.Rank)) {
			t.Errorf("%s on %s lacks runs and takes part", want.method, want.data)
		}
	}
}

// Parameters are compared by their values: records of older versions spell numbers otherwise.
func TestValuesAreCompared(t *testing.T) {
	for _, c := range []struct {
		text  string
		mixed bool
	}{{`{"a": 100000000.0, "b": [1]}`, false}, {`{"b":[1],"a":1e+08}`, false}, {`{"a":1e+07,"b":[1]}`, true}} {
		records := rated(t, faces[2:3], 2, map[string]int{"crc": 1}, nil)
		records[0].Params, records[1].Params = []byte(`{"a":1e8,"b":[1]}`), []byte(c.text)
		if got := arranged(t, records).Plans[0].Cells[0][0].Mixed; got != c.mixed {
			t.Errorf("%s: mixed %v", c.text, got)
		}
	}
}

// Times are printed if all runs were made alike, and of the plan that is named.
func TestComparableTimes(t *testing.T) {
	records := rated(t, faces[2:3], 2, map[string]int{"crc": 1, "nrc": 2}, map[string]float64{"crc": 1, "nrc": 2})
	prints := func(plan string) bool {
		return strings.Contains(written(t, records, Options{Format: "md", Times: plan}), "Time to learn")
	}
	if !prints("") || !prints("p") || prints("another") {
		t.Error("runs that were made alike")
	}
	records[0].Cost.Jobs++
	if prints("") || prints("p") {
		t.Error("runs that were not")
	}
}

// The order in which parallel runs end changes no byte; neither does writing
// twice.
func TestOrderOfRecordsIsIrrelevant(t *testing.T) {
	records := realistic(t)
	byPlan := map[string][]experiment.Record{}
	for _, r := range records {
		byPlan[r.Plan] = append(byPlan[r.Plan], r)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var shuffled []experiment.Record
	for _, plan := range []string{"paper", "tuned", "noise", "sensitivity"} {
		of := byPlan[plan]
		rng.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
		shuffled = append(shuffled, of...)
	}
	formats := []string{"md", "csv", "json"} // the others are made of the same document
	if os.Getenv("NRDL_LONG") != "" {
		formats = Formats
	}
	for _, f := range formats {
		a, b := written(t, records, Options{Format: f}), written(t, shuffled, Options{Format: f})
		if a != b {
			t.Errorf("%s differs with the order of the records", f)
		}
	}
}

func TestOrders(t *testing.T) {
	r := arranged(t, realistic(t))
	var data, labels []string
	for _, c := range r.Plans[0].Columns {
		data = append(data, c.Source.Name)
	}
	if want := []string{"orl", "gt", "pie", "yaleb", "lfw"}; !slices.Equal(data, want) {
		t.Errorf("data sets %q, want %q", data, want)
	}
	for _, l := range r.Plans[3].Labels[:5] {
		labels = append(labels, l.Variation.Value)
	}
	if want := []string{"1e-05", "0.0001", "0.001", "0.01", "0.1"}; !slices.Equal(labels, want) {
		t.Errorf("values %q, want %q", labels, want)
	}
}

func TestCSV(t *testing.T) {
	records := realistic(t)
	lines, err := csv.NewReader(strings.NewReader(written(t, records, Options{Format: "csv"}))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	r := arranged(t, records)
	cells := 0
	for _, p := range r.Plans {
		cells += len(p.Labels) * len(p.Columns)
	}
	if len(lines) != cells+1 || !slices.Equal(lines[0], csvHead) {
		t.Fatalf("%d lines for %d cells", len(lines), cells)
	}
	for _, l := range lines[1:] {
		if l[0] == "paper" && l[1] == "pie" && l[6] == "nrdl" {
			if mean, _ := strconv.ParseFloat(l[8], 64); mean != r.Plans[0].cell(t, "nrdl", "pie").Mean {
				t.Errorf("mean %s", l[8])
			}
		}
	}
}

func TestRatesComeBack(t *testing.T) {
	records := realistic(t)
	text := written(t, records, Options{Format: "json"})
	var rates Rates
	if err := json.Unmarshal([]byte(text), &rates); err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := rates.write(&again); err != nil {
		t.Fatal(err)
	}
	if again.String() != text {
		t.Error("rates change by being read and written")
	}
	c := rates.Plans[0].Columns[2]
	for _, l := range c.Labels {
		rec := c.Record(&l, l.Runs[1])
		if rec.Method != l.Method || rec.Seed != 1001 || !json.Valid(rec.Params) || rec.Split != "random:10" {
			t.Errorf("%+v", rec)
		}
		sum := 0.0
		for _, run := range l.Runs {
			sum += 100 * float64(run.N-run.Wrong) / float64(run.N)
		}
		if mean := sum / float64(len(l.Runs)); l.N != len(l.Runs) || math.Abs(mean-l.Mean) > 1e-9 {
			t.Errorf("%s: %d runs with mean %v, but %v by their counts", l.Label, l.N, l.Mean, mean)
		}
	}
}

func TestFigures(t *testing.T) {
	var all []*Figure
	for _, s := range arranged(t, realistic(t)).document(Options{}).Sections {
		for _, b := range s.Blocks {
			all = append(all, b.Figures...)
		}
	}
	var titles []string
	for _, f := range all {
		titles = append(titles, f.Title)
		if _, err := f.SVG(); err != nil {
			t.Error(err)
		}
		if f.Alt == "" || f.Name == "" {
			t.Errorf("%q has no name or no text", f.Title)
		}
	}
	joined := strings.Join(titles, "\n")
	for _, want := range []string{
		"Plan paper: average ranks", "ORL, NRDL: objective against the pass", "NRDL: quantity of the stopping test",
		"LFW: rate against salt-and-pepper noise",
		"Extended Yale B: rate against training images", "NRDL: rate against lambda", "NRDL: rate against squared",
	} {
		if !strings.Contains(joined, want) {
			t.Errorf("no figure %q among\n%s", want, joined)
		}
	}
}

// The total is the sum of the terms of (7), without μ and norms.
func TestObjective(t *testing.T) {
	lines, residual := objective(&Label{Method: "nrdl"}, []string{"residual", "mu", "a", "b", "normD"},
		[][]float64{{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}})
	if len(lines) != 3 || lines[0].Name != "objective (7)" || !slices.Equal(lines[0].Y, []float64{7, 17}) ||
		!slices.Equal(residual.Y, []float64{1, 6}) {
		t.Errorf("%+v, %+v", lines, residual)
	}
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{0: "0.0", -0.04: "0.0", 0.05001: "+0.1", -2.26: "−2.3", 100: "+100.0"} {
		if got := signed(v); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
	if got := share(0.07); got != "7 %" {
		t.Error(got)
	}
}

func TestUnknownFormat(t *testing.T) {
	err := Write(&bytes.Buffer{}, realistic(t), Options{Format: "htm"})
	if err == nil || advice.Text(err) != `did you mean "html"?` {
		t.Errorf("%v, hint %q", err, advice.Text(err))
	}
	if err := Write(&bytes.Buffer{}, nil, Options{}); err == nil {
		t.Error("a report of nothing")
	}
}

// Whatever runs are missing or failed, every format can be written.
func TestAnySubset(t *testing.T) {
	all := realistic(t)
	rng := rand.New(rand.NewPCG(3, 4))
	draws := 10
	if os.Getenv("NRDL_LONG") != "" {
		draws = 25
	}
	for n := range draws {
		kept := rng.Float64()
		if n%2 == 0 {
			kept *= 0.02
		}
		var records []experiment.Record
		for _, r := range all {
			if rng.Float64() > kept {
				continue
			}
			if rng.Float64() < 0.2 {
				fail(&r, fmt.Sprint("error ", rng.IntN(3)))
			}
			if rng.Float64() < 0.05 {
				r.Trace, r.Tuning = &experiment.Trace{Terms: []string{"residual", "a"}, Values: [][]float64{{0, 0}}}, &experiment.Tuning{}
			}
			records = append(records, r)
		}
		if len(records) == 0 {
			continue
		}
		f := Formats[n%len(Formats)]
		text := written(t, records, Options{Format: f})
		if strings.Contains(text, "NaN") {
			t.Errorf("%s of %d records has NaN", f, len(records))
		}
	}
}

// A published rate is of the setting that is not spoilt, where there is one.
// Every label that has a record in a column stands in the panel of the column,
// and contestants of different data sets do not make gaps.
// A test that cannot reach the level, however the runs had gone, is reported as
// so: 6 runs give at least p = 2/2⁶, and two comparisons twice that.
