package explain

import (
	"strings"
	"testing"
)

func TestTurned(t *testing.T) {
	for want, turns := range map[string][]float64{
		"all 4 photographs are frontal":   {0.02, -0.05, 0.09, 0},
		"turned to the left of the":       {0.02, 0.2, 0.16, -0.02},
		"turned to the right of the":      {0.02, -0.2, -0.16, -0.02},
		"nothing: both sides":             {0.2, -0.2, 0, 0},
		"nothing: few photographs":        {0, 0, 0},
		"nothing: neither clearly turned": {0.12, 0, 0, 0},
	} {
		got := strings.Join(turned(turns), "; ")
		if nothing := strings.HasPrefix(want, "nothing"); nothing != (got == "") || !nothing && !strings.Contains(got, want) {
			t.Errorf("%v: %q, want %q", turns, got, want)
		}
	}
}
