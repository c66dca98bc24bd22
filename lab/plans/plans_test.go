package plans

import (
	"slices"
	"testing"
)

func TestNamed(t *testing.T) {
	if !slices.Contains(Names(), "paper") || slices.Contains(Names(), "plan.schema") {
		t.Errorf("names %q", Names())
	}
	for _, name := range Names() {
		text, ok := Named(name)
		if !ok || len(text) == 0 {
			t.Errorf("no plan %s", name)
		}
		if same, _ := Named("plans/" + name + ".json"); string(same) != string(text) {
			t.Errorf("%s by its path is another", name)
		}
	}
	for _, bad := range []string{"plan.schema", "schema", "", "nothing", "."} {
		if _, ok := Named(bad); ok {
			t.Errorf("%q is a plan", bad)
		}
	}
}
