package experiment

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/kit/testing/edits"
	"nrdl.example/nrdl/method"
)

// aRecord is a record as a run leaves it.
func aRecord(key string) Record {
	r := Record{
		Key: key, Plan: "p", Dataset: Source{Name: "d", Title: "D", Path: "d.mat", Hash: "h"}, Split: "half", Seed: 1,
		Method: "crc", Label: "CRC <&>", Params: json.RawMessage(`{"kappa":1}`), SplitHash: "s", Train: 4, Status: "closed-form",
		Trace: &Trace{Terms: []string{"residual", "a"}, Values: [][]float64{{1, 2}, {0.5, 1}}},
		Cost:  Cost{FitSeconds: 1, EndTime: time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)},
	}
	r.count([]int{1, 3, 4, 9}, []string{"ann", "ann", "bob", "cleo"}, []string{"ann", "bob", "cleo", "bob"})
	return r
}

func lineOf(t testing.TB, r Record) string {
	t.Helper()
	line, err := r.Line()
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}

func TestCount(t *testing.T) {
	r := aRecord("k")
	if r.N != 4 || r.Wrong != 3 || r.Rate != 0.25 {
		t.Errorf("%d of %d wrong, rate %v", r.Wrong, r.N, r.Rate)
	}
	if diff := cmp.Diff([]int{3, 4, 9}, r.MissedColumns); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int{"ann": 1, "bob": 1, "cleo": 1}, r.ClassErrors); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Confusion{{"ann", "bob", 1}, {"bob", "cleo", 1}, {"cleo", "bob", 1}}, r.Confusions); diff != "" {
		t.Error(diff)
	}
}

// What a record says of its run was done: it learned from these columns, after
// this search inside them, in these passes.
func TestRecordsSayWhatWasDone(t *testing.T) {
	p := parse(t, `{"seed": 5, "repeats": 3, "datasets": [{"name": "d", "path": "d", "split": "random:5"}],
		"methods": [{"method": "crc", "tune": {"budget": 4, "folds": 2}}, {"method": "nrdl", "trace": true}]}`)
	set := hard(t)
	library := &Databases{sets: map[sourceKey]*loadedSet{asItIs("d"): {set, set.Hash()}}}
	records, _ := benched(t, Bench{Jobs: 2, Databases: library}, p, filepath.Join(t.TempDir(), "r.jsonl"))
	seeds, dealt := map[uint64]bool{}, map[string]bool{}
	for _, r := range records {
		learn, judge, err := split(t, r.Split).Apply(set, r.Seed)
		if err != nil || r.SplitHash != hashColumns(learn) || r.SplitHash == hashColumns(judge) || len(learn) == len(judge) {
			t.Errorf("%s: hash %s of a split is not that of what is learned from, %v", r.Label, r.SplitHash, err)
		}
		train := set.Select(learn)
		seeds[r.Seed] = true
		switch {
		case r.Tuning != nil:
			if r.Tuning.Seed != r.Seed {
				t.Errorf("repeat %d: tuned with the seed %d, not %d", r.Repeat, r.Tuning.Seed, r.Seed)
			}
			fold, err := Folds{N: r.Tuning.Folds}.deal(train, r.Tuning.Seed)
			if err != nil {
				t.Fatal(err)
			}
			dealt[fmt.Sprint(fold)] = true
			again := tune(t, train, method.DefaultCRC, r.Tuning.Search)
			if diff := cmp.Diff(again.Trials, r.Tuning.Trials, clocks); diff != "" || again.Best != r.Tuning.Best {
				t.Errorf("repeat %d: trial %d is the best, not %d:\n%s", r.Repeat, again.Best, r.Tuning.Best, diff)
			}
		case r.Trace != nil:
			var got, want []float64
			watch := func(p classify.Progress) { want = append(want, p.Residual) }
			if _, err := method.DefaultNRDL.Fit(t.Context(), &train.Samples, classify.Run{Seed: r.Seed, Watch: watch}); err != nil {
				t.Fatal(err)
			}
			for _, v := range r.Trace.Values {
				got = append(got, v[0])
			}
			if diff := cmp.Diff(want, got); diff != "" || r.Trace.Terms[0] != "residual" || len(got) == 0 || got[len(got)-1] != r.Residual {
				t.Errorf("repeat %d: the residual of the record is %v, its trace differs:\n%s", r.Repeat, r.Residual, diff)
			}
		default:
			t.Errorf("%s is neither tuned nor traced", r.Label)
		}
	}
	if len(seeds) != 3 || len(dealt) != 3 {
		t.Errorf("3 repeats have %d seeds and %d ways to deal the folds", len(seeds), len(dealt))
	}
}

