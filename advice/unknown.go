package advice

import (
	"fmt"
	"slices"
	"strings"
)

// Unknown is the error for a name that is none of names, with the Nearest of them
// as advice, or all of them where none is near.
func Unknown(what, name string, names []string) error {
	err := fmt.Errorf("unknown %s %.60q", what, name) // it may be very long
	if near := Nearest(name, names); near != "" {
		return Add(err, "did you mean %q?", near)
	}
	return Add(err, "choose one of %s", strings.Join(names, ", "))
}

// Nearest returns which of names is probably meant by name: one of which name is a
// misspelling, whatever the case, or one that begins with name; "" if there is none. Of
// equally near names it prefers one that begins with name.
func Nearest(name string, names []string) string {
	nearest, distance := "", len(name)/2+1 // more differs than agrees: no misspelling
	for _, n := range names {
		d := edits([]rune(strings.ToLower(name)), []rune(strings.ToLower(n)))
		if d < distance || d == distance && nearest != "" && strings.HasPrefix(n, name) && !strings.HasPrefix(nearest, name) {
			nearest, distance = n, d
		}
	}
	if i := slices.IndexFunc(names, func(n string) bool { return strings.HasPrefix(n, name) }); nearest == "" && len(name) > 2 && i >= 0 {
		nearest = names[i]
	}
	return nearest
}

// edits is the least number of runes that are inserted, removed, replaced or
// exchanged with their neighbour to make b of a; no part is changed twice.
func edits(a, b []rune) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
			case a[i-1] == b[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = 1 + min(rows[i-1][j], rows[i][j-1], rows[i-1][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], 1+rows[i-2][j-2])
			}
		}
	}
	return rows[len(a)][len(b)]
}
