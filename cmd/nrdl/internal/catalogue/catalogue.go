// Package catalogue describes the methods, and what inputs are made of, with their
// parameters: as data with a JSON form, and as text.
package catalogue

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/cmd/nrdl/engine"
	"nrdl.example/nrdl/cmd/nrdl/internal/console"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/faces/frontend/feature"
	"nrdl.example/nrdl/internal/config"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/projection"
)

// A Method is a method with its defaults.
type Method engine.Description

// Of describes m.
func Of(m classify.Method) Method { return Method(engine.Describe(m)) }

// whichNRDL is the short form of a section of doc/research.md, which has the command of each rate.
const whichNRDL = `
Which NRDL? nrdl is the paper's. To recognise faces, stop the coder early where every image
is an atom, and take nrdl-online where there are fewer atoms than images (percent right):

    variant                           drawn faces  digits, 10 atoms a class
    nrdl                                     78.6                      88.6
    nrdl --set coder.solver=authors          79.7                      89.2
    nrdl --set coder.solver=admm             92.5                      89.9
    nrdl-refit                               79.7                      93.8
    nrdl-online                              77.2                      95.8
`

// WriteText writes the objective, a table of the parameters and one of the presets
// of m, where it has these.
func (m Method) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s: %s\n", m.Name, m.Description)
	if m.Formulation != "" {
		fmt.Fprintf(w, "\n    %s\n", strings.ReplaceAll(strings.TrimSpace(m.Formulation), "\n", "\n    "))
	}
	if m.Limit != "" {
		fmt.Fprintf(w, "\n    %s\n", m.Limit)
	}
	if m.Name == method.DefaultNRDL.Name() {
		fmt.Fprint(w, whichNRDL)
	}
	rows := []string{"\nparameter\tdefault\tequation\tmeaning\n"}
	for _, p := range m.Params {
		rows = append(rows, fmt.Sprintf("%s\t%s\t%s\t%s\n", p.Path, p.Value, p.Equation, meaning(p)))
	}
	if err := writeTable(w, rows); err != nil || len(m.Presets) == 0 {
		return err
	}
	rows = []string{"\npreset\tvalue\tsource\n"}
	for _, p := range m.Presets {
		for _, v := range p.Values {
			rows = append(rows, fmt.Sprintf("%s\t%s=%s\t%s\n", p.Name, v.Path, v.Value, v.Source))
		}
	}
	return writeTable(w, rows)
}

// Chosen returns lines with m and its parameters in the form of --set.
func Chosen(m classify.Method, seed uint64) (lines []string) {
	line := fmt.Sprintf("method %s, seed %d", m.Name(), seed)
	params := method.Params(m)
	if len(params) > 0 {
		line += ":"
	}
	for _, p := range params {
		word := " " + p.Path + "=" + p.Value
		if len(line)+len(word) > console.Columns {
			lines = append(lines, line)
			line = "   "
		}
		line += word
	}
	return append(lines, line)
}

func writeTable(out io.Writer, rows []string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprint(w, row)
	}
	return w.Flush()
}

// meaning is what a parameter means and, of a choice, which values it takes.
func meaning(p config.Param) string {
	unsaid := func(choice string) bool { return !strings.Contains(p.Help, choice) }
	if !slices.ContainsFunc(p.Choices, unsaid) {
		return p.Help
	}
	return strings.TrimPrefix(p.Help+": "+strings.Join(p.Choices, ", "), ": ")
}

// A Stage is a part of an input, or an input that has a name.
type Stage struct {
	Kind        string             `json:"kind"` // input, feature, photometric, projection or word
	Name        string             `json:"name"`
	Description string             `json:"description"`     // what it does
	Input       *frontend.Pipeline `json:"input,omitempty"` // of the kind input
	Params      []method.Param     `json:"params,omitempty"`
}

// kinds are the kinds of stages, with the flag that takes them and how.
var kinds = map[string]struct{ flag, usage string }{
	"input":       {"--input", "a preset:"},
	"feature":     {"--input", "features joined by + (NAME:PARAMETER=VALUE,…):"},
	"photometric": {"--photometric", "steps joined by +:"},
	"projection":  {"--project", "one of:"},
	"word":        {"--input", "further words, between spaces:"},
}

