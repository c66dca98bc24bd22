package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"nrdl/dataset"
	"nrdl/frontend"
	"nrdl/frontend/feature"
	"nrdl/frontend/projection"
	"nrdl/internal/console"
	"nrdl/method"
)

// A stage is what an input is made of, or an input that has a name.
type stage struct {
	kind, name, about string
	params            []paramJSON
	input             *frontend.Pipeline // nil unless kind is inputStage
}

// Kinds of stages.
const (
	inputStage       = "input"
	featureStage     = "feature"
	photometricStage = "photometric"
	projectionStage  = "projection"
	wordStage        = "word"
)

// stageFlag is the flag that takes the stages of each kind.
var stageFlag = map[string]string{
	inputStage: "--input", featureStage: "--input", photometricStage: "--photometric", projectionStage: "--project",
	wordStage: "--input",
}

// stages lists all in the order in which they are shown.
func stages() (all []stage) {
	for _, p := range frontend.Presets {
		all = append(all, stage{kind: inputStage, name: p.Name, about: p.About, input: &p.Pipeline})
	}
	for _, f := range feature.All {
		if f.Name() != "pixels" { // it is a preset too
			all = append(all, stage{featureStage, f.Name(), feature.Describe(f), paramsOf(feature.Params(f)), nil})
		}
	}
	for _, s := range feature.Steps {
		all = append(all, stage{photometricStage, s.Name(), feature.Describe(s), paramsOf(feature.StepParams(s)), nil})
	}
	for _, p := range projection.All {
		all = append(all, stage{projectionStage, p.Name(), projection.Describe(p), paramsOf(projection.Params(p)), nil})
	}
	for _, w := range []struct{ name, about string }{
		{"crop=0.5", "the middle half of the height and width of images is kept; --crop"},
		{"zoom=0.8", "the features of the inner eight tenths stand beside those of the whole"},
		{"mirror", "mirror images are added to the training faces; --mirror"},
		{"shift=3", "the projection is fit on faces moved by three pixels too"},
	} {
		all = append(all, stage{kind: wordStage, name: w.name, about: w.about})
	}
	return all
}

func paramsOf(params []method.Param) []paramJSON {
	var out []paramJSON
	for _, p := range params {
		out = append(out, paramJSON{p.Path, p.Type, p.Value, p.Equation, p.Help, p.Choices})
	}
	return out
}

func findStage(name string) (stage, bool) {
	all := stages()
	i := slices.IndexFunc(all, func(s stage) bool {
		word, _, _ := strings.Cut(s.name, "=")
		return s.name == name || s.kind == wordStage && word == name
	})
	if i < 0 {
		return stage{}, false
	}
	return all[i], true
}

// listStages prints what --input, --photometric and --project take.
func (a *app) listStages() {
	titles := map[string]string{
		inputStage: "a preset:", featureStage: "features joined by + (NAME:PARAMETER=VALUE,…):",
		photometricStage: "steps joined by +:", projectionStage: "one of:",
		wordStage: "further words, between spaces:",
	}
	all := stages()
	for len(all) > 0 {
		kind := all[0].kind
		a.Print("\n%s, %s\n", stageFlag[kind], titles[kind])
		var rows []console.Entry
		for ; len(all) > 0 && all[0].kind == kind; all = all[1:] {
			rows = append(rows, console.Entry{Name: all[0].name, Paragraphs: all[0].lines()})
		}
		a.Entries(rows)
	}
}

// lines say what s does and, of an input, its stages.
func (s stage) lines() []string {
	if s.input == nil || s.input.IsZero() {
		return []string{s.about}
	}
	return []string{s.about + ":", s.input.String()}
}

func (a *app) describeStage(s stage, asJSON bool) error {
	if asJSON {
		return a.printJSON(struct {
			Kind        string             `json:"kind"`
			Name        string             `json:"name"`
			Description string             `json:"description"`
			Input       *frontend.Pipeline `json:"input,omitempty"`
			Params      []paramJSON        `json:"params,omitempty"`
		}{s.kind, s.name, s.about, s.input, s.params})
	}
	a.Print("%s (%s): %s\n\n", s.name, s.kind, s.about)
	if s.input != nil {
		a.printStages(*s.input)
		return nil
	}
	if len(s.params) > 0 {
		w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "parameter\tdefault\tmeaning")
		for _, p := range s.params {
			fmt.Fprintf(w, "%s\t%s\t%s\n", p.Name, p.Default, p.Meaning)
		}
		_ = w.Flush() // errors surface when out is flushed
		a.Print("\n")
	}
	a.Print("for example: %s %s\n", stageFlag[s.kind], s.example())
	return nil
}

// example is s as a flag takes it, with its parameters.
func (s stage) example() string {
	if len(s.params) == 0 {
		return s.name
	}
	var settings []string
	for _, p := range s.params {
		settings = append(settings, p.Name+"="+p.Default)
	}
	return s.name + ":" + strings.Join(settings, ",")
}

// printStages prints the stages of in line by line, and how to write them.
func (a *app) printStages(in frontend.Pipeline) {
	if in.Size != (dataset.Size{}) {
		a.Print("size        %v\n", in.Size)
	}
	features := "pixels"
	if len(in.Features) > 0 {
		features = strings.ReplaceAll(in.Features.String(), "+", "\n            ")
	}
	a.Print("features    %s\n", features)
	if n := in.Len(); n > 0 {
		a.Print("            %d numbers\n", n)
	}
	if in.Mirror {
		a.Print("mirror      mirror images are added to the training faces\n")
	}
	if !in.Projection.IsZero() {
		a.Print("projection  %v\n", in.Projection)
	}
	if in.Size != (dataset.Size{}) {
		a.Print("\nthe same: --input %s\n", console.Quoted(in.String()))
	}
}
