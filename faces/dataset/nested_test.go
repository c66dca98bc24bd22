package dataset

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"nrdl.example/nrdl/advice"
)

// Folders of years that hold the folders of people are no people; folders of people may
// hold folders of days.
func TestFoldersOfYears(t *testing.T) {
	pattern := func(image, at int) int { return (image*37 + at*at*11) % 256 }
	for name, c := range map[string]struct {
		people map[string][]int
		want   string // "" for no error
		warns  string // "" for no warning
	}{
		"years": {
			map[string][]int{"2023/Bob": {1}, "2023/Zoe": {2}, "2024/Bob": {3}},
			"the folders 2023 and 2024 hold folders with the same names (Bob)", "",
		},
		"days": {
			map[string][]int{"2023-07-01 sea/Bob": {1}, "2023-12-24/Zoe": {2}},
			"hold folders (Bob, Zoe): these look like people", "",
		},
		"days inside": {map[string][]int{"Bob/2023": {1}, "Bob/2024": {4}, "Zoe/2023": {2}}, "", ""},
		"sessions":    {map[string][]int{"s1/indoor": {1}, "s2/indoor": {4}}, "", "the folders s1 and s2 are taken for people"},
		"places": {
			map[string][]int{"Holiday/Bob": {1}, "Work/Bob": {2}, "Work/Zoe": {4}},
			"",
			"the folders Holiday and Work are taken for people, and hold folders with the same names (Bob)",
		},
		"month":    {map[string][]int{"2023-05/Bob": {1}, "Holiday/Bob": {2}}, "", "(Bob); if these are the people, put all"},
		"beside":   {map[string][]int{"Bob": {1}, "Bob/old": {3}, "Zoe": {2}, "Zoe/old": {4}}, "", ""},
		"parent":   {map[string][]int{"people/Bob": {1}, "people/Zoe": {2}, "others": {4}}, "", "the folder people is taken for one person"},
		"numbers":  {map[string][]int{"2001/1": {1}, "2002/1": {4}}, "", ""},
		"one year": {map[string][]int{"2023/Bob": {1}, "Zoe": {4}}, "", ""},
		"album":    {map[string][]int{"2023": {1}, "DCIM": {4}}, "the folders 2023 and DCIM look like those of an album", ""},
		"camera": {
			map[string][]int{"DCIM/100CANON": {1}, "Camera": {3}, "Bob": {4}},
			"the folders Camera and DCIM look like those of an album", "",
		},
		"seasons":  {map[string][]int{"2023": {1}, "2024-05": {4}}, "the folders 2023 and 2024-05 look like those of an album", ""},
		"subjects": {map[string][]int{"1998": {1}, "1999": {2}, "2107": {4}}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			root := drawn(t, c.people, pattern)
			var warned, warnedToo string
			_, err := Open(context.Background(), root, Options{Frame: Frame{Size: Size{Height: 4, Width: 4}}, Warn: func(s string) { warned += s }})
			_, listed := PeopleFiles([]string{root}, "", func(s string) string { return s }, func(err error) { warnedToo += err.Error() })
			for _, text := range []string{warned, warnedToo} {
				if (text != "") != (c.warns != "") || !strings.Contains(text, c.warns) {
					t.Errorf("the warning is %q, not %q", text, c.warns)
				}
			}
			for _, err := range []error{err, listed} {
				switch {
				case c.want == "" && err != nil:
					t.Error(err)
				case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
					t.Errorf("the error is %v, not %q", err, c.want)
				case strings.Contains(c.want, "album"):
					if !strings.Contains(advice.Text(err), "group.InPhotographs") {
						t.Errorf("the hint is %q", advice.Text(err))
					}
				case c.want != "" && !strings.Contains(advice.Text(err), filepath.Join(root, "Bob", "2023")):
					t.Errorf("the hint is %q", advice.Text(err))
				}
			}
		})
	}
}
