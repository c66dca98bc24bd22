package dataset

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// FolderNames gives each person a folder of their own, on every system.
func TestFolderNames(t *testing.T) {
	long := strings.Repeat("ä", 300)
	people := []string{
		"Ann", "ann", "Ann_2", "a/b", "a\\b", "a_b", "..", ".", "", " ", ".hidden", "CON", "com1.txt", "😀", "x\x00y", "tab\t", "end. ",
		"\xff\xfe", long, long + "b", `<>:"|?*`, "Zoë Straße", "unknown", "unknown", "Zoe\u0308 Straße", "NUL .x", "COM¹", "q\u202er",
	}
	names := FolderNames(people)
	seen := map[string]string{}
	for i, name := range names {
		if other, twice := seen[strings.ToLower(name)]; twice {
			t.Errorf("%q and %q are both %q", other, people[i], name)
		}
		seen[strings.ToLower(name)] = people[i]
		bad := name == "" || strings.HasPrefix(name, ".") || strings.ContainsAny(name, "/\\:*?\"<>|\x00\t") ||
			strings.TrimRight(name, ". ") != name
		if bad || len(name) > 250 || !utf8.ValidString(name) || reserved(name) || !filepath.IsLocal(name) {
			t.Errorf("%q becomes %q", people[i], name)
		}
	}
	for i, want := range map[int]string{
		0: "Ann", 1: "ann_2", 3: "a_b", 6: "_", 10: "_.hidden", 11: "_CON",
		13: "😀", 21: "Zoë Straße", 22: "unknown_2", 23: "unknown_3", 24: "Zoe\u0308 Straße_2", 25: "_NUL .x", 26: "_COM¹", 27: "q_r",
	} {
		if names[i] != want {
			t.Errorf("%q becomes %q, want %q", people[i], names[i], want)
		}
	}
}
