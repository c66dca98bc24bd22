package buildinfo

import "testing"

// A record has the revision once.
func TestLine(t *testing.T) {
	for want, b := range map[string]Info{
		"v1":                         {Version: "v1"},
		"v1 0123456789abcdef":        {Version: "v1", Revision: "0123456789abcdef"},
		"v0.0.0-2026-0123456789ab":   {Version: "v0.0.0-2026-0123456789ab", Revision: "0123456789abcdef"},
		"(devel) 0123456789+changes": {Version: "(devel)", Revision: "0123456789+changes"},
	} {
		if got := b.Line(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
