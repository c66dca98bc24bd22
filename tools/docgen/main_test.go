package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/lab/plans"
	"nrdl.example/nrdl/method"
)

const document = "# Title\n\n<!-- example:begin -->\n<!-- example:end -->\n<!-- results:begin -->\n<!-- results:end " +
	"-->\n<!-- inputs:begin -->\n<!-- inputs:end -->\n<!-- methods:begin -->\nwhat was there\n<!-- methods:end -->\n\nThe end.\n"

var example = filepath.Join("..", "..", "faces", "example_test.go")

// once reads the records, which takes a while, for all tests.
var once = sync.OnceValues(func() (*results, error) {
	return readResults(filepath.Join("..", "..", "lab", "experiment", "results"))
})

func recorded(t *testing.T) *results {
	t.Helper()
	res, err := once()
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// The records that are kept are those that their plans ask for today: with these
// parameters, presets, splits and seeds, no more and no fewer.
func TestRecordsAreOfTheirPlans(t *testing.T) {
	res := recorded(t)
	all := maps.Clone(res.records)
	for _, name := range frontendPlans {
		records, err := experiment.ReadRecordsFile(filepath.Join("..", "..", "lab", "experiment", "results", name+".jsonl.gz"), nil)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = records
	}
	if kept, err := filepath.Glob(filepath.Join("..", "..", "lab", "experiment", "results", "*.jsonl.gz")); err != nil ||
		len(kept) != len(all) {
		t.Errorf("files of records %q, %v", kept, err)
	}
	for name, records := range all {
		text, ok := plans.Named(name)
		if !ok {
			t.Errorf("there is no plan %s", name)
			continue
		}
		plan, err := experiment.ParsePlan(text, name)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range records {
			got = append(got, r.Key)
			if r.About != plan.Description || r.Error != "" {
				t.Errorf("%s: the record of %s on %s says %q, error %q", name, r.Label, r.Dataset.Name, r.About, r.Error)
			}
		}
		want := plan.Keys()
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d records, not those of the %d runs of the plan", name, len(got), len(want))
		}
	}
}

func TestUpdateIsIdempotent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(path, []byte(document), 0o644); err != nil {
		t.Fatal(err)
	}
	var texts [2]string
	for i := range texts {
		if err := update(path, example, recorded(t)); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text)
	}
	if texts[0] != texts[1] {
		t.Errorf("a second run changed\n%s\nto\n%s", texts[0], texts[1])
	}
	if !strings.HasPrefix(texts[0], "# Title\n\n<!-- example:begin -->\n```go\n") ||
		!strings.HasSuffix(texts[0], "<!-- methods:end -->\n\nThe end.\n") {
		t.Errorf("what is outside the markers changed:\n%s", texts[0])
	}
	if strings.Contains(texts[0], "what was there") {
		t.Error("the old table is still there")
	}
	for _, name := range method.Names() {
		if n := strings.Count(texts[0], "| `"+name+"` |"); n != 1 {
			t.Errorf("%d rows for %s", n, name)
		}
	}
}

// The example is what stands between its markers, and 15 lines at most.
func TestExampleOfPage(t *testing.T) {
	for source, want := range map[string]string{
		"func Example() {\n\thidden()\n\t// example:begin\n\tfor {\n\t\tx()\n\t}\n\t// example:end\n\t// Output:\n}\n": "```go\nfor {\n\tx()\n}\n```\n",
		"func Example() {\n\tx()\n}\n":                     "",
		"func Example() {\n\t// example:begin\n\tx()\n}\n": "",
		"\t// example:end\n\t// example:begin\n\tx()\n}\n": "",
	} {
		if got, err := body([]byte(source)); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v, want %q", source, got, err, want)
		}
	}
	source, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	code, err := body(source)
	if lines := strings.Count(code, "\n") - 2; err != nil || lines > 15 {
		t.Errorf("%d lines, %v", lines, err)
	}
}

func TestMissingMarkers(t *testing.T) {
	for _, text := range []string{"", "<!-- methods:begin -->", "<!-- methods:end --><!-- methods:begin -->"} {
		if _, err := replace([]byte(text), "methods", "x"); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

// The pages in the tree must be what go generate makes.
func TestPagesAreGenerated(t *testing.T) {
	for _, page := range generatedPages {
		text, err := os.ReadFile(filepath.Join("..", "..", page))
		if err != nil {
			t.Fatal(err)
		}
		updated, err := generate(text, example, recorded(t))
		if err != nil {
			t.Fatalf("%s: %v", page, err)
		}
		if string(updated) != string(text) {
			t.Errorf("%s is stale: run go generate in the root of the module", page)
		}
	}
}
