package dataset

import "testing"

func TestParseSize(t *testing.T) {
	for in, want := range map[string]Size{"56x46": {56, 46}, "1x1": {1, 1}, "32x32": DefaultSize} {
		if got, err := ParseSize(in); err != nil || got != want || got.String() != in {
			t.Errorf("ParseSize(%q) = %v, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "32", "32x", "x32", "0x5", "-1x5", "32x32x32", "32x32 ", "9999x9999", "axb", "1e9x1"} {
		if got, err := ParseSize(in); err == nil {
			t.Errorf("ParseSize(%q) = %v", in, got)
		}
	}
}
