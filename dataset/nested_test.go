package dataset

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"nrdl.example/nrdl/internal/hint"
)

// Folders of years that hold the folders of people are no people; folders of people may
// hold folders of days.
func TestFoldersOfYears(t *testing.T) {
	pattern := func(image, at int) int { return (image*37 + at*at*11) % 256 }
	for name, c := range map[string]struct {
		people map[string][]int
		want   string // "" for no error
	}{
		"years":       {map[string][]int{"2023/Bob": {1}, "2023/Zoe": {2}, "2024/Bob": {3}}, "the folders 2023 and 2024 hold folders with the same names (Bob)"},
		"days":        {map[string][]int{"2023-07-01 sea/Bob": {1}, "2023-12-24/Zoe": {2}}, "hold folders (Bob, Zoe): these look like people"},
		"days inside": {map[string][]int{"Bob/2023": {1}, "Bob/2024": {4}, "Zoe/2023": {2}}, ""},
		"sessions":    {map[string][]int{"s1/indoor": {1}, "s2/indoor": {4}}, ""},
		"numbers":     {map[string][]int{"2001/1": {1}, "2002/1": {4}}, ""},
		"one year":    {map[string][]int{"2023/Bob": {1}, "Zoe": {4}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			root := drawn(t, c.people, pattern)
			_, err := Open(context.Background(), root, Options{Frame: Frame{Size: Size{Height: 4, Width: 4}}})
			_, listed := PeopleFiles([]string{root}, "", func(s string) string { return s }, func(error) {})
			for _, err := range []error{err, listed} {
				switch {
				case c.want == "" && err != nil:
					t.Error(err)
				case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
					t.Errorf("the error is %v, not %q", err, c.want)
				case c.want != "" && !strings.Contains(hint.Of(err), filepath.Join(root, "Bob", "2023")):
					t.Errorf("the hint is %q", hint.Of(err))
				}
			}
		})
	}
}
