package doc_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"nrdl/doc"
)

// The glossary has each term once, in the order of the alphabet, with a definition of
// two lines or a few.
func TestGlossary(t *testing.T) {
	var names []string
	for _, term := range doc.Terms() {
		names = append(names, strings.ToLower(term.Name))
		if n := len(term.Text); n < 15 || n > 400 || !strings.HasSuffix(term.Text, ".") {
			t.Errorf("%s: %s", term.Name, term.Text)
		}
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) || len(names) < 40 {
		t.Errorf("terms %q", names)
	}
	if strings.Count(doc.Glossary(), ": ") < len(names) || strings.Contains(doc.Glossary(), "**") {
		t.Errorf("as plain text:\n%s", doc.Glossary())
	}
}

// Terms that pages name are in the glossary.
func TestTermsOfPages(t *testing.T) {
	used := regexp.MustCompile(`\bterm"? "([^"]+)"`)
	n := 0
	for _, page := range []string{"../report/page.html.tmpl", "../explain/page.html.tmpl"} {
		text, err := os.ReadFile(filepath.FromSlash(page))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range used.FindAllSubmatch(text, -1) {
			n++
			if _, ok := doc.Define(string(m[1])); !ok {
				t.Errorf("%s: the glossary does not have %q", page, m[1])
			}
		}
	}
	if n < 10 {
		t.Errorf("the pages name %d terms", n)
	}
}

// Links between the documents of this folder lead to files that exist.
func TestLinks(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(<?([^)#:>\s]+)(#[^)\s]*)?>?\)`)
	for _, page := range append(pages, filepath.Join("..", "README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), filepath.FromSlash(string(m[1])))); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
}

// Go files that CONTRIBUTING.md names by their name alone exist, in a folder of the module.
func TestFilesOfContributing(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	err = filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			have[d.Name()] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`(?:[a-z0-9_]+/)*([a-z0-9_]+\\.go)`").FindAllSubmatch(text, -1)
	for _, m := range named {
		if !have[string(m[1])] {
			t.Errorf("CONTRIBUTING.md names %s", m[0])
		}
	}
	if len(named) < 3 {
		t.Errorf("CONTRIBUTING.md names %d files", len(named))
	}
}

func TestTasksFitOneScreen(t *testing.T) {
	if n := strings.Count(doc.Tasks, "\n"); n > 24 {
		t.Errorf("%d lines", n)
	}
	for line := range strings.Lines(doc.Tasks) {
		if utf8.RuneCountInString(line) > 81 {
			t.Errorf("more than 80 columns: %s", line)
		}
	}
}
