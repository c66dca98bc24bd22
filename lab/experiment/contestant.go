package experiment

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/method"
)

// A methodFile is a member of "methods".
type methodFile struct {
	Method, Label, About string
	Command              []string // of a Program, which has no Method
	Preset               bool
	Tune                 *searchFile
	Trace                bool
	Datasets             []string
	Ranges               map[string]plannedRange // of a Program

	node     *value
	input    frontend.Pipeline
	params   []assignment
	variants [][]assignment // of one parameter, or of two
}

// UnmarshalJSON also accepts a text, the name of the method.
func (e *methodFile) UnmarshalJSON(text []byte) error {
	e.Preset = true
	if text[0] == '"' {
		return json.Unmarshal(text, &e.Method)
	}
	type plain methodFile
	return json.Unmarshal(text, (*plain)(e))
}

// tunable reports whether there may be something to tune: the search of a plan is not for
// methods without a parameter, such as the nearest neighbour.
func (e *methodFile) tunable() bool {
	if e.Command != nil {
		return len(e.Ranges) > 0
	}
	m, err := method.Named(e.Method)
	return err != nil || len(classify.TraitsOf(m).Ranges) > 0
}

// addMethod adds the contestants of e: one, or one for each value of a varied parameter or each pair of values of two.
func (p *Plan) addMethod(e *methodFile) error {
	if err := e.read(p); err != nil {
		return err
	}
	all, err := e.contestants()
	if err != nil {
		return err
	}
	for _, c := range all {
		if slices.ContainsFunc(p.contestants, func(o contestant) bool { return o.label == c.label && p.meet(&o, &c) }) {
			return advice.Add(e.node.errorf("two methods go by %q", c.label), `give them different "label"s`)
		}
		p.contestants = append(p.contestants, c)
	}
	if len(p.contestants) > maxItems {
		return e.node.errorf("more than %d methods and values of those that are varied", maxItems)
	}
	return nil
}

// meet reports whether two contestants have a data set in common.
func (p *Plan) meet(a, b *contestant) bool {
	return slices.ContainsFunc(p.data, func(d plannedData) bool { return a.meets(d.name) && b.meets(d.name) })
}

// An assignment is a parameter and its value.
type assignment struct {
	node        *value
	path, value string
}

// read takes from e.node the members for which the order, or the line for errors, matters.
func (e *methodFile) read(p *Plan) (err error) {
	if in := e.node.member["input"]; in != nil {
		if e.input, err = frontend.Parse(in.token.(string)); err != nil {
			return in.errorf("%w", err)
		}
	}
	if params := e.node.member["params"]; params != nil {
		for _, v := range params.members {
			e.params = append(e.params, assignment{v, v.name, fmt.Sprint(v.token)})
		}
	}
	if vary := e.node.member["vary"]; vary != nil {
		e.variants = [][]assignment{nil}
		for _, values := range vary.members {
			var longer [][]assignment
			for _, first := range e.variants {
				for _, v := range values.members {
					longer = append(longer, append(slices.Clone(first), assignment{v, v.name, fmt.Sprint(v.token)}))
				}
			}
			e.variants = longer
		}
	}
	for i, name := range e.Datasets {
		if err := e.node.member["datasets"].members[i].known("data set", name, p.dataNames(), nil); err != nil {
			return err
		}
	}
	return nil
}

// contestants returns one contestant, or one for each value of the varied parameter.
func (e *methodFile) contestants() ([]contestant, error) {
	if e.Command != nil {
		return e.programs()
	}
	m, err := method.Named(e.Method)
	if err != nil {
		return nil, e.node.errorf("%w", err)
	}
	id := cmp.Or(e.Label, e.Method)
	if e.Label == "" {
		e.Label = method.Title(m)
		for i, p := range e.params {
			e.Label += []string{", ", " "}[min(1, i)] + p.path + "=" + p.value
			id = e.Label
		}
	}
	base := contestant{
		node: e.node, id: id, label: e.Label, description: e.About, tune: (*Search)(e.Tune),
		trace: e.Trace, input: e.input, datasets: e.Datasets,
	}
	if e.variants == nil {
		base.method = e.configure(m)
		all := []contestant{base}
		return all, e.idle(m, all)
	}
	var all []contestant
	for _, values := range e.variants {
		c := base
		c.vary(values)
		c.method = e.configure(m, values...)
		all = append(all, c)
	}
	return all, e.idle(m, all)
}

// idle is an error for what the methods of all cannot be made of, and for a parameter of the
// entry that has no effect in any of them, whatever the preset. A search may still meet its
// condition.
func (e *methodFile) idle(m classify.Method, all []contestant) error {
	var methods []classify.Method
	for _, preset := range append([]string{""}, slices.Sorted(maps.Keys(classify.TraitsOf(m).Presets))...) {
		for _, c := range all {
			switch m, err := c.method(preset); {
			case err == nil:
				methods = append(methods, m)
			case preset == "": // the others may be of data sets that the plan has not
				return err
			}
		}
	}
	if e.Tune != nil {
		return nil
	}
	assigned := slices.Clone(e.params)
	if len(e.variants) > 0 {
		assigned = append(assigned, e.variants[0]...)
	}
	for _, p := range assigned {
		matters := func(m classify.Method) bool { return method.Unmet(m, p.path) == "" }
		if !slices.ContainsFunc(methods, matters) {
			return p.node.errorf("%s changes nothing: it has an effect with %s only", p.path, method.Unmet(methods[0], p.path))
		}
	}
	return nil
}

// vary gives c the label and the values of the varied parameters.
func (c *contestant) vary(values []assignment) {
	for i, a := range values {
		v := &Variation{Path: a.path, Value: a.value}
		if c.label = fmt.Sprintf("%s, %s=%s", c.label, a.path, a.value); i == 0 {
			c.variation = v
		} else {
			c.variation.Second = v
		}
	}
	c.id = c.label
}

// configure returns a function that makes the method of a contestant: m with the values
// of a preset, then with those of the plan.
func (e *methodFile) configure(m classify.Method, last ...assignment) func(string) (classify.Method, error) {
	params := slices.Concat(e.params, last)
	return func(preset string) (classify.Method, error) {
		edited, at, err := m, e.node, error(nil)
		if preset != "" && e.Preset {
			if edited, err = method.Preset(m, preset); err != nil {
				return nil, at.errorf("%w", err)
			}
		}
		for _, p := range params {
			at = p.node
			if edited, err = method.Set(edited, p.path, p.value); err != nil {
				return nil, at.errorf("%w", err)
			}
		}
		if err := edited.Validate(); err != nil {
			return nil, at.errorf("%s: %w", m.Name(), err)
		}
		if e.Tune != nil && len(classify.TraitsOf(edited).Ranges) == 0 {
			return nil, at.errorf("%s has nothing to tune", m.Name())
		}
		return edited, nil
	}
}
