package advice

import "testing"

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "abc", 0},
		{"trian", "train", 1},
		{"kitten", "sitting", 3},
		{"ca", "abc", 3},
		{"naïve", "naive", 1},
		{"ab", "ba", 1},
		{"flaw", "lawn", 2},
	} {
		if got := edits([]rune(c.a), []rune(c.b)); got != c.want {
			t.Errorf("%q, %q: %d, want %d", c.a, c.b, got, c.want)
		}
		if got := edits([]rune(c.b), []rune(c.a)); got != c.want {
			t.Errorf("%q, %q: %d, want %d", c.b, c.a, got, c.want)
		}
	}
}
