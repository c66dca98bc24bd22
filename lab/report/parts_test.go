package report

import (
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/lab/experiment"
)

func TestConfusions(t *testing.T) {
	one := &experiment.Record{Confusions: []experiment.Confusion{
		{Person: "a", Name: "b", N: 3},
		{Person: "p 10", Name: "b", N: 2},
		{Person: "p 9", Name: "b", N: 2},
	}}
	two := &experiment.Record{Confusions: []experiment.Confusion{{Person: "b", Name: "a", N: 6}, {Person: "a", Name: "b", N: 2}}}
	got := confusions([]*experiment.Record{one, two}, 5)
	want := []experiment.Confusion{
		{Person: "b", Name: "a", N: 6},
		{Person: "a", Name: "b", N: 5},
		{Person: "p 9", Name: "b", N: 2},
		{Person: "p 10", Name: "b", N: 2},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestTuned(t *testing.T) {
	tuning := func(best string, wrong int) *experiment.Record {
		return &experiment.Record{Method: "no such method", Tuning: &experiment.Tuning{
			Search: experiment.Search{Folds: 4}, Best: 1,
			Trials: []experiment.Trial{{Wrong: 20, N: 100}, {Set: []string{"lambda=" + best}, Wrong: wrong, N: 100}, {Err: "no"}},
		}}
	}
	runs := []*experiment.Record{tuning("0.1", 10), tuning("0.01", 5), tuning("0.1", 9), tuning("1e-3", 8)}
	if given, chosen := validation(runs); given != "80.0" || chosen != "92.0" {
		t.Errorf("validation %s, %s", given, chosen)
	}
	for n, want := range map[int]string{1: "lambda = 0.1", 3: "lambda = 0.1, 0.01", 4: "lambda = 0.1, 0.01, 1e-3"} {
		if got := choices(runs[:n]); len(got) != 1 || got[0] != want {
			t.Errorf("%d runs chose %q, want %q", n, got, want)
		}
	}
	if got := listOrRange([]string{"0.1", "1e-3", "20", "3"}); got != "1e-3 … 20" {
		t.Errorf("range %q", got)
	}
	if got := search(runs); got != "3 × 4" {
		t.Errorf("search %q", got)
	}
	failed := &experiment.Record{Tuning: &experiment.Tuning{Best: 3}}
	if given, chosen := validation([]*experiment.Record{failed}); given != "—" || chosen != "—" {
		t.Errorf("validation without trials: %s, %s", given, chosen)
	}
}

// What is more than two points off stands in the table, with the note or the
// admission that there is none.
func TestDifferences(t *testing.T) {
	records := made{plan: "p", methods: []string{"crc", "nrc", "nrdl"}, data: faces[2:3], repeats: 1}.records(t)
	for i := range records {
		r := &records[i]
		wrong(r, 0)
		r.Published = &experiment.Published{Mean: map[string]float64{"crc": 98, "nrc": 97.9, "nrdl": 102.1}[r.Method]}
		if r.Method == "nrdl" {
			r.Note = "the crops differ"
		}
	}
	sentence, table := arranged(t, records).Plans[0].differences()
	if sentence != "2 of 3 rates with a published one are more than 2 points off." || len(table.Rows) != 2 {
		t.Fatalf("%s %+v", sentence, table)
	}
	for i, want := range [][]string{{"NRC", "+2.1", "no reason is known"}, {"NRDL", "−2.1", "the crops differ"}} {
		row := table.Rows[i]
		if got := []string{row[1].Text, row[4].Text, row[5].Text}; !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestMedian(t *testing.T) {
	c := &Cell{}
	for i, want := range []float64{5, 3, 3, 2.5} { // of 5, 5 1, 5 1 3, 5 1 3 2
		c.runs = append(c.runs, &experiment.Record{Passes: []int{5, 1, 3, 2}[i]})
		if got := c.passes(); got != want {
			t.Errorf("median of %d: %v, want %v", i+1, got, want)
		}
	}
}

func TestTimes(t *testing.T) {
	for v, want := range map[float64]string{
		0.0001: "< 0.001 s", 0.0123: "0.012 s", 4.567: "4.57 s",
		59.96: "60.0 s", 268: "268 s", 900: "15 min", 7300: "2 h 02 min",
	} {
		if got := seconds(v); got != want {
			t.Errorf("%v s: %q, want %q", v, got, want)
		}
	}
}

// Parameters that a search chose run by run come back run by run.
func TestRatesKeepParametersOfRuns(t *testing.T) {
	records := made{plan: "p", methods: []string{"crc"}, data: faces[2:3], repeats: 2}.records(t)
	same := arranged(t, records).Rates().Plans[0].Columns[0].Labels[0]
	records[1].Params = []byte(`{"kappa":2}`)
	differ := arranged(t, records).Rates().Plans[0].Columns[0].Labels[0]
	if same.Params == nil || same.Runs[1].Params != nil || differ.Params != nil || string(differ.Runs[1].Params) != `{"kappa":2}` {
		t.Errorf("%+v, %+v", same, differ)
	}
}

// A column that few have run does not keep the others from being ranked.
func TestUnfinishedColumnsAreNotRanked(t *testing.T) {
	var records []experiment.Record
	for _, r := range (made{plan: "p", methods: []string{"llc", "lrc", "crc", "nrdl"}, data: faces[:3], repeats: 2}).records(t) {
		if r.Dataset.Name != "pie" || r.Method == "crc" {
			records = append(records, r)
		}
	}
	p := arranged(t, records).Plans[0]
	if len(p.Ranking.Columns) != 2 || len(p.Ranking.Labels) != 4 {
		t.Errorf("%+v", p.Ranking)
	}
	if s := p.leftOut(); !strings.Contains(s, "PIE, random:10") {
		t.Error(s)
	}
}

// A wide table that stands on its side says the same.
func TestUpright(t *testing.T) {
	w := &table{Head: []head{{Title: "method"}}, Rows: [][]cell{{{Text: "a"}}, {{Text: "b"}}}}
	for j := range 12 {
		w.Head = append(w.Head, head{Title: string(rune('A' + j)), Sub: "sub"})
		for i := range w.Rows {
			w.Rows[i] = append(w.Rows[i], cell{Text: string(rune('0' + i*20 + j)), Best: i == 1})
		}
	}
	u := w.upright()
	if len(u.Rows) != 12 || len(u.Head) != 3 {
		t.Fatalf("%d × %d", len(u.Rows), len(u.Head))
	}
	for i, row := range w.Rows {
		for j, c := range row[1:] {
			if got := u.Rows[j][i+1]; got.Text != c.Text || got.Best != c.Best {
				t.Errorf("%+v, want %+v", got, c)
			}
		}
	}
}
