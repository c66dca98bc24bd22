package method

import (
	"strings"
	"testing"
)

// A number so large that products of it are not finite is refused by its name.
func TestSetRefusesHugeNumbers(t *testing.T) {
	for _, m := range All() {
		for _, p := range Params(m) {
			if p.Type != "number" {
				continue
			}
			for _, v := range []string{"1e308", "-1e308", "1e16"} {
				if _, err := Set(m, p.Path, v); err == nil || !strings.Contains(err.Error(), p.Path) {
					t.Errorf("%s takes %s=%s: %v", m.Name(), p.Path, v, err)
				}
			}
		}
	}
}
