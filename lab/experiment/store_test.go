package experiment

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nrdl.example/nrdl/advice"
)

func TestStoreAppends(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	want := ""
	for _, key := range []string{"a", "b", "c"} { // opened again each time
		s, old, err := OpenStore(path, func(w string) { t.Error(w) })
		if err != nil || len(old) != strings.Count(want, "\n") {
			t.Fatal(len(old), err)
		}
		if err := s.Append(aRecord(key)); err != nil {
			t.Fatal(err)
		}
		want += lineOf(t, aRecord(key))
		if text, err := os.ReadFile(path); err != nil || string(text) != want { // before Close
			t.Errorf("the file holds %s, %v", text, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestStoreHasOneHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	s, _, err := OpenStore(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := OpenStore(path, nil); err == nil || !strings.Contains(err.Error(), "another process is writing to it") ||
		advice.Text(err) == "" {
		t.Errorf("a second holder: %v", err)
	}
	if err := s.Append(aRecord("a")); err != nil { // the refused one has changed nothing
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	again, old, err := OpenStore(path, nil)
	if err != nil || len(old) != 1 {
		t.Fatal(len(old), err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

// What a crash left of a line goes, and nothing else.
func TestStoreDropsACutLine(t *testing.T) {
	first, second := lineOf(t, aRecord("a")), lineOf(t, aRecord("b"))
	for _, n := range []int{1, 2, len(second) / 2, len(second) - 1} {
		path := filepath.Join(t.TempDir(), "r.jsonl")
		if err := os.WriteFile(path, []byte(first+second[:n]), 0o600); err != nil {
			t.Fatal(err)
		}
		warned := ""
		s, old, err := OpenStore(path, func(w string) { warned = w })
		if err != nil || len(old) != 1 || !strings.Contains(warned, "cut short") {
			t.Fatalf("%d records, warning %q, %v", len(old), warned, err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != first { // a shorter line would not cover it
			t.Errorf("opened, the file holds %s, %v", text, err)
		}
		if err := s.Append(aRecord("c")); err != nil || s.Close() != nil {
			t.Error(err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != first+lineOf(t, aRecord("c")) {
			t.Errorf("the file holds %s, %v", text, err)
		}
	}
}

// A record that JSON cannot hold, or that could not be read again, is refused
// and leaves nothing.
func TestStoreRefusesWhatItCouldNotRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	s, _, err := OpenStore(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	infinite, traced, wrong := aRecord("a"), aRecord("b"), aRecord("c")
	infinite.Residual, wrong.Wrong = math.Inf(1), 1
	traced.Trace = &Trace{Terms: []string{"residual"}, Values: [][]float64{{math.NaN()}}}
	alike := aRecord("d") // two names that UTF-8 makes one
	alike.ClassErrors = map[string]int{"\xff": 2, "\xfe": 1}
	for want, r := range map[string]Record{
		"the value +Inf": infinite, "the value NaN": traced,
		"1 images wrong": wrong, "images wrong": alike,
	} {
		if err := s.Append(r); err == nil || !strings.Contains(err.Error(), want) || ugly.MatchString(err.Error()) {
			t.Errorf("record %s: %v, want %s", r.Key, err, want)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Size() != 0 {
		t.Error("it left something", err)
	}
}

// A failed write tells what to do.
func TestStoreCannotWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	s, _, err := OpenStore(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(aRecord("a")); err == nil || !strings.Contains(advice.Text(err), "make room") {
		t.Errorf("%v", err)
	}
}

func TestStorePlaces(t *testing.T) {
	dir := t.TempDir()
	file, device := filepath.Join(dir, "file"), os.DevNull
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:                              "is a folder",
		device:                           "not a file that can be added to",
		filepath.Join(dir, "no", "r"):    "no such file or directory",
		filepath.Join(dir, "r.jsonl.gz"): "nothing can be added to a compressed file",
	} {
		s, _, err := OpenStore(path, nil)
		if err == nil || !strings.Contains(err.Error(), want) || advice.Text(err) == "" || ugly.MatchString(err.Error()) || s != nil {
			t.Errorf("%s: %v (hint %q), want %s", path, err, advice.Text(err), want)
		}
	}
	if _, _, err := OpenStore(filepath.Join(file, "r"), nil); err == nil {
		t.Error("a file is taken for a folder")
	}
	if locked := filepath.Join(t.TempDir(), "locked"); os.Mkdir(locked, 0o500) == nil && os.Geteuid() != 0 { // root may write anywhere
		if _, _, err := OpenStore(filepath.Join(locked, "r"), nil); err == nil || ugly.MatchString(err.Error()) {
			t.Errorf("a folder that may not be written: %v", err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Error("something was made", entries, err)
	}
}
