package classify

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// MarshalJSON writes p as an object with the pass, μ where there is one, the
// residual, and the other terms in their order. A value that is not finite is null.
func (p Progress) MarshalJSON() ([]byte, error) {
	terms, at := p.Terms(), 0
	if len(terms) > 0 && terms[0].Name == "mu" {
		at = 1
	}
	text := []byte(`{"iter":` + strconv.Itoa(p.Iter))
	for _, term := range slices.Insert(slices.Clone(terms), at, Term{Name: "residual", Value: p.Residual}) {
		name, _ := json.Marshal(term.Name) // a string has a JSON form
		value, err := json.Marshal(term.Value)
		if err != nil {
			value = []byte("null")
		}
		text = fmt.Appendf(text, ",%s:%s", name, value)
	}
	return append(text, '}'), nil
}
