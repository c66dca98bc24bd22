package console

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// Folding changes nothing but where lines end, and no word fits a line before.
func TestFolded(t *testing.T) {
	for _, text := range []string{"", "σ", "a bb  ccc dddd eeeee ffffff", strings.Repeat("λ μ, of ", 30)} {
		for width := range 30 {
			lines := folded(text, width)
			if got := strings.Fields(strings.Join(lines, " ")); !slices.Equal(got, strings.Fields(text)) {
				t.Errorf("%q folded at %d has the words %q", text, width, got)
			}
			for i, line := range lines {
				if utf8.RuneCountInString(line) > width && strings.Contains(line, " ") {
					t.Errorf("%q is longer than %d", line, width)
				}
				if i == 0 {
					continue
				}
				first, _, _ := strings.Cut(line, " ")
				if utf8.RuneCountInString(lines[i-1]+" "+first) <= width {
					t.Errorf("%q folded at %d: %q ends too early", text, width, lines[i-1])
				}
			}
		}
	}
}
