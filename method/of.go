package method

import (
	"encoding/json"
	"fmt"
	"strings"

	"nrdl.example/nrdl/classify"
)

// Of returns the method, with its parameters, that trained c: one of this package or of
// others, which are methods of other modules.
func Of(c *classify.Classifier, others ...classify.Method) (classify.Method, error) {
	p := c.Parts()
	return Restore(p.Method, p.Params, others...)
}

// Restore returns the method of this name with these parameters, as Of does.
func Restore(name string, params json.RawMessage, others ...classify.Method) (classify.Method, error) {
	named, err := Named(name, others...)
	if err != nil {
		return nil, fmt.Errorf("the model was learned by a method that is not known here: %w", err)
	}
	method, err := Unmarshal(named, params)
	if err != nil {
		return nil, fmt.Errorf("the model was learned by %s, whose parameters are not known here: %w", name, err)
	}
	return method, nil
}

// Words returns the name of m and the parameters that differ from its defaults:
// "nrdl lambda=0.01".
func Words(m classify.Method) string {
	words := []string{m.Name()}
	given, err := Named(m.Name())
	if err != nil {
		return words[0]
	}
	values := map[string]string{}
	for _, p := range Params(given) {
		values[p.Path] = p.Value
	}
	for _, p := range Params(m) {
		if values[p.Path] != p.Value {
			words = append(words, p.Path+"="+p.Value)
		}
	}
	return strings.Join(words, " ")
}
