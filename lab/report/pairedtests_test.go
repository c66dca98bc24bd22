package report

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/lab/significance"
)

func TestToldFromTheBest(t *testing.T) {
	p := arranged(t, realistic(t)).Plans[0]
	for j, column := range p.Columns {
		best := p.Cells[p.best(j)][j]
		var raw []float64
		var tested []*Cell
		for i := range p.Labels {
			c := p.Cells[i][j]
			if !c.Complete() {
				continue
			}
			if c.Mean > best.Mean+1e-9 {
				t.Errorf("%s: %s has %v, the best %v", column, p.Labels[i].Name, c.Mean, best.Mean)
			}
			if c.Best {
				continue
			}
			var pValue float64
			if c.N > 5 {
				test, err := significance.Wilcoxon(c.rates(), best.rates(), significance.Exact)
				if err != nil {
					t.Fatal(err)
				}
				pValue = test.P
			} else {
				pValue = naiveMcNemar(c.runs[0], best.runs[0])
			}
			raw, tested = append(raw, pValue), append(tested, c)
		}
		for n, adjusted := range significance.Holm(raw) {
			c := tested[n]
			if c.Comparison == nil || math.Abs(c.Comparison.AdjustedP-adjusted) > 1e-12 || c.Alike != (adjusted > 0.05) {
				t.Errorf("%s: %+v, alike %v; want p %v", column, c.Comparison, c.Alike, adjusted)
			}
		}
	}
}

// naiveMcNemar looks at every face.
func naiveMcNemar(a, b *experiment.Record) float64 {
	d := make([]int, a.N)
	for j := range d {
		if slices.Contains(a.MissedColumns, j) {
			d[j]++
		}
		if slices.Contains(b.MissedColumns, j) {
			d[j]--
		}
	}
	return significance.SignFlips(d)
}

func TestTestsByNumberOfPairs(t *testing.T) {
	m := made{plan: "p", methods: []string{"crc", "nrdl"}, data: faces[2:3]}
	for repeats, want := range map[int]string{1: mcnemar, 2: flips, 5: flips, 6: wilcoxon, 10: wilcoxon} {
		m.repeats = repeats
		records := m.records(t)
		c := arranged(t, records).Plans[0].cell(t, "crc", "pie")
		if c.Comparison == nil || c.Comparison.Test != want {
			t.Errorf("%d runs: %+v, want %s", repeats, c.Comparison, want)
		}
		for i := range records {
			if records[i].Method == "crc" {
				records[i].SplitHash += " another"
			}
		}
		if c := arranged(t, records).Plans[0].cell(t, "crc", "pie"); c.Comparison != nil || c.Alike {
			t.Errorf("%d runs on other splits are compared: %+v", repeats, c.Comparison)
		}
	}
}

func TestTiesAreBestTogether(t *testing.T) {
	records := made{plan: "p", methods: []string{"crc", "nrc", "nrdl"}, data: faces[2:4], repeats: 3}.records(t)
	for i := range records {
		wrong(&records[i], 10)
		if records[i].Method == "crc" {
			wrong(&records[i], 20)
		}
	}
	p := arranged(t, records).Plans[0]
	for _, m := range []string{"nrc", "nrdl"} {
		if c := p.cell(t, m, "pie"); !c.Best || c.Rank != 1.5 {
			t.Errorf("%s: %+v", m, c)
		}
	}
	if p.cell(t, "crc", "pie").Best {
		t.Error("crc is best with twice the errors")
	}
	if h := p.Advice(); !strings.Contains(h, "NRC has the highest mean rate of 3 methods over PIE") || p.averaged() {
		t.Error(h)
	}
}

// A cell that lacks runs is neither best nor ranked, however high the mean of
// those that it has, also where it is complete in other columns.
func TestIncompleteCellsTakeNoPart(t *testing.T) {
	all := made{plan: "p", methods: []string{"crc", "lrc", "nrc", "nrdl"}, data: faces[2:4], repeats: 6}.records(t)
	for i := range all {
		if all[i].Method == "crc" {
			wrong(&all[i], 0)
		}
	}
	if p := arranged(t, all).Plans[0]; !p.cell(t, "crc", "pie").Best || p.cell(t, "crc", "pie").Rank != 1 {
		t.Error("all right, and not the best")
	}
	isOne := func(r experiment.Record) bool { return r.Method == "crc" && r.Dataset.Name == "pie" && r.Repeat == 3 }
	missing, failed := slices.DeleteFunc(slices.Clone(all), isOne), slices.Clone(all)
	fail(&failed[slices.IndexFunc(failed, isOne)], "diverged")
	for _, records := range [][]experiment.Record{missing, failed} {
		p := arranged(t, records).Plans[0]
		c, elsewhere := p.cell(t, "crc", "pie"), p.cell(t, "crc", "yaleb")
		if c.N != 5 || c.Mean != 100 || c.Best || c.Alike || c.Comparison != nil || !math.IsNaN(c.Rank) {
			t.Errorf("it takes part: %+v", c)
		}
		if !elsewhere.Best || !math.IsNaN(elsewhere.Rank) || slices.Contains(p.Ranking.Labels, p.label("crc")) {
			t.Errorf("where it is complete: %+v; ranked are %v", elsewhere, p.Ranking.Labels)
		}
		var ranks []float64
		best, means := 0.0, 0.0
		for _, m := range []string{"lrc", "nrc", "nrdl"} {
			c := p.cell(t, m, "pie")
			ranks, means = append(ranks, c.Rank), max(means, c.Mean)
			if c.Best {
				best = c.Mean
			}
		}
		if slices.Sort(ranks); best != means || !slices.Equal(ranks, []float64{1, 2, 3}) {
			t.Errorf("of the others %v is the best of %v, ranks %v", best, means, ranks)
		}
	}
}

