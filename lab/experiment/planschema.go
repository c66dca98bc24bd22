package experiment

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/lab/plans"
)

// A schema is a JSON Schema, of the keywords that lab/plans/plan.schema.json uses. It is checked here and not
// by a library because those that tell where a mistake is prepare all drafts of JSON Schema at every start
// of the program. The tests compare it with one of them.
type schema struct {
	Description string
	Ref         string `json:"$ref"`
	Type        oneOrMore[string]
	Enum        []string

	Minimum, Maximum *json.Number
	Above            *json.Number `json:"exclusiveMinimum"`
	Pattern          *pattern
	MinLength        int

	Items       *schema
	MinItems    int
	MaxItems    *int
	UniqueItems bool

	Properties        map[string]*schema
	Others            *schema `json:"additionalProperties"`
	MinProperties     int
	MaxProperties     *int
	Required          []string
	DependentRequired map[string][]string

	OneOf    []*schema
	If, Else *schema

	Defs    map[string]*schema `json:"$defs"`
	nothing bool               // false as a schema

	Schema   string            `json:"$schema"`
	Title    string            // for readers, as the next
	Examples []json.RawMessage //
}

// A pattern is a regular expression in a schema.
type pattern struct{ *regexp.Regexp }

// UnmarshalText compiles the expression.
func (p *pattern) UnmarshalText(text []byte) (err error) {
	p.Regexp, err = regexp.Compile(string(text))
	return err
}

// UnmarshalJSON refuses keywords that are not checked.
func (s *schema) UnmarshalJSON(text []byte) error {
	if string(text) == "false" {
		s.nothing = true
		return nil
	}
	type plain schema
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	return dec.Decode((*plain)(s))
}

// planSchema is lab/plans/plan.schema.json.
var planSchema = sync.OnceValue(func() (s *schema) {
	if err := json.Unmarshal(plans.Schema(), &s); err != nil {
		panic(err) // embedded
	}
	return s
})

// A mistake is a violation of the schema.
type mistake struct {
	node  *value
	last  bool // after the others: the mistake may be another one
	error func() error
}

// validate reports the first mistake in v. Missing members come last, since a member may
// have a wrong name.
func (v *value) validate() error {
	var all []mistake
	v.check(planSchema(), "", &all)
	if len(all) == 0 {
		return nil
	}
	order := func(m mistake) int {
		if m.last {
			return 1
		}
		return 0
	}
	return slices.MinFunc(all, func(a, b mistake) int {
		return cmp.Or(cmp.Compare(order(a), order(b)), cmp.Compare(a.node.end, b.node.end))
	}).error()
}

// check adds the mistakes in v to all. About is the description of what refers to s.
func (v *value) check(s *schema, about string, all *[]mistake) {
	wrong := func(last bool, err func() error) { *all = append(*all, mistake{v, last, err}) }
	other := func() error { return v.isNot(s, about) }
	if len(s.Type) > 0 && !slices.ContainsFunc(s.Type, v.is) {
		wrong(false, func() error { return v.hasType(s, about) })
		return
	}
	if text, ok := v.json.(string); len(s.Enum) > 0 && !(ok && slices.Contains(s.Enum, text)) {
		wrong(false, func() error { return v.errorf("%w", advice.Unknown(v.name, fmt.Sprint(v.json), s.Enum)) })
		return
	}
	if s.Ref != "" {
		v.check(planSchema().Defs[strings.TrimPrefix(s.Ref, "#/$defs/")], s.Description, all)
	}
	switch token := v.json.(type) {
	case map[string]any:
		v.checkObject(s, wrong, all)
	case []any:
		v.checkList(s, wrong, all)
	case string:
		if utf8.RuneCountInString(token) < s.MinLength || s.Pattern != nil && !s.Pattern.MatchString(token) {
			wrong(false, other)
		}
	case json.Number:
		if below(token, s.Minimum) || s.Above != nil && !below(*s.Above, &token) || s.Maximum != nil && below(*s.Maximum, &token) {
			wrong(false, other)
		}
	}
	if s.OneOf != nil {
		fitting := 0
		for _, one := range s.OneOf {
			if v.fits(one) {
				fitting++
			}
		}
		if fitting != 1 {
			wrong(true, other)
		}
	}
	if s.If != nil && !v.fits(s.If) {
		v.check(s.Else, s.Description, all)
	}
}

// fits tells whether v has no mistake.
func (v *value) fits(s *schema) bool {
	var all []mistake
	v.check(s, "", &all)
	return len(all) == 0
}