// Stages describes all stages, in the order in which they are shown.
func Stages() (all []Stage) {
	for _, p := range frontend.Presets {
		all = append(all, Stage{"input", p.Name, p.Description, &p.Pipeline, nil})
	}
	for _, f := range feature.All {
		if f.Name() != "pixels" { // it is a preset too
			all = append(all, Stage{"feature", f.Name(), feature.Describe(f), nil, feature.Params(f)})
		}
	}
	for _, s := range feature.Steps {
		all = append(all, Stage{"photometric", s.Name(), feature.Describe(s), nil, feature.StepParams(s)})
	}
	for _, p := range projection.All {
		all = append(all, Stage{"projection", p.Name(), projection.Describe(p), nil, projection.Params(p)})
	}
	return append(all,
		Stage{Kind: "word", Name: "crop=0.5", Description: "the middle half of the height and width of images is kept; --crop"},
		Stage{Kind: "word", Name: "zoom=0.8", Description: "the features of the inner eight tenths stand beside those of the whole"},
		Stage{
			Kind: "word", Name: "mirror",
			Description: "mirror images are added to the training faces; --mirror. After embedding, mirror=off leaves the " +
				"mirror image out of the vector, in half the time",
		},
		Stage{Kind: "word", Name: "shift=3", Description: "the projection is fit on faces moved by three pixels too"},
		Stage{Kind: "word", Name: "eyes=0.35@0.31", Description: "pupils come to this share of the width apart, at this share of the height"},
		Stage{
			Kind: "word", Name: "preset=arcface",
			Description: "after embedding:FILE.onnx: what such networks take: " + strings.Join(embedding.Presets(), ", "),
		},
		Stage{Kind: "word", Name: "channels=bgr", Description: "after embedding:FILE.onnx: blue comes first"},
		Stage{
			Kind: "word", Name: "subtract=127.5",
			Description: "after embedding:FILE.onnx: subtracted from the values 0 … 255, or from red, green, blue: subtract=R,G,B",
		},
		Stage{Kind: "word", Name: "scale=1/128", Description: "after embedding:FILE.onnx: the values are multiplied by it then"},
		Stage{
			Kind: "word", Name: "landmarks=arcface",
			Description: "after embedding:FILE.onnx: where five landmarks of a face are put: arcface, mean, ten numbers, or pupils for these alone",
		},
		Stage{
			Kind: "word", Name: "centring=off",
			Description: "after embedding: vectors that are not centred, as before version 0.4; the rates for strangers are " +
				"those of famous adults then",
		},
		Stage{
			Kind: "word", Name: "output=NAME",
			Description: "after embedding:FILE.onnx: the output that is the vector of a face, if there are several",
		})
}

// FindStage returns the stage of this name; a value after the name is ignored.
func FindStage(name string) (Stage, bool) {
	all := Stages()
	i := slices.IndexFunc(all, func(s Stage) bool {
		word, _, _ := strings.Cut(s.Name, "=")
		return s.Name == name || s.Kind == "word" && word == name
	})
	if i < 0 {
		return Stage{}, false
	}
	return all[i], true
}

// Names lists the names of all methods and stages.
func Names() (names []string) {
	for _, m := range method.All() {
		names = append(names, m.Name())
	}
	for _, s := range Stages() {
		names = append(names, s.Name)
	}
	return names
}

// List prints the names of all methods and stages with what they are.
func List(c *console.Console) {
	var rows []console.Entry
	for _, m := range method.All() {
		rows = append(rows, console.Entry{Name: m.Name(), Paragraphs: []string{method.Describe(m)}})
	}
	c.Entries(rows)
	for all := Stages(); len(all) > 0; {
		kind := all[0].Kind
		c.Print("\n%s, %s\n", kinds[kind].flag, kinds[kind].usage)
		rows = nil
		for ; len(all) > 0 && all[0].Kind == kind; all = all[1:] {
			about := []string{all[0].Description}
			if in := all[0].Input; in != nil && !in.IsZero() {
				about = []string{about[0] + ":", in.String()}
			}
			rows = append(rows, console.Entry{Name: all[0].Name, Paragraphs: about})
		}
		c.Entries(rows)
	}
}

// WriteText writes the stages of an input, or the parameters of s and how a flag
// takes it.
func (s Stage) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s (%s): %s\n\n", s.Name, s.Kind, s.Description)
	if s.Input != nil {
		writeInput(w, *s.Input)
		return nil
	}
	example := s.Name
	if len(s.Params) > 0 {
		rows, settings := []string{"parameter\tdefault\tmeaning\n"}, []string(nil)
		for _, p := range s.Params {
			rows = append(rows, fmt.Sprintf("%s\t%s\t%s\n", p.Path, p.Value, p.Help))
			settings = append(settings, p.Path+"="+p.Value)
		}
		if err := writeTable(w, append(rows, "\n")); err != nil {
			return err
		}
		example += ":" + strings.Join(settings, ",")
	}
	_, err := fmt.Fprintf(w, "for example: %s %s\n", kinds[s.Kind].flag, example)
	return err
}

// writeInput writes the stages of in line by line, and how to write them.
func writeInput(w io.Writer, in frontend.Pipeline) {
	sized := in.Size.Len() > 0
	if sized {
		fmt.Fprintf(w, "size        %v\n", in.Size)
	}
	features := "pixels"
	if !in.Embedding.IsZero() {
		features = in.Frame.String()
	}
	if len(in.Features) > 0 {
		features = strings.ReplaceAll(in.Features.String(), "+", "\n            ")
	}
	fmt.Fprintf(w, "features    %s\n", features)
	if n := in.Len(); n > 0 {
		fmt.Fprintf(w, "            %d numbers\n", n)
	}
	if in.Mirror {
		fmt.Fprintln(w, "mirror      mirror images are added to the training faces")
	}
	if !in.Projection.IsZero() {
		fmt.Fprintf(w, "projection  %v\n", in.Projection)
	}
	if sized {
		fmt.Fprintf(w, "\nthe same: --input %s\n", legible.ShellWord(in.String()))
	}
}
