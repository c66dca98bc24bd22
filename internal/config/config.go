// Package config edits, describes and stores parameter structs by reflection,
// so that a method declares its parameters once, as the fields of a struct.
//
// A parameter struct has exported fields of these kinds, each with a json tag
// that names it: floats, integers, booleans, strings, structs of such fields,
// and the one interface type that the Codec knows the alternatives of. An
// embedded struct without a tag lends its fields. Further tags describe a
// field: `help` is a sentence, `eq` the equation it appears in, and `choices`
// the comma-separated values that a string may take. A struct that does not
// keep to this is a mistake in the program: the package panics.
package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"nrdl.example/nrdl/advice"
)

// A Codec edits, describes and stores parameter structs. It is safe for
// concurrent use.
type Codec struct {
	choice       reflect.Type    // the interface type
	kind         string          // the word for an alternative in messages
	names        []string        // of the alternatives
	alternatives []reflect.Value // with their defaults
	cache        sync.Map        // fields of the types asked for: reflect.Type → []field
}

// A Param describes one parameter.
type Param struct {
	Path     string   `json:"name"`               // what Set takes, for example "coder.rho"
	Type     string   `json:"type"`               // "number", "integer", "true|false", "text" or "choice"
	Value    string   `json:"default"`            // what Set takes to give the present value
	Equation string   `json:"equation,omitempty"` // where the source has it
	Help     string   `json:"meaning,omitempty"`  // what it is
	Choices  []string `json:"choices,omitempty"`  // the values of a choice
	If       string   `json:"if,omitempty"`       // "PATH=VALUE" without which it has no effect, or ""
}

// New makes a Codec for parameter structs. Fields of the interface type T have one of the
// alternatives as their value. Each of alternatives has its default parameters.
func New[T named](alternatives []T) *Codec {
	t := reflect.TypeFor[T]()
	c := &Codec{choice: t, kind: strings.ToLower(t.Name())}
	for _, a := range alternatives {
		v := reflect.ValueOf(a)
		if slices.Contains(c.names, a.Name()) {
			panic(fmt.Sprintf("config: two alternatives are named %q", a.Name()))
		}
		for _, f := range c.fieldsOf(v.Type()) {
			if f.name == "name" {
				panic(fmt.Sprintf("config: a field of %v is called name", v.Type()))
			}
		}
		c.names = append(c.names, a.Name())
		c.alternatives = append(c.alternatives, v)
	}
	return c
}

// Set returns a copy of the struct value v with the parameter at path changed
// to value. A path is the name of a field, or names joined by dots. At the
// path of an interface field, value is the name of an alternative, and the field
// becomes this alternative with its defaults.
func (c *Codec) Set(v any, path, value string) (any, error) {
	edited := addressable(reflect.ValueOf(v))
	err := c.set(edited, path, path, value)
	if errors.Is(err, errUnknown) {
		return nil, c.unknown(v, path)
	}
	if err != nil {
		return nil, err
	}
	return edited.Interface(), nil
}

// Params lists the parameters of the struct value v in the order of its
// fields. Setting each to its Value, in this order, reproduces v.
func (c *Codec) Params(v any) []Param {
	return c.params(nil, "", reflect.ValueOf(v))
}

func (c *Codec) params(list []Param, prefix string, v reflect.Value) []Param {
	for _, f := range c.fieldsOf(v.Type()) {
		fv, path := v.FieldByIndex(f.index), prefix+f.name
		if fv.Kind() == reflect.Struct {
			list = c.params(list, path+".", fv)
			continue
		}
		p := Param{Path: path, Help: f.help, Equation: f.equation}
		if f.condition != "" {
			p.If = prefix + f.condition
			p.Help = "with " + p.If + ": " + p.Help
		}
		if !c.isChoice(fv) {
			p.Type, p.Value, p.Choices = typeOf(fv, f.choices), format(fv), slices.Clone(f.choices)
			list = append(list, p)
			continue
		}
		p.Type, p.Choices = "choice", slices.Clone(c.names)
		if fv.IsNil() {
			list = append(list, p)
			continue
		}
		p.Value = nameOf(fv.Elem())
		list = c.params(append(list, p), path+".", fv.Elem())
	}
	return list
}

