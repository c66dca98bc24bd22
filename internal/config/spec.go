package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"nrdl.example/nrdl/advice"
)

// Parse returns the alternative that text names, with its defaults and the parameters in
// text: "disc", "disc:radius=2", "box:width=2,height=3". A first value without a name is
// that of the first parameter: "disc:2". It is an error to set a parameter twice. A value
// cannot have a comma.
func (c *Codec) Parse(text string) (any, error) {
	name, settings, some := strings.Cut(text, ":")
	a, err := c.alternative(name)
	if err != nil {
		return nil, err
	}
	v := addressable(a)
	if !some {
		return v.Interface(), nil
	}
	params := c.Params(v.Interface())
	if len(params) == 0 {
		return nil, fmt.Errorf("%s = %s: %s has no parameters", name, quote(settings), name)
	}
	var set []string // the paths so far
	for i, s := range strings.Split(settings, ",") {
		path, value, named := strings.Cut(s, "=")
		if !named {
			if i > 0 || s == "" {
				err := fmt.Errorf("%s: %s is not of the form parameter=value", name, quote(s))
				return nil, advice.Add(err, "for example %s:%s=%s", name, params[0].Path, params[0].Value)
			}
			path, value = params[0].Path, s
		}
		if slices.Contains(set, path) {
			return nil, fmt.Errorf("%s: %s is there twice", name, quote(path))
		}
		set = append(set, path)
		err := c.set(v, path, path, value)
		if errors.Is(err, errUnknown) {
			return nil, c.unknown(v.Interface(), clip(path))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return v.Interface(), nil
}

// Spec is the inverse of Parse. It returns the name of the alternative v and the parameters
// that differ from the defaults, in the order of the fields. It panics if v is not one of
// the alternatives.
func (c *Codec) Spec(v any) string {
	name := nameOf(reflect.ValueOf(v))
	a, err := c.alternative(name)
	if err != nil || a.Type() != reflect.TypeOf(v) {
		panic(fmt.Sprintf("config: %T is not a known %s", v, c.kind))
	}
	var settings []string
	present := addressable(a)
	for _, p := range c.Params(v) {
		if slices.ContainsFunc(c.Params(present.Interface()), func(q Param) bool { return q.Path == p.Path && q.Value == p.Value }) {
			continue
		}
		if p.Type == "number" {
			p.Value = strings.Replace(p.Value, "e+", "e", 1) // a plus may join specs
		}
		settings = append(settings, p.Path+"="+p.Value)
		// An alternative that is chosen brings its own defaults; a value that
		// Set refuses is left to Validate.
		_ = c.set(present, p.Path, p.Path, p.Value)
	}
	if settings == nil {
		return name
	}
	return name + ":" + strings.Join(settings, ",")
}
