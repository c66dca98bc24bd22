package legible

import (
	"strings"
	"testing"
)

func TestAddressHasNoPassword(t *testing.T) {
	for text, want := range map[string]string{
		"nats://u:SECRET@h:1": "nats://…@h:1", "mqtt://u:SEC/RET@h": "mqtt://…@h", "u:SECRET@h": "…@h", "mysql://u:SEC@RET@h/x": "mysql://…@h/x",
		"http://h:1/a": "http://h:1/a", "mqtt:u:SECRET@h": "…@h", "": "", "folder": "folder",
	} {
		if got := Address(text); got != want || strings.Contains(got, "RET") {
			t.Errorf("%s: %s, not %s", text, got, want)
		}
	}
}
