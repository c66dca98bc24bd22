package dataset

import (
	"slices"
	"strings"
	"testing"
)

// Tags that are no names of people are reported once each, with how many there are; a slash is replaced.
func TestTagNames(t *testing.T) {
	people := &tagNames{func(name string) string { return name }, map[string]*refusal{}, map[string]int{}}
	var got []string
	for i, tag := range []string{"Ann/Bo", " Cy ", "unknown", "", "Ann/Bo", "unknown", `Di\Eve`, "unknown"} {
		got = append(got, people.of(tag, string(rune('a'+i))+".jpg"))
	}
	if want := []string{"Ann-Bo", "Cy", "", "", "Ann-Bo", "", "Di-Eve", ""}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	var warnings []string
	people.tell(func(err error) { warnings = append(warnings, err.Error()) })
	if len(warnings) != 3 || !strings.HasPrefix(warnings[0], `the tag "Ann/Bo", 2 times, is read as the name "Ann-Bo"`) ||
		!strings.HasPrefix(warnings[2], "tag left out: c.jpg and 2 more: ") {
		t.Errorf("%q", warnings)
	}
}
