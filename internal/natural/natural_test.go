package natural

import (
	"testing"

	"github.com/fvbommel/sortorder"
	"pgregory.net/rapid"
)

// sortorder is the order in which earlier versions sorted people and files.
func TestCompareLikeSortorder(t *testing.T) {
	names := rapid.StringOfN(rapid.RuneFrom([]rune("0012é-ab.")), 0, 8, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := names.Draw(t, "a"), names.Draw(t, "b")
		if got, want := Compare(a, b), sortorder.NaturalCompare(a, b); got != want {
			t.Errorf("%q %q: %d, want %d", a, b, got, want)
		}
	})
}
