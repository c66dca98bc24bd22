package experiment

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/method"
)

// A ProgramRange is where a search looks for a parameter of a Program, as a classify.Range of a
// method.
type ProgramRange struct {
	Name    string   `json:"name"` // of a parameter
	Low     float64  `json:"low,omitempty"`
	High    float64  `json:"high,omitempty"`
	Log     bool     `json:"log,omitempty"`
	Zero    bool     `json:"zero,omitempty"`
	Integer bool     `json:"integer,omitempty"`
	Choices []string `json:"choices,omitempty"`
}

// A plannedRange is a ProgramRange of a plan, whose choices may be numbers.
type plannedRange struct {
	ProgramRange
	Choices []any `json:"choices"`
}

var _ classify.Described = Program{}

// Traits has the ranges of the plan.
func (p Program) Traits() classify.Traits {
	var t classify.Traits
	for _, r := range p.Ranges {
		t.Ranges = append(t.Ranges, classify.Range{Path: r.Name, Low: r.Low, High: r.High, Log: r.Log, Zero: r.Zero, Choices: r.Choices})
	}
	return t
}

// paramsOf are the parameters of a method, or of a program.
func paramsOf(m classify.Method) []method.Param {
	p, ok := m.(Program)
	if !ok {
		return method.Params(m)
	}
	var all []method.Param
	for name, text := range p.Params {
		one := method.Param{Path: name, Type: "number", Value: string(text)}
		if word, err := strconv.Unquote(one.Value); err == nil {
			one.Type, one.Value = "text", word
		}
		if slices.ContainsFunc(p.Ranges, func(r ProgramRange) bool { return r.Name == name && r.Integer }) {
			one.Type = "integer"
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b method.Param) int { return cmp.Compare(a.Path, b.Path) })
	return all
}

// setParam is method.Set, for programs too.
func setParam(m classify.Method, path, value string) (classify.Method, error) {
	p, ok := m.(Program)
	if !ok {
		return method.Set(m, path, value)
	}
	params := map[string]json.RawMessage{}
	maps.Copy(params, p.Params)
	text := []byte(value)
	if old := params[path]; len(old) > 0 && old[0] == '"' {
		text, _ = json.Marshal(value) // a string has a JSON form
	}
	params[path] = text
	p.Params = params
	return p, nil
}

// ranges reads "ranges" of a plan, each of a parameter that the plan gives a first value.
func (e *methodFile) ranges() (all []ProgramRange, _ error) {
	for _, v := range e.node.member["ranges"].of() {
		r := e.Ranges[v.name].ProgramRange
		r.Name = v.name
		for _, c := range v.member["choices"].of() {
			r.Choices = append(r.Choices, fmt.Sprint(c.token))
		}
		if !slices.ContainsFunc(e.params, func(a assignment) bool { return a.path == r.Name }) {
			return nil, advice.Add(v.errorf("the range of %q has no first value", r.Name), `give it one in "params"`)
		}
		if r.Choices == nil && (r.Low >= r.High || r.Log && r.Low <= 0) {
			return nil, v.errorf(`the range of %q needs "low" < "high", and 0 < "low" with "log"; or "choices"`, r.Name)
		}
		all = append(all, r)
	}
	return all, nil
}

// of returns the members of a value that may be missing.
func (v *value) of() []*value {
	if v == nil {
		return nil
	}
	return v.members
}
