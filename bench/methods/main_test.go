package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nrdl"
	"nrdl/dataset"
	"nrdl/experiment"
	"nrdl/method"
)

func cellsOf(t testing.TB) []cell {
	t.Helper()
	cells, err := allCells()
	if err != nil {
		t.Fatal(err)
	}
	return cells
}

// recordOf returns a record of c that is so many points off the paper's.
func recordOf(c cell, points float64) record {
	mean := c.paper().mean
	if math.IsNaN(mean) {
		mean = 50
	}
	r := record{Database: c.database.name, Result: experiment.Result{
		Method: c.method.Name(), Params: json.RawMessage(c.params), Split: c.split.String(), Accuracy: (mean + points) / 100,
	}}
	for i := range c.protocol().Runs() {
		r.Runs = append(r.Runs, experiment.Run{Seed: uint64(i), Accuracy: r.Accuracy})
	}
	return r
}

// The databases are those of the presets, and the rates those of methods that
// exist or are named in the paper's table 2.
func TestPublished(t *testing.T) {
	var names []string
	for _, d := range databases {
		names = append(names, d.name)
	}
	if !slices.Equal(names, method.PresetNames()) {
		t.Errorf("databases %q, presets %q", names, method.PresetNames())
	}
	if len(published) != 10 {
		t.Errorf("%d rows, the paper's table 2 has 10", len(published))
	}
	for m, row := range published {
		for i, r := range row {
			if one := databases[i].name == "orl" || databases[i].name == "gt"; !(r.mean > 30 && r.mean < 97) || math.IsNaN(r.sd) != one {
				t.Errorf("%s on %s: %v", m, databases[i].name, r)
			}
		}
	}
	for key := range elsewhere {
		if m, d, _ := strings.Cut(key, "/"); !slices.Contains(names, d) || published[m] == [5]rate{} && m != "nrc" {
			t.Errorf("elsewhere has %s", key)
		}
	}
}

// A record is of a cell only with its parameters, split and seeds, and comes
// back from its file as it was.
func TestRecords(t *testing.T) {
	cells := cellsOf(t)
	c := cells[slices.IndexFunc(cells, func(c cell) bool { return c.key() == "crc/pie" })]
	good := recordOf(c, 0)
	for name, change := range map[string]func(*record){
		"database":   func(r *record) { r.Database = "orl" },
		"method":     func(r *record) { r.Method = "nrc" },
		"parameters": func(r *record) { r.Params = json.RawMessage(`{"kappa":7}`) },
		"split":      func(r *record) { r.Split = "random:9" },
		"runs":       func(r *record) { r.Runs = r.Runs[:2] },
		"seeds":      func(r *record) { r.Runs = slices.Clone(r.Runs); r.Runs[1].Seed = 9 },
	} {
		bad := good
		if change(&bad); bad.of(c) {
			t.Errorf("another %s is taken for the cell's", name)
		}
	}
	path := filepath.Join(t.TempDir(), "records.jsonl")
	if got, err := readRecords(path); err != nil || got != nil {
		t.Errorf("no file: %v, %v", got, err)
	}
	newer := recordOf(c, 1)
	for _, r := range []record{good, newer} {
		if err := appendRecord(path, r); err != nil {
			t.Fatal(err)
		}
	}
	records, err := readRecords(path)
	if err != nil {
		t.Fatal(err)
	}
	got, ok := find(records, c)
	if !ok || len(records) != 2 || got.Accuracy != newer.Accuracy {
		t.Errorf("found %v of %v", got, records)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := writeRecords(t.Context(), path, records); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("written again:\n%s\nnot\n%s", after, before)
	}
}

