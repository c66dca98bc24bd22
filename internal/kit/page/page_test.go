package page

import (
	"path/filepath"
	"strings"
	"testing"
)

// A link is relative, and has no character that would end it or change its meaning.
func TestLink(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		"a.jpg": "a.jpg", "b/a 1.jpg": "b/a%201.jpg", "a:b.jpg": "./a:b.jpg", "../a#?.jpg": "../a%23%3F.jpg",
		"\xff\".jpg": "%FF%22.jpg", "100%.jpg": "100%25.jpg",
	} {
		if got := Link(dir, filepath.Join(dir, filepath.FromSlash(path))); string(got) != want {
			t.Errorf("%q has the link %q, want %q", path, got, want)
		}
	}
}

// A page begins and ends as one, its title is text, and control characters are left out.
func TestNew(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, New(`{{template "head" .}}<p>{{.}}</p>{{template "foot"}}`, "p { color: red; }"), "page", "<a>\x1b"); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	for _, want := range []string{
		"<!DOCTYPE html>", "<title>&lt;a&gt;</title>", "color-scheme: light dark",
		"p { color: red; }</style>", "<p>&lt;a&gt;</p></body>\n</html>\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	if strings.Contains(got, "\x1b") {
		t.Error("a control character is there")
	}
}
