package experiment

import (
	"fmt"
	"slices"

	"nrdl/classify"
	"nrdl/frontend"
	"nrdl/internal/hint"
	"nrdl/method"
)

// contestant reads a method, or the methods of a parameter that is varied.
func (r *planReader) contestant(v *value) error {
	e := entry{at: v, presets: true, tune: r.tune}
	if v.kind == text {
		if err := readText(&e.method)(v); err != nil {
			return err
		}
	} else if err := v.each(map[string]func(*value) error{
		"method":   readText(&e.method),
		"label":    readName(&e.label),
		"input":    readInput(&e.input),
		"params":   e.assign,
		"vary":     e.vary,
		"preset":   readBool(&e.presets),
		"tune":     readSearch(&e.tune),
		"trace":    readBool(&e.trace),
		"datasets": func(v *value) error { return v.items(e.restrict(r.plan)) },
	}); err != nil {
		return err
	}
	all, err := e.contestants()
	if err != nil {
		return err
	}
	for _, c := range all {
		if slices.ContainsFunc(r.plan.contestants, func(o contestant) bool { return o.label == c.label && r.plan.meet(&o, &c) }) {
			return hint.Add(v.errorf("two methods go by %q", c.label), `give them different "label"s`)
		}
		r.plan.contestants = append(r.plan.contestants, c)
	}
	if len(r.plan.contestants) > maxItems {
		return v.errorf("more than %d methods and values of those that are varied", maxItems)
	}
	return nil
}

// meet reports whether two contestants have a data set in common.
func (p *Plan) meet(a, b *contestant) bool {
	return slices.ContainsFunc(p.data, func(d plannedData) bool { return a.meets(d.name) && b.meets(d.name) })
}

// An entry is a member of "methods".
type entry struct {
	at            *value
	method, label string
	params        []assignment
	varied        *value
	path          string // that is varied
	presets       bool
	tune          *Search
	trace         bool
	input         frontend.Pipeline
	only          []string
}

// An assignment is a parameter and what it is set to.
type assignment struct {
	at          *value
	path, value string
}

func (e *entry) assign(v *value) error {
	if v.kind != object {
		return v.wrong("%s, not an object of parameters", v.kind)
	}
	for i, name := range v.names {
		s, err := v.members[i].parameter()
		if err != nil {
			return err
		}
		e.params = append(e.params, assignment{v.members[i], name, s})
	}
	return nil
}

// parameter is v as method.Set takes it.
func (v *value) parameter() (string, error) {
	switch v.kind {
	case text:
		return v.scalar.(string), nil
	case number, truth:
		return v.String(), nil
	}
	return "", v.wrong("%s, not the value of a parameter", v.kind)
}

func (e *entry) vary(v *value) error {
	if v.kind != object || len(v.names) != 1 || v.members[0].kind != list || len(v.members[0].members) == 0 || len(v.members[0].members) > maxItems {
		return v.errorf(`"vary" is an object of one parameter and the list of its values, {"atoms": [2, 4, 8]}`)
	}
	e.path, e.varied = v.names[0], v.members[0]
	return nil
}

// restrict reads the name of a data set of p.
func (e *entry) restrict(p *Plan) func(*value) error {
	return func(v *value) error {
		var name string
		if err := readText(&name)(v); err != nil {
			return err
		}
		if err := p.knows(v, name); err != nil {
			return err
		}
		e.only = append(e.only, name)
		return nil
	}
}

func (p *Plan) knows(v *value, data string) error {
	var names []string
	for _, d := range p.data {
		names = append(names, d.name)
	}
	if !slices.Contains(names, data) {
		return v.errorf("%w", hint.Unknown("data set", data, names))
	}
	return nil
}

// contestants returns what e stands for: one, or one for each value of the
// parameter that is varied.
func (e *entry) contestants() ([]contestant, error) {
	if e.method == "" {
		return nil, e.at.errorf(`a method without its name, its "method"`)
	}
	m, err := method.Named(e.method)
	if err != nil {
		return nil, e.at.errorf("%w", err)
	}
	id := e.method
	if e.label != "" {
		id = e.label
	} else if e.label = method.Title(m); len(e.params) > 0 {
		for i, p := range e.params {
			e.label += []string{", ", " "}[min(1, i)] + p.path + "=" + p.value
			id = e.label
		}
	}
	base := contestant{at: e.at, id: id, label: e.label, tune: e.tune, trace: e.trace, input: e.input, only: e.only}
	if e.varied == nil {
		base.method = e.configure(m, nil)
		_, err := base.method("")
		return []contestant{base}, err
	}
	var all []contestant
	for _, v := range e.varied.members {
		s, err := v.parameter()
		if err != nil {
			return nil, err
		}
		c := base
		c.label = fmt.Sprintf("%s, %s=%s", base.label, e.path, s)
		c.id, c.varied = c.label, &Varied{e.path, s}
		c.method = e.configure(m, &assignment{v, e.path, s})
		if _, err := c.method(""); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// configure returns the function that makes the method of a contestant: m with
// the values of a preset, then those of the plan.
func (e *entry) configure(m classify.Method, last *assignment) func(string) (classify.Method, error) {
	params := e.params
	if last != nil {
		params = append(params[:len(params):len(params)], *last)
	}
	return func(preset string) (classify.Method, error) {
		edited, at, err := m, e.at, error(nil)
		if preset != "" && e.presets {
			if edited, err = method.Preset(m, preset); err != nil {
				return nil, at.errorf("%w", err)
			}
		}
		for _, p := range params {
			at = p.at
			if edited, err = method.Set(edited, p.path, p.value); err != nil {
				return nil, at.errorf("%w", err)
			}
		}
		if err := edited.Validate(); err != nil {
			return nil, at.errorf("%s: %w", m.Name(), err)
		}
		if e.tune != nil && len(method.Ranges(edited)) == 0 {
			return nil, at.errorf("%s has nothing to tune", m.Name())
		}
		return edited, nil
	}
}
