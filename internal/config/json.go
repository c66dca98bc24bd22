package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"nrdl.example/nrdl/advice"
)

// Marshal returns the parameters of the struct value v as a JSON object in the order of its
// fields. A field with the value of its tag omitted is left out. An interface field is an object
// with "name" as its first member. Equal values give equal bytes. It is an error if v has a
// number that is not finite, an unset interface, or text that is not UTF-8.
func (c *Codec) Marshal(v any) (json.RawMessage, error) {
	return c.appendFields([]byte{'{'}, "", reflect.ValueOf(v))
}

// MarshalNamed is Marshal for an alternative: its object begins with "name".
func (c *Codec) MarshalNamed(v any) (json.RawMessage, error) {
	return c.appendNamed(nil, c.kind, reflect.ValueOf(v))
}

// Unmarshal returns a copy of the struct value prototype with all parameters from raw, the
// result of Marshal. It is an error if a parameter is unknown, duplicate, or missing without
// the tag omitted.
func (c *Codec) Unmarshal(raw json.RawMessage, prototype any) (any, error) {
	d := decoder{c, nameOf(reflect.ValueOf(prototype))}
	edited := addressable(reflect.ValueOf(prototype))
	members, err := Members(raw)
	if err != nil {
		return nil, fmt.Errorf("parameters of %s: %w", d.owner, err)
	}
	if err := d.fields(members, "", edited); err != nil {
		return nil, err
	}
	return edited.Interface(), nil
}

// UnmarshalNamed returns the alternative that MarshalNamed wrote.
func (c *Codec) UnmarshalNamed(raw json.RawMessage) (any, error) {
	d := decoder{c, c.kind}
	v, err := d.named(raw, "")
	if err != nil {
		return nil, err
	}
	return v.Interface(), nil
}

// appendNamed appends the alternative v, whose path is for messages.
func (c *Codec) appendNamed(b []byte, path string, v reflect.Value) ([]byte, error) {
	name := nameOf(v)
	if i := slices.Index(c.names, name); i < 0 || c.alternatives[i].Type() != v.Type() {
		return nil, fmt.Errorf("%s: %v is not a known %s", path, v.Type(), c.kind)
	}
	b = append(b, `{"name":`...)
	b = append(b, text(name)...)
	return c.appendFields(b, path+".", v)
}

// appendFields appends the fields of v and the closing brace to b, which has
// the opening one.
func (c *Codec) appendFields(b []byte, prefix string, v reflect.Value) ([]byte, error) {
	for _, f := range c.fieldsOf(v.Type()) {
		fv := v.FieldByIndex(f.index)
		if f.zero != "" && format(fv) == f.zero {
			continue
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = append(b, text(f.name)...)
		b = append(b, ':')
		var err error
		if b, err = c.appendValue(b, prefix+f.name, fv); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

func (c *Codec) appendValue(b []byte, path string, v reflect.Value) ([]byte, error) {
	switch {
	case c.isChoice(v):
		if v.IsNil() {
			return nil, fmt.Errorf("%s is not set", path)
		}
		return c.appendNamed(b, path, v.Elem())
	case v.Kind() == reflect.Struct:
		return c.appendFields(append(b, '{'), path+".", v)
	case typeOf(v, nil) == "text":
		if !utf8.ValidString(v.String()) {
			return nil, fmt.Errorf("%s = %s is not valid UTF-8", path, quote(v.String()))
		}
		return append(b, text(v.String())...), nil
	case v.CanFloat() && (math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0)):
		return nil, fmt.Errorf("%s = %v is not a finite number", path, v.Float())
	}
	return append(b, format(v)...), nil
}

// text gives s as a JSON string.
func text(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err) // a string has a JSON form
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
}

// maxDepth bounds the nesting of alternatives, since each level is parsed again.
const maxDepth = 8

// A decoder sets the fields of one struct from JSON.
type decoder struct {
	*Codec
	owner string // whose parameters they are, for messages
}

// fields sets the addressable struct v.
func (d decoder) fields(members []Member, prefix string, v reflect.Value) error {
	missing := map[string]bool{}
	var names []string
	for _, f := range d.fieldsOf(v.Type()) {
		missing[f.name] = true
		names = append(names, prefix+f.name)
	}
	for _, m := range members {
		f, ok := d.find(v.Type(), m.Name)
		if !ok {
			return advice.Unknown("parameter of "+d.owner, clip(prefix+m.Name), names)
		}
		delete(missing, m.Name)
		if err := d.value(m.Value, prefix+m.Name, v.FieldByIndex(f.index), f.choices); err != nil {
			return err
		}
	}
	for _, f := range d.fieldsOf(v.Type()) {
		switch {
		case missing[f.name] && f.zero != "":
			if err := parse(v.FieldByIndex(f.index), f.choices, prefix+f.name, f.zero); err != nil {
				return err
			}
		case missing[f.name]:
			return fmt.Errorf("parameter %q of %s is missing", prefix+f.name, d.owner)
		}
	}
	return nil
}

func (d decoder) value(raw json.RawMessage, path string, v reflect.Value, choices []string) error {
	switch {
	case d.isChoice(v):
		if strings.Count(path, ".") > maxDepth {
			return fmt.Errorf("a %s within more than %d others", d.kind, maxDepth)
		}
		a, err := d.named(raw, path)
		if err == nil {
			v.Set(a)
		}
		return err
	case v.Kind() == reflect.Struct:
		members, err := Members(raw)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return d.fields(members, path+".", v)
	}
	value := string(raw)
	if typeOf(v, nil) == "text" {
		if err := json.Unmarshal(raw, &value); err != nil || raw[0] != '"' {
			return fmt.Errorf("%s = %s is not text", path, quote(string(raw)))
		}
	}
	return parse(v, choices, path, value)
}

// named returns the alternative that the object raw describes.
func (d decoder) named(raw json.RawMessage, path string) (reflect.Value, error) {
	var none reflect.Value
	members, err := Members(raw)
	if err != nil {
		return none, fmt.Errorf("%s: %w", d.kind, err)
	}
	at := slices.IndexFunc(members, func(m Member) bool { return m.Name == "name" })
	if at < 0 {
		return none, fmt.Errorf("a %s without a name", d.kind)
	}
	var name string
	if err := json.Unmarshal(members[at].Value, &name); err != nil {
		return none, fmt.Errorf("the name of a %s is not text", d.kind)
	}
	a, err := d.alternative(name)
	if err != nil {
		return none, err
	}
	members = slices.Delete(members, at, at+1)
	v := addressable(a)
	if path == "" {
		return v, decoder{d.Codec, nameOf(v)}.fields(members, "", v)
	}
	return v, d.fields(members, path+".", v)
}

// A Member is a name and its value in a JSON object.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Members returns the members of the JSON object raw, in their order. It is stricter than
// encoding/json: duplicate names, data after the object and invalid UTF-8 are errors.
func Members(raw []byte) ([]Member, error) {
	if !utf8.Valid(raw) || !json.Valid(raw) {
		return nil, errors.New("not valid JSON")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	var members []Member
	seen := map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		m := Member{Name: token.(string)} // of a valid object
		if seen[m.Name] {
			return nil, fmt.Errorf("%s is there twice", quote(m.Name))
		}
		seen[m.Name] = true
		if err := dec.Decode(&m.Value); err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("text after the JSON object")
	}
	return members, nil
}
