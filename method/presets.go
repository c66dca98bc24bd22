package method

import (
	"fmt"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
)

// A Value is the value of one parameter in a preset, with its source.
type Value struct {
	Path   string `json:"name"`   // what Set takes
	Value  string `json:"value"`  // what Set takes
	Source string `json:"source"` // a reference, or how it was found
}

// databases are the presets' names, in the order of the paper's table 2.
var databases = []struct{ name, about string }{
	{"orl", "AT&T (ORL), the first 6 images of each of 40 people"},
	{"gt", "Georgia Tech, the first 5 images of each of 50 people"},
	{"pie", "CMU PIE, 10 random images of each of 68 people"},
	{"yaleb", "Extended Yale B, 20 random images of each of 38 people"},
	{"lfw", "LFW, 8 random images of each of 86 people"},
}

// Where values come from.
const (
	validated = "studies/validate: best of a grid in folds of the training part"
	level     = "studies/validate: within the error of the best in folds of the training part"
	atRest    = "with every sample an atom K-SVD is at rest from the first pass"
	twin      = "D-KSVD's preset, γ divided evenly: γ = β + αK_c [equiv]"
)

// presets has the values that differ from the defaults: by database, then by
// method. Every value is published, or was found by validation inside the
// training part, never by test images; where the defaults are as good as any,
// there is none.
var presets = map[string]map[string][]Value{
	"orl": {
		"src":       {{"coder.lambda", "0.05", level}},
		"crc":       {{"kappa", "0.1", validated}},
		"nrc":       {{"coder.rho", "0.1", validated}, {"coder.passes", "50", validated}},
		"dsrc":      {{"coder.tau", "0.01", validated}},
		"dpl":       {{"gamma", "0.0003", validated}},
		"nrdl-test": {{"ridge.lambda", "0.1", validated}},
	},
	"gt": {
		"src":       {{"coder.lambda", "0.1", validated}},
		"crc":       {{"kappa", "0.1", level}},
		"nrc":       {{"coder.rho", "0.1", validated}, {"coder.passes", "50", validated}},
		"dsrc":      {{"coder.tau", "1", validated}},
		"dksvd":     {{"gamma", "4", validated}},
		"lcksvd1":   {{"min_uses", "0", validated}},
		"dpl":       {{"gamma", "0.003", validated}},
		"nrdl-test": {{"ridge.lambda", "0.1", validated}},
	},
	"pie": {
		"src":       {{"coder.lambda", "0.001", validated}},
		"crc":       {{"kappa", "0.01", validated}},
		"ksvd":      {{"passes", "1", atRest}},
		"dksvd":     {{"gamma", "0.04", validated}, {"passes", "5", validated}},
		"lcksvd1":   {{"alpha", "0.005", validated}, {"passes", "5", validated}},
		"lcksvd2":   {{"alpha", "0.002", twin}, {"beta", "0.02", twin}, {"passes", "5", twin}},
		"nrdl-test": {{"ridge.lambda", "0.01", validated}},
	},
	"yaleb": {
		"src":     {{"coder.lambda", "0.001", validated}},
		"crc":     {{"kappa", "0.01", validated}},
		"ksvd":    {{"passes", "1", atRest}},
		"dksvd":   {{"gamma", "0.01", validated}, {"passes", "5", validated}},
		"lcksvd1": {{"alpha", "0.001", validated}, {"passes", "5", validated}, {"min_uses", "0", validated}},
		"lcksvd2": {{"alpha", "0.00025", twin}, {"beta", "0.005", twin}, {"passes", "5", twin}},
	},
	"lfw": {
		"src":       {{"coder.lambda", "0.0003", validated}},
		"crc":       {{"kappa", "0.01", validated}},
		"ksvd":      {{"passes", "1", atRest}},
		"dksvd":     {{"gamma", "0.01", validated}, {"passes", "5", validated}, {"min_uses", "0", validated}},
		"lcksvd1":   {{"alpha", "0.001", validated}, {"passes", "5", validated}},
		"lcksvd2":   {{"alpha", "0.000625", twin}, {"beta", "0.005", twin}, {"passes", "5", twin}, {"min_uses", "0", twin}},
		"nrdl-test": {{"ridge.lambda", "0.01", validated}},
	},
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
func PresetValues(m classify.Method, name string) []Value { return presets[name][m.Name()] }

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