func TestRecordsAreReadAsWritten(t *testing.T) {
	failed := Record{Key: "f", Dataset: Source{Name: "d"}, Method: "m", Label: "l", Params: json.RawMessage(`{}`), Error: "why"}
	want := []Record{aRecord("a"), failed, aRecord("b")}
	text := lineOf(t, want[0]) + strings.TrimSuffix(lineOf(t, failed), "\n") + "\r\n" + lineOf(t, want[2])
	got, whole, cut, err := ReadRecords(strings.NewReader(text))
	if err != nil || cut || whole != int64(len(text)) {
		t.Fatalf("%d of %d bytes, cut %v, %v", whole, len(text), cut, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for i := range want {
		if !want[i].Same(got[i]) || want[i].Same(want[(i+1)%3]) {
			t.Errorf("record %d: Same is wrong", i)
		}
	}
	later := want[0]
	later.Cost = Cost{Jobs: 7}
	later.Tuning = &Tuning{Trials: []Trial{{Seconds: 1}}}
	other := later
	other.Tuning = &Tuning{Trials: []Trial{{Seconds: 2}}}
	if !later.Same(other) || later.Same(want[0]) || later.Tuning.Trials[0].Seconds != 1 {
		t.Error("Same minds time, or changes a record")
	}
}

// Wherever a file is cut, the whole lines are there, and the rest is reported.
func TestRecordsCutAnywhere(t *testing.T) {
	first := lineOf(t, aRecord("a"))
	text := first + lineOf(t, aRecord("b"))
	for n := range len(text) + 1 {
		got, whole, cut, err := ReadRecords(strings.NewReader(text[:n]))
		lines := strings.Count(text[:n], "\n")
		at := map[int]int{0: 0, 1: len(first), 2: len(text)}[lines]
		if err != nil || len(got) != lines || whole != int64(at) || cut != (n > at) {
			t.Fatalf("cut at %d: %d records, %d bytes, cut %v, %v", n, len(got), whole, cut, err)
		}
	}
}

func TestLastRecordOfAKeyCounts(t *testing.T) {
	failed := Record{Key: "a", Dataset: Source{Name: "d"}, Method: "m", Label: "l", Error: "why"}
	for _, c := range [][2]Record{{failed, aRecord("a")}, {aRecord("a"), failed}} {
		text := lineOf(t, c[0]) + lineOf(t, aRecord("b")) + lineOf(t, c[1])
		got, _, _, err := ReadRecords(strings.NewReader(text))
		if err != nil || len(got) != 2 || !got[0].Same(c[1]) || got[1].Key != "b" {
			t.Errorf("%d records, %v", len(got), err)
		}
	}
}

// A damaged line is an error that names the line and has a hint.
func TestDamagedRecords(t *testing.T) {
	replaced := func(old, by string) string {
		line := lineOf(t, aRecord("b"))
		if !strings.Contains(line, old) {
			t.Fatalf("no %s in a record", old)
		}
		return strings.Replace(line, old, by, 1)
	}
	for _, c := range []struct{ line, want, hint string }{
		{"\n", "an empty line", "repair"},
		{"7\n", "a JSON number", "repair"},
		{"{}\n", "no key, method, label or data set", "repair"},
		{"{\"key\": \n", "it ends too early", "repair"},
		{strings.Repeat("\x00", 100) + "\n", "invalid character", "repair"},
		{replaced(`"n":4`, `"n":"4"`), `"n" cannot be a string`, "repair"},
		{replaced(`"split":"half"`, `"split":3`), `"split" cannot be a number`, "repair"},
		{replaced(`"d.mat"`, `7`), `"dataset.path" cannot be a number`, "repair"},
		{replaced(`2025-01`, `2025x01`), `is not a time`, "repair"},
		{replaced(`"n":4`, `"n":4,"zeal":1`), `unknown key "zeal"`, "later nrdl"},
		{replaced("}\n", "} {}\n"), "text after its end", "repair"},
		{replaced(`"n":4`, `"n":0`), "3 of 0 images wrong", "repair"},
		{replaced(`"wrong":3`, `"wrong":2`), "2 images wrong, but 3 by person", "repair"},
		{replaced(`"wrong":3`, `"wrong":-1`), "-1 of 4", "repair"},
		{replaced(`"rate":0.25`, `"rate":0.5`), "rate 0.5 with 3 of 4", "repair"},
		{replaced(`[3,4,9]`, `[3,4]`), "2 in the list", "repair"},
		{replaced(`[1,2]`, `[1]`), "pass 1 has 1 values for 2 terms", "repair"},
	} {
		text := lineOf(t, aRecord("a")) + c.line + lineOf(t, aRecord("c"))
		_, _, _, err := ReadRecords(strings.NewReader(text))
		if err == nil || !strings.HasPrefix(err.Error(), "line 2: ") || !strings.Contains(err.Error(), c.want) || ugly.MatchString(err.Error()) {
			t.Errorf("%.80q: %v, want line 2: … %s", c.line, err, c.want)
		}
		if h := advice.Text(err); !strings.Contains(h, c.hint) {
			t.Errorf("%.80q: hint %q", c.line, h)
		}
	}
}

func TestReadRecordsFile(t *testing.T) {
	dir, text := t.TempDir(), lineOf(t, aRecord("a"))+lineOf(t, aRecord("b"))
	path := filepath.Join(dir, "r.jsonl")
	warned := ""
	read := func(path, text string) ([]Record, error) {
		warned = ""
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return ReadRecordsFile(path, func(s string) { warned = s })
	}
	if got, err := read(path, text); len(got) != 2 || err != nil || warned != "" {
		t.Errorf("%d records, warning %q, %v", len(got), warned, err)
	}
	if got, err := read(path, ""); len(got) != 0 || err != nil || warned != "" {
		t.Errorf("%d records of an empty file, warning %q, %v", len(got), warned, err)
	}
	if got, err := read(path, text[:len(text)-1]); len(got) != 1 || err != nil || !regexp.MustCompile(`cut short`).MatchString(warned) {
		t.Errorf("%d records, warning %q, %v", len(got), warned, err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(text)); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	if got, err := read(path+".gz", packed.String()); len(got) != 2 || err != nil {
		t.Errorf("%d records of a .gz, %v", len(got), err)
	}
	for _, bad := range []string{packed.String()[:packed.Len()-9], text} {
		if _, err := read(path+".gz", bad); err == nil || !strings.Contains(err.Error(), "r.jsonl.gz") {
			t.Errorf("a broken .gz: %v", err)
		}
	}
	if _, err := ReadRecordsFile(dir, nil); err == nil || !strings.HasSuffix(err.Error(), "is a folder") {
		t.Error(err)
	}
	if _, err := ReadRecordsFile(filepath.Join(dir, "x"), nil); err == nil {
		t.Error("a missing file is read")
	}
}

// What is read is written and read back the same, and nothing panics.
func FuzzReadRecords(f *testing.F) {
	a := lineOf(f, aRecord("a"))
	seeds := [][]byte{
		[]byte(a + a + strings.Replace(a, `"key":"a"`, `"key":"b"`, 1)), []byte(a + a[:50]),
		[]byte(`{"key":"k","method":"m","label":"l","dataset":{"name":"d","input":{}},"error":"e","params":null,"params":{ "a" : "\ud800" }}` +
			"\n"),
		[]byte(`{"key":"k","method":"m","label":"l","dataset":{"name":"d"},"n":1,"rate":1,"cost":{"finished":"0001-01-01T00:00:00+23:59"}}` +
			"\n"),
	}
	edits.Fuzz(f, "FuzzReadRecords", func(t *testing.T, text []byte) {
		records, whole, cut, err := ReadRecords(bytes.NewReader(text))
		if err != nil {
			return
		}
		if cut != (whole < int64(len(text))) {
			t.Errorf("%d of %d bytes, cut %v", whole, len(text), cut)
		}
		var again bytes.Buffer
		for _, r := range records {
			again.WriteString(lineOf(t, r))
		}
		back, _, cut, err := ReadRecords(&again)
		if err != nil || cut || len(back) != len(records) {
			t.Fatalf("%d records of %d, cut %v, %v", len(back), len(records), cut, err)
		}
		for i := range records {
			if !records[i].Same(back[i]) {
				t.Errorf("%s is read back as\n%s", lineOf(t, records[i]), lineOf(t, back[i]))
			}
		}
	}, seeds...)
}
