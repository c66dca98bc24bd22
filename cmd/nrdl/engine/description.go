package engine

import (
	"context"
	"fmt"
	"strings"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/method"
)

// A Description is a method, or a learner of dictionaries, with its defaults.
type Description struct {
	Name        string         `json:"name"`
	Title       string         `json:"title"`                 // in papers
	Type        string         `json:"type"`                  // of Go, in its package
	Description string         `json:"description"`           // what it does
	Formulation string         `json:"formulation,omitempty"` // its optimisation problem
	Limit       string         `json:"limit,omitempty"`       // how many samples it can learn from
	Iterative   bool           `json:"iterative"`             // makes passes
	Params      []method.Param `json:"params"`
	Presets     []Preset       `json:"presets,omitempty"` // those that change it
}

// A Preset is the values of parameters for a database.
type Preset struct {
	Name   string         `json:"name"`   // name of the database
	About  string         `json:"about"`  // what it is
	Values []method.Value `json:"values"` // the parameters that it changes
}

// Describe describes m.
func Describe(m classify.Method) Description {
	t := classify.TraitsOf(m)
	_, iterative := m.(classify.Iterative)
	out := Description{
		Name: m.Name(), Title: method.Title(m), Type: typeOf(m), Description: method.Describe(m),
		Formulation: t.Formulation, Limit: method.Limit(m),
		Iterative: iterative, Params: method.Params(m),
	}
	for _, name := range method.PresetNames() {
		if values := method.PresetValues(m, name); len(values) > 0 {
			out.Presets = append(out.Presets, Preset{name, method.PresetAbout(name), values})
		}
	}
	return out
}

// typeOf returns the name of the type of v in Go. An alias of a generic type, such as
// method.Kept, has none at run time, and is called as the method: LRCNRC for LRC + NRC.
func typeOf(v any) string {
	full := fmt.Sprintf("%T", v)
	if m, ok := v.(classify.Method); ok && strings.HasSuffix(full, "]") {
		return strings.NewReplacer(" ", "", "+", "", "-", "").Replace(method.Title(m))
	}
	return full[strings.LastIndexByte(full, '.')+1:]
}

// Methods describes all methods.
func Methods() (all []Description) {
	for _, m := range method.All() {
		all = append(all, Describe(m))
	}
	return all
}

func describe(*session, context.Context, *incoming) (*answer, error) {
	return &answer{map[string]any{"methods": Methods(), "dictionaries": dictionaries()}, nil}, nil
}