func (v *value) checkObject(s *schema, wrong func(bool, func() error), all *[]mistake) {
	if n := len(v.members); n < s.MinProperties || s.MaxProperties != nil && n > *s.MaxProperties {
		wrong(false, func() error { return v.isNot(s, "") })
	}
	if i := slices.IndexFunc(s.Required, func(name string) bool { return v.member[name] == nil }); i >= 0 {
		name := s.Required[i]
		wrong(true, func() error {
			return advice.Add(v.errorAbout("no %q", name), "%q is %s", name, s.Properties[name].Description)
		})
	}
	unknown := (*value)(nil)
	for _, m := range v.members {
		switch of := s.Properties[m.name]; {
		case of != nil:
			m.check(of, "", all)
		case s.Others != nil && !s.Others.nothing:
			m.check(s.Others, "", all)
		case s.Others != nil:
			unknown = cmp.Or(unknown, m)
		}
	}
	if unknown != nil {
		wrong(false, func() error { return unknown.isUnknown(s) })
	}
	for _, name := range slices.Sorted(maps.Keys(s.DependentRequired)) {
		needed := s.DependentRequired[name]
		if i := slices.IndexFunc(needed, func(n string) bool { return v.member[n] == nil }); i >= 0 && v.member[name] != nil {
			wrong(false, func() error { return advice.Add(v.isNot(s, ""), "%q needs %q", name, needed[i]) })
		}
	}
}

// isUnknown is the error about a member that s does not have.
func (v *value) isUnknown(s *schema) error {
	err := v.errorf("%w", advice.Unknown("key", v.name, slices.Sorted(maps.Keys(s.Properties))))
	if strings.HasPrefix(v.name, "//") || strings.HasPrefix(v.name, "#") || strings.Trim(v.name, "_$") == "comment" {
		return advice.Add(err, "%s", noComments)
	}
	return err
}

func (v *value) checkList(s *schema, wrong func(bool, func() error), all *[]mistake) {
	if len(v.members) < s.MinItems {
		wrong(false, func() error { return v.errorAbout("an empty list") })
	}
	if s.MaxItems != nil && len(v.members) > *s.MaxItems {
		wrong(false, func() error { return v.isNot(s, "") })
	}
	seen := map[string]bool{}
	for _, m := range v.members {
		if text, err := json.Marshal(m.json); s.UniqueItems && err == nil {
			if seen[string(text)] {
				wrong(false, func() error { return v.errorAbout("%s is there twice", m) })
				break
			}
			seen[string(text)] = true
		}
	}
	if s.Items != nil {
		for _, m := range v.members {
			m.check(s.Items, "", all)
		}
	}
}

// types are the types of JSON Schema and the words for them in messages, in the order of messages.
var types = [][2]string{
	{"null", "null"},
	{"boolean", "true or false"},
	{"number", "a number"},
	{"string", "text"},
	{"array", "a list"},
	{"object", "an object"},
}

// wordOf is the word for a type.
func wordOf(name string) string {
	return types[slices.IndexFunc(types, func(t [2]string) bool { return t[0] == name })][1]
}

// kind is the type of v.
func (v *value) kind() string {
	switch v.json.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case bool:
		return "boolean"
	case nil:
		return "null"
	}
	return "number"
}

// is tells whether v is of a type of JSON Schema.
func (v *value) is(name string) bool {
	if number, ok := v.json.(json.Number); ok && name == "integer" {
		r, ok := new(big.Rat).SetString(number.String())
		return ok && r.IsInt()
	}
	return name == v.kind()
}

// below tells whether a is less than b, if there is b.
func below(a json.Number, b *json.Number) bool {
	if b == nil {
		return false
	}
	x, _ := new(big.Rat).SetString(a.String())
	y, _ := new(big.Rat).SetString(b.String())
	return x.Cmp(y) < 0
}

// hasType is the error about a value of a type that s does not have.
func (v *value) hasType(s *schema, about string) error {
	if slices.Contains(s.Type, "number") || slices.Contains(s.Type, "integer") {
		return v.isNot(s, about)
	}
	var want []string
	for _, t := range types {
		if slices.Contains(s.Type, t[0]) {
			want = append(want, t[1])
		}
	}
	return v.errorAbout("%s, not %s", wordOf(v.kind()), strings.Join(want, " or "))
}

// isNot is the error about a value that is not what s describes.
func (v *value) isNot(s *schema, about string) error {
	err := v.errorAbout("%s is not %s", v, s.Description)
	if about != "" {
		return advice.Add(err, "%q is %s", v.name, about)
	}
	return err
}
