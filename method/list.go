package method

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
)

// Several returns the methods of a list of different names, "nrdl,nrc,src", with the
// values for the database preset, unless it is "", and then with each of set,
// "NAME=VALUE", where the method has the parameter. It is an error if none has it. Notes
// say which settings are not for all.
func Several(names, preset string, set []string) (all []classify.Method, notes []string, err error) {
	if all, err = list(names); err != nil {
		return nil, nil, err
	}
	for i := range all {
		if preset == "" {
			break
		}
		if all[i], err = Preset(all[i], preset); err != nil {
			return nil, nil, err
		}
	}
	for _, s := range set {
		path, value, ok := strings.Cut(s, "=")
		if !ok {
			return nil, nil,
				advice.Add(fmt.Errorf("%.60q is not of the form NAME=VALUE", s), "%v lists the parameters of a method", advice.ListParameters)
		}
		which, err := setWhere(all, strings.TrimSpace(path), strings.TrimSpace(value))
		if err != nil {
			return nil, nil, err
		}
		if len(which) < len(all) {
			notes = append(notes, fmt.Sprintf("%s applies only to %s", s, strings.Join(which, ", ")))
		}
	}
	for _, m := range all {
		if err := m.Validate(); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", m.Name(), err)
		}
	}
	return all, notes, nil
}

// list returns the methods of a list of different names, with their default parameters.
func list(names string) (all []classify.Method, err error) {
	for name := range strings.SplitSeq(names, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			return nil, advice.Add(fmt.Errorf("methods %.60q: a name is empty", names), "write the names with a comma between them: nrc,src")
		}
		m, err := Named(name)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(all, func(o classify.Method) bool { return o.Name() == name }) {
			return nil, advice.Add(fmt.Errorf("methods %.60q: %s is there twice", names, name), "compare each method once")
		}
		all = append(all, m)
	}
	return all, nil
}

// setWhere sets the parameter at path of those methods that have it, in place, and
// returns their names. It is an error if none has it.
func setWhere(all []classify.Method, path, value string) (which []string, err error) {
	for i, m := range all {
		if !slices.ContainsFunc(Params(m), func(p Param) bool { return p.Path == path }) {
			continue
		}
		if all[i], err = Set(m, path, value); err != nil {
			return nil, err
		}
		which = append(which, m.Name())
	}
	if which == nil {
		var names []string
		for _, m := range all {
			names = append(names, m.Name())
		}
		err := fmt.Errorf("none of %s has a parameter %.60q", strings.Join(names, ", "), path)
		return nil, advice.Add(err, "%v lists the parameters of a method", advice.ListParameters)
	}
	return which, nil
}

// Of returns the method, with its parameters, that trained c: one of this package or of
// others, which are methods of other modules.
func Of(c *classify.Classifier, others ...classify.Method) (classify.Method, error) {
	if c == nil {
		return nil, errors.New("there is no classifier")
	}
	p := c.Parts()
	return Restore(p.Method, p.Params, others...)
}

// Restore returns the method of this name with these parameters, as Of does.
func Restore(name string, params json.RawMessage, others ...classify.Method) (classify.Method, error) {
	named, err := Named(name, others...)
	if err != nil {
		err := fmt.Errorf("the model was learned by the method %s, which is not known here", name)
		return nil, advice.Add(err, "open the model by a program that has the method: %v takes it", advice.Open)
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

// A Value is the value of one parameter in a preset, with its source.
type Value = classify.Value

// databases are the presets' names, in the order of the paper's table 2.
var databases = []struct{ name, description string }{
	{"orl", "AT&T (ORL), the first 6 images of each of 40 people"},
	{"gt", "Georgia Tech, the first 5 images of each of 50 people"},
	{"pie", "CMU PIE, 10 random images of each of 68 people"},
	{"yaleb", "Extended Yale B, 20 random images of each of 38 people"},
	{"lfw", "LFW, 8 random images of each of 86 people"},
}

// Where the values of presets come from. Every one is published, or was found by
// validation inside the training part, never by test images; where the defaults are as good
// as any, there is none.
const (
	validated = "tools/validate: best of a grid in folds of the training part"
	level     = "tools/validate: within the error of the best in folds of the training part"
	atRest    = "with every sample an atom K-SVD is at rest from the first pass"
	twin      = "D-KSVD's preset, γ divided evenly: γ = β + αK_c [equiv]"
)

// preset returns values "PATH=VALUE" from one source.
func preset(source string, values ...string) (all []Value) {
	for _, v := range values {
		path, value, _ := strings.Cut(v, "=")
		all = append(all, Value{Path: path, Value: value, Source: source})
	}
	return all
}

// PresetNames returns the names of the presets, one per database.
func PresetNames() []string {
	names := make([]string, len(databases))
	for i, d := range databases {
		names[i] = d.name
	}
	return names
}

// PresetAbout describes the database and the split of a preset.
func PresetAbout(name string) string {
	for _, d := range databases {
		if d.name == name {
			return d.description
		}
	}
	return ""
}

// PresetValues returns the parameters of m that the preset of this name
// changes; nil if it changes none.
func PresetValues(m classify.Method, name string) []Value {
	return classify.TraitsOf(m).Presets[name]
}

// Preset returns m with the parameters of the preset of this name.
func Preset(m classify.Method, name string) (classify.Method, error) {
	if PresetAbout(name) == "" {
		return nil, advice.Unknown("preset", name, PresetNames())
	}
	for _, v := range PresetValues(m, name) {
		var err error
		if m, err = Set(m, v.Path, v.Value); err != nil {
			return nil, fmt.Errorf("preset %s: %w", name, err)
		}
	}
	return m, nil
}
