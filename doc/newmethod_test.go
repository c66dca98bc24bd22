package doc_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The Go code of the page that adds a method is that of files, which other tests compile and run,
// and its entry is that of the bibliography.
func TestNewMethodShowsFiles(t *testing.T) {
	page, err := os.ReadFile("how-to/new-method.md")
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, path := range []string{"method/nscr.go", "method/nscr_test.go", "examples/outside/method/main.go", "doc/references.bib"} {
		text, err := os.ReadFile("../" + path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, string(text))
	}
	blocks := regexp.MustCompile("(?s)```(?:go|bibtex)\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) != len(files) {
		t.Errorf("%d blocks of code, for %d files", len(blocks), len(files))
	}
	for _, b := range blocks {
		if !slices.ContainsFunc(files, func(text string) bool { return strings.Contains(text, b[1]) }) {
			t.Errorf("this is in none of the files:\n%s", b[1])
		}
	}
}
