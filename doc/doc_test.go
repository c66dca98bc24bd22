package doc_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"nrdl.example/nrdl/doc"
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
	for _, page := range []string{"../lab/report/page.html.tmpl", "../faces/explain/page.html.tmpl"} {
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

// Links in the documents lead to files that exist.
func TestLinks(t *testing.T) {
	var pages []string
	for _, pattern := range []string{"*.md", "adr/*.md", "../*.md"} {
		some, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil || len(some) == 0 {
			t.Fatalf("%s: %v, %v", pattern, some, err)
		}
		pages = append(pages, some...)
	}
	link := regexp.MustCompile(`\]\(<?([^)#:>\s]+)(#[^)\s]*)?>?\)`)
	for _, page := range pages {
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

// The index lists each decision once, with its number, title, date and status, and
// records have the same headings in the same order. A superseded one has three lines at most:
// title, successor, why.
func TestDecisions(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("adr", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	listed := regexp.MustCompile(`(?m)^\| (\d{4}) \| (\S+) \| \[(.*)\]\((.*)\) \| (.*) \|$`).FindAllStringSubmatch(string(text), -1)
	files, err := filepath.Glob(filepath.Join("adr", "[0-9]*.md"))
	if err != nil || len(files) != len(listed) || len(files) < 40 {
		t.Fatalf("%d records, %d in the index, %v", len(files), len(listed), err)
	}
	headings := regexp.MustCompile(`(?m)^## (.*)$`)
	for i, m := range listed {
		number, date, title, file, status := m[1], m[2], m[3], m[4], m[5]
		if file != filepath.Base(files[i]) || !strings.HasPrefix(file, number+"-") {
			t.Errorf("the index has %s, the folder %s", file, files[i])
			continue
		}
		text, err := os.ReadFile(files[i])
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(status, "superseded") || bytes.Contains(text, []byte("uperseded by")) {
			lines := regexp.MustCompile(`\n+`).Split(strings.TrimSpace(string(text)), -1)
			if len(lines) > 3 || lines[0] != "# "+number+". "+title || !strings.HasPrefix(lines[1], "S"+status[1:]) {
				t.Errorf("%s is superseded, and has not title, %q and why in three lines:\n%s", file, status, text)
			}
			continue
		}
		start := "# " + number + ". " + title + "\n\nDate: " + date + "\n\n## Status\n\n" + strings.ToUpper(status[:1]) + status[1:] +
			".\n\n## Context\n"
		if !strings.HasPrefix(string(text), start) {
			t.Errorf("%s does not begin with\n%s", file, start)
		}
		var have []string
		for _, h := range headings.FindAllStringSubmatch(string(text), -1) {
			have = append(have, h[1])
		}
		if want := []string{"Status", "Context", "Decision", "Consequences", "Rejected"}; len(have) < 4 ||
			!slices.Equal(have, want[:min(len(have), 5)]) {
			t.Errorf("%s: headings %q", file, have)
		}
		if n := len(strings.Fields(string(text))); n > 450 {
			t.Errorf("%s: %d words are more than a page", file, n)
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

// README is one short page, and first screens have short sentences.
func TestFirstScreens(t *testing.T) {
	const maxWords = 25 // words of a sentence
	howTo, err := filepath.Glob(filepath.Join("how-to", "*.md"))
	if err != nil || len(howTo) < 8 {
		t.Fatalf("%q, %v", howTo, err)
	}
	fence := regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	comment := regexp.MustCompile("(?s)<!--.*?-->")
	link := regexp.MustCompile(`\]\([^)]*\)`)
	end := regexp.MustCompile(`[.?!:;]["*)]*\s|\n\s*\n|\n *[*|#0-9-]|\s\| `)
	helps, err := filepath.Glob(filepath.Join("..", "cmd", "nrdl", "help", "*.txt"))
	if err != nil || len(helps) < 30 {
		t.Fatalf("%q, %v", helps, err)
	}
	indented := regexp.MustCompile("(?m)^  .*$")
	for _, page := range slices.Concat(howTo, helps, longPages,
		[]string{"tutorial.md", "unknown.md", "research.md", "trouble.md", "scripting.md", "python.md", filepath.Join("..", "README.md")}) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(text); strings.HasSuffix(page, "README.md") && n > 5000 {
			t.Errorf("README.md has %d bytes", n)
		}
		if slices.Contains(longPages, page) {
			text, _, _ = bytes.Cut(text, []byte("\n## "))
		}
		prose := link.ReplaceAllString(comment.ReplaceAllString(fence.ReplaceAllString(string(text), "\n\n"), ""), "")
		if strings.HasSuffix(page, ".txt") {
			prose = indented.ReplaceAllString(prose, "\n") // examples and tables
		}
		for _, sentence := range end.Split(prose+"\n", -1) {
			if n := len(strings.Fields(sentence)); n > maxWords {
				t.Errorf("%s: %d words: %s", page, n, strings.Join(strings.Fields(sentence), " "))
			}
		}
	}
}

// longPages are the pages that stay complete: each opens with a page of at most 500 words for a reader who
// has five minutes, with links into the rest.
var longPages = []string{"equations.md", "openset.md", "performance.md", "photographs.md", "scale.md", "service.md"}

// A page has at most 2,500 words. Those of records and of classes, which are generated, are not counted.
func TestPagesAreShort(t *testing.T) {
	const maxWords, maxOpening, minLinks = 2500, 500, 5
	pages, err := filepath.Glob("*.md")
	if err != nil || len(pages) < 25 {
		t.Fatalf("%q, %v", pages, err)
	}
	for _, pattern := range []string{filepath.Join("how-to", "*.md"), filepath.Join("adr", "*.md"), filepath.Join("..", "*.md")} {
		more, err := filepath.Glob(pattern)
		if err != nil || len(more) == 0 {
			t.Fatalf("%s: %q, %v", pattern, more, err)
		}
		pages = append(pages, more...)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		words := len(strings.Fields(string(text)))
		if !slices.Contains(longPages, page) {
			if words > maxWords && filepath.Base(page) != "CHANGELOG.md" {
				t.Errorf("%s has %d words: split or cut it", page, words)
			}
			continue
		}
		opening, _, _ := strings.Cut(string(text), "\n## ")
		if n, links := len(strings.Fields(opening)), strings.Count(opening, "](#"); words <= maxWords || n > maxOpening || links < minLinks {
			t.Errorf("%s has %d words, %d of them before its first section, with %d links into it", page, words, n, links)
		}
		// GitHub reads Markdown in a folded part between empty lines only.
		begun, ended := regexp.MustCompile(`(?m)^<details><summary>.*</summary>\n\n`), regexp.MustCompile(`\n\n</details>\n(\n|\z)`)
		folds := strings.Count(string(text), "<details>")
		if len(begun.FindAllString(string(text), -1)) != folds || len(ended.FindAllString(string(text)+"\n", -1)) != folds {
			t.Errorf("%s: a folded part has no end, or no empty lines about its text", page)
		}
	}
}
