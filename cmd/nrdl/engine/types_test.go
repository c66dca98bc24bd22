package engine

import (
	"go/token"
	"testing"
)

// Other languages call their classes by these names.
func TestTypesAreNames(t *testing.T) {
	for _, d := range Methods() {
		if !token.IsIdentifier(d.Type) || !token.IsExported(d.Type) {
			t.Errorf("the type of %s is called %q", d.Name, d.Type)
		}
	}
}