// Unmet returns the condition "PATH=VALUE" that v does not meet, so that its parameter at path
// has no effect, or "".
func (c *Codec) Unmet(v any, path string) string {
	params := c.Params(v)
	for {
		i := slices.IndexFunc(params, func(p Param) bool { return p.Path == path })
		if i < 0 || params[i].If == "" {
			return ""
		}
		condition := params[i].If
		on, want, _ := strings.Cut(condition, "=")
		if !slices.ContainsFunc(params, func(p Param) bool { return p.Path == on && p.Value == want }) {
			return condition
		}
		path = on
	}
}

// errUnknown is the error of a path that does not exist; Set replaces it by a message.
var errUnknown = errors.New("unknown parameter")

// set edits the addressable struct v. Path is the whole path, for messages;
// rest is what is left of it.
func (c *Codec) set(v reflect.Value, path, rest, value string) error {
	head, rest, deeper := strings.Cut(rest, ".")
	f, ok := c.find(v.Type(), head)
	if !ok {
		return errUnknown
	}
	fv := v.FieldByIndex(f.index)
	switch {
	case c.isChoice(fv) && !deeper:
		a, err := c.alternative(value)
		if err != nil {
			return err
		}
		fv.Set(a)
		return nil
	case c.isChoice(fv) && fv.IsNil():
		return errUnknown
	case c.isChoice(fv):
		inner := addressable(fv.Elem())
		if err := c.set(inner, path, rest, value); err != nil {
			return err
		}
		fv.Set(inner)
		return nil
	case fv.Kind() == reflect.Struct && deeper:
		return c.set(fv, path, rest, value)
	case fv.Kind() == reflect.Struct || deeper:
		return errUnknown
	}
	return parse(fv, f.choices, path, value)
}

// unknown is the error for a path that v does not have.
func (c *Codec) unknown(v any, path string) error {
	var paths []string
	for _, p := range c.Params(v) {
		paths = append(paths, p.Path)
		if strings.HasPrefix(p.Path, path+".") {
			err := fmt.Errorf("%s is a group of parameters", path)
			return advice.Add(err, "set one of them, for example %s", p.Path)
		}
	}
	err := advice.Unknown("parameter of "+nameOf(reflect.ValueOf(v)), path, paths)
	for _, p := range c.Params(v) {
		rest, under := strings.CutPrefix(path, p.Path+".")
		if f, ok := c.find(reflect.TypeOf(v), p.Path); !under || !ok || f.kind != reflect.Interface {
			continue
		}
		for i, a := range c.alternatives {
			if _, ok := c.find(a.Type(), rest); ok {
				return advice.Add(err, "it is a parameter of the %s %s: set %s=%s first", c.kind, c.names[i], p.Path, c.names[i])
			}
		}
	}
	return err
}

// alternative returns the alternative of that name with its defaults.
func (c *Codec) alternative(name string) (reflect.Value, error) {
	i := slices.Index(c.names, name)
	if i < 0 {
		return reflect.Value{}, advice.Unknown(c.kind, clip(name), c.names)
	}
	return c.alternatives[i], nil
}

func (c *Codec) isChoice(v reflect.Value) bool {
	if v.Kind() == reflect.Interface && v.Type() != c.choice {
		panic(fmt.Sprintf("config: the alternatives of %v are not known", v.Type()))
	}
	return v.Kind() == reflect.Interface
}

// A named struct says what it is called in messages.
type named interface{ Name() string }

// nameOf returns the Name of the struct v, or its type if it has none.
func nameOf(v reflect.Value) string {
	if n, ok := v.Interface().(named); ok {
		return n.Name()
	}
	return v.Type().String()
}

func addressable(v reflect.Value) reflect.Value {
	a := reflect.New(v.Type()).Elem()
	a.Set(v)
	return a
}

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
