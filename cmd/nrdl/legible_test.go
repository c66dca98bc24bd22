package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/results"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/internal/legible"
)

// hostile are names of files that steer a terminal, or look like what they are
// not.
var hostile = []string{"=1+1.png", "-x.png", "'=y.png", "a\x1b[31m\nnrdl: b.png", "c\u202egnp.png", "d\u009b2Je.png", "e\x7f\xff.png"}

// outputOf runs a command line and returns what it writes and its status.
func outputOf(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var files [2]*os.File
	for i := range files {
		f, err := os.CreateTemp(t.TempDir(), "out")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files[i] = f
	}
	a := newApp(files[0], files[1])
	root := a.rootCmd()
	root.SetArgs(args)
	err := root.ExecuteContext(t.Context())
	a.Results.Flush()
	status = a.report(err)
	var texts [2]string
	for i, f := range files {
		text, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text)
	}
	return texts[0], texts[1], status
}

// drawHostile makes the folders people, of two people, one called =ann, with
// images of hostile names, and broken, and returns the images.
func drawHostile(t *testing.T) []string {
	t.Helper()
	t.Chdir(t.TempDir())
	s := synthetic.Default
	s.People, s.PerPerson, s.Input = 2, len(hostile), dataset.Size{Height: 12, Width: 12}
	set, err := s.Draw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	set.Classes = []string{"=ann", "bob"}
	if err := dataset.Save(t.Context(), "people", set); err != nil {
		t.Fatal(err)
	}
	var images []string
	for _, person := range set.Classes {
		for i, name := range hostile {
			to := filepath.Join("people", person, name)
			if err := os.Rename(filepath.Join("people", person, fmt.Sprintf("%04d.png", i+1)), to); err != nil {
				t.Skipf("%q is no name of a file here: %v", name, err)
			}
			images = append(images, to)
		}
	}
	for _, name := range hostile {
		if err := os.MkdirAll("broken", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join("broken", name), []byte("\x89PNG\r\n\x1a\nno"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return images
}

// Whatever files are called, nothing that a command writes steers the terminal,
// and no name ends a line.
func TestNamesOfFilesAreShown(t *testing.T) {
	images := drawHostile(t)
	photo := images[3] // with an escape sequence and the end of a line
	for _, line := range [][]string{
		{"train", "people", "-o", "m.nrdl", "--input", "pixels", "--size", "8x8", "--calibrate", "0", "--method", "crc"},
		{"train", "people", "-o", "x\x1b\n.nrdl", "--input", "pixels", "--size", "8x8", "--method", "crc"},
		{"data", "info", "people"},
		{"data", "info", "people", "--json"},
		{"data", "info", "m.nrdl"},
		{"data", "convert", "people", "x\x1b\n.npz"},
		{"people", "m.nrdl"},
		{"people", "m.nrdl", "--json"},
		{"identify", "m.nrdl", "people", "broken"},
		{"identify", "m.nrdl", "people", "broken", "--csv", "--top", "2"},
		{"identify", "m.nrdl", "people", "broken", "--json"},
		{"identify", "m.nrdl", "people", "-o", "r\x1b.jsonl"},
		{"identify", "m.nrdl", "people", "-o", "r\x1b.jsonl", "--resume", "--draw", "d\x1b\n"},
		{"identify", "m.nrdl", photo, "--sort", "s\x1b\n"},
		{"identify", "m.nrdl", "nothing\x1b\n"},
		{"identify", "nothing\x1b\n", "people"},
		{"identify", "m.nrdl", "--watch", "nothing\x1b\n"},
		{"explain", "m.nrdl", photo, "-o", "x\x1b\n.html"},
		{"explain", "m.nrdl", "broken/" + hostile[3], "-o", "x.html"},
		{"add", "m.nrdl", photo, "broken", "--name", "cyd"},
		{"add", "m.nrdl", "people", "broken"},
		{"remove", "m.nrdl", "x\x1b\n"},
		{"rename", "m.nrdl", "x\x1b\n", "y"},
		{"rename", "m.nrdl", "bob", "y\x1b\n"},
		{"calibrate", "m.nrdl", "--strangers", "broken"},
		{"evaluate", "people", "--input", "pixels", "--method", "crc", "--repeats", "1", "--json"},
		{"evaluate", "people", "--model", "m.nrdl"},
		{"train", "broken\x1b\n", "-o", "x.nrdl"},
		{"report", "x\x1b\n.jsonl"},
		{"bench", "x\x1b\n.json"},
		{"x\x1b\n"},
		{"train", "--x\x1b\n"},
		{"train", "people", "x\x1b\n"},
		{"methods", "x\x1b\n"},
		{"help", "x\x1b\n"},
	} {
		stdout, stderr, _ := outputOf(t, line...)
		for _, text := range []string{stdout, stderr} {
			if !legible.Is(strings.NewReplacer("\n", "", "\t", "").Replace(text)) {
				t.Errorf("nrdl %q writes what is hidden: %q", line, text)
			}
			for written := range strings.Lines(text) {
				if strings.HasPrefix(written, "nrdl: b.png") || strings.HasPrefix(written, "\n") && text == stderr {
					t.Errorf("nrdl %q: a name ends a line: %q", line, text)
				}
			}
		}
	}
}

// Tables keep names from being formulas, and a list of them can be read; JSON has
// every name as it is.
func TestNamesInTables(t *testing.T) {
	images := drawHostile(t)
	outputOf(t, "train", "people", "-o", "m.nrdl", "--input", "pixels", "--size", "8x8", "--calibrate", "0", "--method", "crc")
	args := append([]string{"identify", "m.nrdl"}, images...)
	for how, column := range map[string]int{"--csv": 4, "--top=2": 3} { // of the likeliest person
		stdout, stderr, _ := outputOf(t, append(args, how)...)
		rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
		if err != nil || len(rows) < len(images) {
			t.Fatalf("%s: %d rows, error %v: %s", how, len(rows), err, stderr)
		}
		var list strings.Builder
		w := csv.NewWriter(&list)
		for i, row := range rows[len(rows)-len(images):] {
			if got := legible.FromField(row[0]); got != images[i] {
				t.Errorf("%s: %q is read %q, not %q", how, row[0], got, images[i])
			}
			for _, cell := range row {
				if cell != "" && strings.ContainsRune("=+@\t\r", rune(cell[0])) {
					t.Errorf("%s: the cell %q is a formula", how, cell)
				}
			}
			if err := w.Write([]string{row[0], row[column]}); err != nil {
				t.Fatal(err)
			}
		}
		w.Flush()
		if err := os.WriteFile("list.csv", []byte(list.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		set, err := dataset.Open(t.Context(), "list.csv", dataset.Options{})
		if err != nil || !slices.Equal(set.Classes, []string{"=ann", "bob"}) {
			t.Errorf("%s: the list is not read: %v", how, err)
		}
	}
	stdout, _, _ := outputOf(t, append(args, "--json")...)
	dec := json.NewDecoder(strings.NewReader(stdout))
	for _, image := range images {
		var o results.Object
		if err := dec.Decode(&o); err != nil || o.File != dataset.Text(image) {
			t.Errorf("%q is %q in JSON: %v", image, o.File, err)
		}
	}
}
