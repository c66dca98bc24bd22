package method

import (
	"fmt"

	"nrdl"
	"nrdl/internal/hint"
)

// A Value is the value of one parameter in a preset, and where it is from.
type Value struct {
	Path, Value string // what Set takes
	Source      string // a reference, or how it was found
}

// databases are the presets' names, in the order of the paper's table 2.
var databases = []struct{ name, about string }{
	{"orl", "AT&T (ORL), the first 6 images of each of 40 people"},
	{"gt", "Georgia Tech, the first 5 images of each of 50 people"},
	{"pie", "CMU PIE, 10 random images of each of 68 people"},
	{"yaleb", "Extended Yale B, 20 random images of each of 38 people"},
	{"lfw", "LFW, 8 random images of each of 86 people"},
}

// Sources that several values share.
const (
	authors = "the authors' program"
)

// presets has the values that differ from the defaults: by database, then by
// method. Every value is published, or was found by validation inside the
// training part (bench/validate), never by test images.
var presets = map[string]map[string][]Value{
	"orl":   {},
	"gt":    {},
	"pie":   {},
	"yaleb": {},
	"lfw":   {},
}

// PresetNames returns the names of the presets, one a database.
func PresetNames() []string {
	names := make([]string, len(databases))
	for i, d := range databases {
		names[i] = d.name
	}
	return names
}

// PresetAbout says for which database and split the preset of that name is.
func PresetAbout(name string) string {
	for _, d := range databases {
		if d.name == name {
			return d.about
		}
	}
	return ""
}

// PresetValues returns what the preset of that name changes of m's parameters;
// nil where the defaults are its values.
func PresetValues(m nrdl.Method, name string) []Value { return presets[name][m.Name()] }

// Preset returns m with the parameters that suit the database of that name.
func Preset(m nrdl.Method, name string) (nrdl.Method, error) {
	if PresetAbout(name) == "" {
		return nil, hint.Unknown("preset", name, PresetNames())
	}
	for _, v := range PresetValues(m, name) {
		var err error
		if m, err = Set(m, v.Path, v.Value); err != nil {
			return nil, fmt.Errorf("preset %s: %w", name, err)
		}
	}
	return m, nil
}