// Rates off the paper's need a note, and notes need such a rate.
func TestNotes(t *testing.T) {
	cells := cellsOf(t)
	of := func(key string) cell {
		return cells[slices.IndexFunc(cells, func(c cell) bool { return c.key() == key })]
	}
	var records []record
	for _, c := range cells {
		points := map[string]float64{"nrdl/orl": 3, "nrdl/gt": -2.1, "nrdl/pie": 1.9, "nrdl/lfw": 9, "lrc/lfw": -9}[c.key()]
		records = append(records, recordOf(c, points))
	}
	tbl, err := newTable(cells, records)
	if err != nil {
		t.Fatal(err)
	}
	tbl.notes = map[string]string{"nrdl/orl": "own", "*/orl": "idle", "*/lfw": "shared", "nrdl/pie": "idle"}
	want := []string{
		"lrc/lfw: 28.1 is −9.0 off the paper's 37.1, and notes.json does not say why",
		"nrdl/gt: 61.5 is −2.1 off the paper's 63.6, and notes.json does not say why",
		"notes.json: no rate needs the note on */orl",
		"notes.json: no rate needs the note on nrdl/pie",
	}
	if got := tbl.checkNotes(); !slices.Equal(got, want) {
		t.Errorf("problems %q, not %q", got, want)
	}
	for key, text := range map[string]string{"nrdl/orl": "own", "nrdl/lfw": "shared", "nrdl/pie": "", "nrdl/gt": "", "lrc/lfw": ""} {
		if _, got := tbl.note(of(key)); got != text {
			t.Errorf("%s has the note %q, not %q", key, got, text)
		}
	}
	text, _, err := tbl.render()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{
		"| NRDL `nrdl` | **97.4** | 94.4 | +3.0 | 1 |",
		"| NRDL `nrdl` | 61.5 | 63.6 | −2.1 |  |",
		"| CRC `crc` | 50.0 | – | – |  |",
		"| LRC `lrc` | 94.4 | 94.4 | 0.0 |  | 94.4 |",
		"Why †:\n\n1. shared\n",
	} {
		if !strings.Contains(string(text), row) {
			t.Errorf("the document has no %q", row)
		}
	}
	if strings.Contains(string(text), "| … ") {
		t.Error("a cell is empty")
	}
}

// What is not measured is told, and its notes are not called needless.
func TestMissing(t *testing.T) {
	cells := cellsOf(t)
	tbl, err := newTable(cells, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, problems, err := tbl.render()
	if err != nil {
		t.Fatal(err)
	}
	if len(problems) != 1 || !strings.Contains(problems[0], cells[0].key()) {
		t.Errorf("problems %q", problems)
	}
}

// The committed page is what its records and notes make, nothing is missing,
// and every record has the parameters that the method has today.
func TestCommittedPage(t *testing.T) {
	want, err := os.ReadFile(filepath.Join("..", "..", "doc", "methods.md"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("no doc/methods.md yet")
	}
	if err != nil {
		t.Fatal(err)
	}
	records, err := readRecords("records.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	tbl, err := newTable(cellsOf(t), records)
	if err != nil {
		t.Fatal(err)
	}
	text, problems, err := tbl.render()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
	if !bytes.Equal(text, want) {
		t.Error("doc/methods.md is not what go run ./bench/methods -render makes")
	}
}

// A cell is measured once, and anew when asked; a method that fails leaves the
// others their records.
func TestMeasure(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("NRDL_DATA", dir)
	if err := os.Mkdir(filepath.Join(dir, "sets"), 0o755); err != nil {
		t.Fatal(err)
	}
	s := dataset.DefaultSynthetic
	s.People, s.PerPerson, s.Input = 4, 8, nrdl.Input{Height: 12, Width: 10}
	set, err := s.Draw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := dataset.Save(t.Context(), filepath.Join(dir, "sets", databases[0].file), set); err != nil {
		t.Fatal(err)
	}
	out, path := filepath.Join(dir, "methods.md"), filepath.Join(dir, "records.jsonl")
	args := []string{"-only", "crc,llc", "-data", databases[0].name, "-o", out, "-records", path}
	for i, c := range []struct {
		more    []string
		records int
	}{{nil, 1}, {nil, 1}, {[]string{"-again"}, 2}, {[]string{"-again", "-render"}, 2}} {
		if err := run(t.Context(), append(args, c.more...)); err == nil || !strings.Contains(err.Error(), "not complete") {
			t.Errorf("run %d: %v", i, err)
		}
		records, err := readRecords(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(records) != c.records || records[0].Method != "crc" || records[0].Runs[0].Train != 24 { // llc has 24 of its 30 neighbours
			t.Errorf("run %d: %d records, first of %s", i, len(records), records[0].Method)
		}
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "| LLC `llc` | … (93.1) |") || !strings.Contains(string(text), "| CRC `crc` | **") {
		t.Errorf("page:\n%s", text)
	}
}

func TestSelection(t *testing.T) {
	wanted, err := selection("lrc,src", "gt")
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, c := range cellsOf(t) {
		if wanted(c) {
			keys = append(keys, c.key())
		}
	}
	if !slices.Equal(keys, []string{"lrc/gt", "src/gt"}) {
		t.Errorf("%q", keys)
	}
	for _, bad := range [][2]string{{"lrcs", ""}, {"", "yale"}} {
		if _, err := selection(bad[0], bad[1]); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}
