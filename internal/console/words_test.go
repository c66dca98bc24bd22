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

func TestQuoted(t *testing.T) {
	for path, want := range map[string]string{
		"nrdl-demo/people.nrdl": "nrdl-demo/people.nrdl",
		"a b":                   "'a b'",
		"it's":                  `'it'\''s'`,
		"Gesichter/Jürgen":      "Gesichter/Jürgen",
	} {
		if got := Quoted(path); got != want {
			t.Errorf("%q is quoted %s, not %s", path, got, want)
		}
	}
}

// A small rate is not written as none.
func TestPercent(t *testing.T) {
	for fraction, want := range map[float64]string{0: "0.00", 1: "100.00", 0.01: "1.00", 0.0001: "0.01", 0.00005: "0.0050", 0.00000123: "0.00012", -0.5: "-50.00"} {
		if got := Percent(fraction); got != want {
			t.Errorf("Percent(%v) = %s, want %s", fraction, got, want)
		}
	}
}
