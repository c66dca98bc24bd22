package method

import (
	"fmt"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
)

// A Value is the value of one parameter in a preset, with its source.
type Value = classify.Value

// databases are the presets' names, in the order of the paper's table 2.
var databases = []struct{ name, about string }{
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
	validated = "studies/validate: best of a grid in folds of the training part"
	level     = "studies/validate: within the error of the best in folds of the training part"
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
			return d.about
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
