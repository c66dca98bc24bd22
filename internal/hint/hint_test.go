package hint_test

import (
	"testing"

	"nrdl.example/nrdl/internal/hint"
)

func TestQuoted(t *testing.T) {
	for path, want := range map[string]string{
		"nrdl-demo/people.nrdl": "nrdl-demo/people.nrdl",
		"a b":                   "'a b'",
		"it's":                  `'it'\''s'`,
		"Gesichter/Jürgen":      "Gesichter/Jürgen",
	} {
		if got := hint.Quoted(path); got != want {
			t.Errorf("%q is quoted %s, not %s", path, got, want)
		}
	}
}