func TestRanking(t *testing.T) {
	p := arranged(t, realistic(t)).Plans[0]
	k := &p.Ranking
	if len(k.Columns) != 5 || len(k.Labels) != 9 || k.Friedman == nil {
		t.Fatalf("%d columns, %d labels", len(k.Columns), len(k.Labels))
	}
	var rates [][]float64
	for j := range p.Columns {
		var row []float64
		for _, i := range k.Labels {
			row = append(row, p.Cells[i][j].Mean)
		}
		rates = append(rates, row)
	}
	f, err := significance.Friedman(rates)
	if err != nil {
		t.Fatal(err)
	}
	cd, err := significance.CriticalDifference(9, 5, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	if f.P != k.Friedman.P || cd != k.CD || !slices.Equal(f.MeanRanks, k.Mean) {
		t.Errorf("%+v, want %+v, critical difference %v", k, f, cd)
	}
	if s := p.leftOut(); !strings.Contains(s, "D-KSVD; FDDL; LCLE") {
		t.Errorf("left out: %q", s)
	}
}

func TestLaterRecordsReplace(t *testing.T) {
	records := made{plan: "p", methods: []string{"crc", "nrdl"}, data: faces[2:3], repeats: 3}.records(t)
	again := records[0]
	again.Key += " again"
	again.Cost.EndTime = again.Cost.EndTime.Add(time.Hour)
	again.Params = json.RawMessage(`{"other":1}`)
	wrong(&again, 0)
	for _, order := range [][]experiment.Record{append(slices.Clone(records), again), append([]experiment.Record{again}, records...)} {
		p := arranged(t, order).Plans[0]
		c := p.cell(t, again.Method, "pie")
		if p.Superseded != 1 || c.N != 3 || c.rates()[0] != 100 || !c.Mixed {
			t.Errorf("superseded %d, %d runs, %v, mixed %v", p.Superseded, c.N, c.rates(), c.Mixed)
		}
	}
}

func TestPublishedRatesStayWhereTheyBelong(t *testing.T) {
	m := made{
		plan: "p", methods: []string{"crc", "nrdl"}, data: faces[2:4], repeats: 2, noise: []float64{0, 0.02},
		splits: map[string][]string{"yaleb": {"random:5", "random:20"}},
	}
	records := m.records(t)
	for i := range records {
		records[i].Published = &experiment.Published{Mean: 50, Source: "nrdl"}
	}
	p := arranged(t, records).Plans[0]
	for j, c := range p.Columns {
		want := c.Source.Name == "pie" && c.clean()
		for i := range p.Labels {
			if got := p.Cells[i][j].Published != nil; got != want {
				t.Errorf("%s: published %v, want %v", c, got, want)
			}
		}
	}
	if !slices.Equal(p.AmbiguousRates, []string{"Extended Yale B"}) {
		t.Errorf("unplaced %q", p.AmbiguousRates)
	}
}

func TestPanels(t *testing.T) {
	records := append(
		made{plan: "p", methods: []string{"llc", "lrc", "src", "nrdl"}, data: faces[:3], repeats: 2}.records(t),
		made{plan: "p", methods: []string{"fddl", "lcle", "nrdl"}, data: faces[3:], repeats: 2}.records(t)...)
	p := arranged(t, records).Plans[0]
	panels := p.panels()
	if len(panels) != 2 || len(panels[0].columns) != 3 || len(panels[0].labels) != 4 || len(panels[1].labels) != 3 {
		t.Fatalf("%+v", panels)
	}
	for _, p := range arranged(t, realistic(t)).Plans {
		cells, held := 0, 0
		for _, q := range p.panels() {
			for _, j := range q.columns {
				for _, i := range q.labels {
					held += len(p.Cells[i][j].records)
				}
			}
		}
		for range p.all {
			cells++
		}
		if cells != held {
			t.Errorf("%s: %d records, %d in panels", p.Name, cells, held)
		}
	}
}

// The signed-rank test is made where it can tell something, and nowhere else.
func TestMinPairs(t *testing.T) {
	for m := 1; m < 100; m++ {
		n := minPairs(m)
		smallest := func(n int) float64 { return float64(m) * math.Pow(2, float64(1-n)) }
		if smallest(n) > level || smallest(n-1) <= level {
			t.Errorf("%d comparisons: %d pairs, with p-values from %v, of one pair less from %v", m, n, smallest(n), smallest(n-1))
		}
	}
}
