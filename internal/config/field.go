package config

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"nrdl.example/nrdl/advice"
)

// A field is a parameter, or a group of them, in its struct.
type field struct {
	index     []int // as in reflect.Value.FieldByIndex
	kind      reflect.Kind
	name      string
	help      string
	equation  string
	condition string // "NAME=VALUE" of the same struct, without which it has no effect
	choices   []string
	zero      string // the value that JSON leaves out, so that text from before the field existed means it; "" for none
}

// fieldsOf lists the fields of the struct type t, those of embedded structs
// in their place.
func fieldsOf(t reflect.Type) []field {
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("config: %v is not a struct", t))
	}
	var fields []field
	for _, sf := range reflect.VisibleFields(t) {
		tag := sf.Tag.Get("json")
		if lends := sf.Anonymous && tag == ""; lends || !sf.IsExported() || tag == "-" || withinNamed(t, sf) {
			continue
		}
		name, _, _ := strings.Cut(tag, ",")
		if name == "" || strings.Contains(name, ".") {
			panic(fmt.Sprintf("config: field %s of %v needs a json tag", sf.Name, t))
		}
		f := field{
			index: sf.Index, kind: sf.Type.Kind(), name: name,
			help: sf.Tag.Get("help"), equation: sf.Tag.Get("eq"), condition: sf.Tag.Get("if"), zero: sf.Tag.Get("omitted"),
		}
		if c, ok := sf.Tag.Lookup("choices"); ok {
			f.choices = strings.Split(c, ",")
		}
		fields = append(fields, f)
	}
	return fields
}

// withinNamed reports whether sf is reached through an embedded struct that
// has a name of its own, and so belongs to that.
func withinNamed(t reflect.Type, sf reflect.StructField) bool {
	for i := 1; i < len(sf.Index); i++ {
		if t.FieldByIndex(sf.Index[:i]).Tag.Get("json") != "" {
			return true
		}
	}
	return false
}

// fieldsOf is the function fieldsOf with a cache, since a report needs the parameters of
// thousands of records.
func (c *Codec) fieldsOf(t reflect.Type) []field {
	if fields, ok := c.cache.Load(t); ok {
		return fields.([]field)
	}
	fields := fieldsOf(t)
	c.cache.Store(t, fields)
	return fields
}

func (c *Codec) find(t reflect.Type, name string) (field, bool) {
	for _, f := range c.fieldsOf(t) {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}

// typeOf is the Type of a Param that is not a group.
func typeOf(v reflect.Value, choices []string) string {
	switch {
	case v.CanFloat():
		return "number"
	case v.CanInt(), v.CanUint():
		return "integer"
	case v.Kind() == reflect.Bool:
		return "true|false"
	case v.Kind() == reflect.String && choices != nil:
		return "choice"
	case v.Kind() == reflect.String:
		return "text"
	}
	panic(fmt.Sprintf("config: a parameter cannot be a %v", v.Type()))
}

// format gives the shortest text that parse reads back as v.
func format(v reflect.Value) string {
	switch {
	case v.CanFloat():
		return strconv.FormatFloat(v.Float(), 'g', -1, v.Type().Bits())
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10)
	case v.Kind() == reflect.Bool:
		return strconv.FormatBool(v.Bool())
	}
	return v.String()
}

// parse sets v, the parameter at path, to what text says.
func parse(v reflect.Value, choices []string, path, text string) error {
	switch typeOf(v, choices) {
	case "number":
		f, err := strconv.ParseFloat(text, v.Type().Bits())
		switch {
		case math.IsNaN(f) || math.IsInf(f, 0):
			return fmt.Errorf("%s = %s is not a finite number", path, quote(text))
		case err != nil:
			return fmt.Errorf("%s = %s is not a number", path, quote(text))
		}
		v.SetFloat(f)
	case "integer":
		return parseInteger(v, path, text)
	case "true|false":
		if text != "true" && text != "false" {
			return fmt.Errorf("%s = %s is neither true nor false", path, quote(text))
		}
		v.SetBool(text == "true")
	case "choice":
		if err := oneOf(choices, path, text); err != nil {
			return err
		}
		v.SetString(text)
	default:
		if !utf8.ValidString(text) {
			return fmt.Errorf("%s = %s is not valid UTF-8", path, quote(text))
		}
		v.SetString(text)
	}
	return nil
}

func oneOf(choices []string, path, text string) error {
	if slices.Contains(choices, text) {
		return nil
	}
	err := fmt.Errorf("%s = %s is none of %s", path, quote(text), strings.Join(choices, ", "))
	return advice.Add(err, "%s", advice.Text(advice.Unknown(path, clip(text), choices)))
}

func parseInteger(v reflect.Value, path, text string) error {
	digits := text
	if m, e, ok := strings.Cut(strings.ToLower(text), "e"); ok {
		if zeros, err := strconv.ParseUint(strings.TrimPrefix(e, "+"), 10, 8); err == nil && zeros < 20 {
			digits = m + strings.Repeat("0", int(zeros)) // 1e3 is exactly 1000
		}
	}
	var err error
	if v.CanInt() {
		var i int64
		if i, err = strconv.ParseInt(digits, 10, v.Type().Bits()); err == nil {
			v.SetInt(i)
		}
	} else {
		var u uint64
		if u, err = strconv.ParseUint(digits, 10, v.Type().Bits()); err == nil {
			v.SetUint(u)
		}
	}
	switch {
	case err == nil:
		return nil
	case strings.HasSuffix(err.Error(), strconv.ErrRange.Error()):
		return fmt.Errorf("%s = %s is out of range", path, quote(text))
	case v.CanUint():
		return fmt.Errorf("%s = %s is not an integer ≥ 0", path, quote(text))
	}
	return fmt.Errorf("%s = %s is not an integer", path, quote(text))
}

// quote shows a value in a message.
func quote(text string) string { return strconv.Quote(clip(text)) }

// clip shortens text that is too long for a message.
func clip(text string) string {
	if r := []rune(text[:min(len(text), 256)]); len(r) > 60 {
		return string(r[:59]) + "…"
	}
	return text
}
