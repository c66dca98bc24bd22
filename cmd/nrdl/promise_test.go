package main

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What a model promises of strangers, and its test, are the same wherever they are printed.
func TestOneNumberForStrangers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		status, results, story := nrdlIn(t, dir, args...)
		if status != succeeded {
			t.Fatalf("%q: %d\n%s", args, status, story)
		}
		return results + story
	}
	page := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return html.UnescapeString(regexp.MustCompile(`\s+`).ReplaceAllString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(string(text), ""),
			" "))
	}
	run("data", "synth", "people", "--people", "6", "--images", "5", "--size", "16x16")
	trained := run("train", "people", "-o", "m.nrdl", "--size", "16x16", "--fpir", "0.1")
	listed := run("people", "m.nrdl")
	run("people", "m.nrdl", "--html", "people.html")
	identified := run("identify", "m.nrdl", "people", "--html", "names.html")
	promise := regexp.MustCompile(`fewer than [^\n]* gets? a name[^\n]*`).FindString(trained)
	test := regexp.MustCompile(`test: [^\n]*`).FindString(trained)
	if promise == "" || test == "" {
		t.Fatalf("train says %s", trained)
	}
	for where, text := range map[string]string{
		"people": listed, "people --html": page("people.html"), "identify": identified, "identify --html": page("names.html"),
	} {
		if !strings.Contains(text, promise) {
			t.Errorf("%s does not say %q:\n%s", where, promise, text)
		}
	}
	if !strings.Contains(listed, test) {
		t.Errorf("people does not say %q:\n%s", test, listed)
	}
}
