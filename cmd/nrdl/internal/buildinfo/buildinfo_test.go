package buildinfo

import "testing"

// A record has the revision once.
func TestLine(t *testing.T) {
	for want, b := range map[string]Info{
		"1.0.0":                  {Version: "1.0.0"},
		"1.0.0 0123456789abcdef": {Version: "1.0.0", Revision: "0123456789abcdef"},
		"1.1.0-dev+0123456789ab": {Version: "1.1.0-dev+0123456789ab", Revision: "0123456789abcdef"},
	} {
		if got := b.Line(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
