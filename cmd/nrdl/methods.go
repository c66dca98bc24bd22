package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"nrdl/classify"
	"nrdl/internal/cli"
	"nrdl/internal/config"
	"nrdl/internal/console"
	"nrdl/internal/hint"
	"nrdl/internal/legible"
	"nrdl/method"
)

func (a *app) methodsCmd() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "methods [NAME]",
		Short: "List the methods and inputs, or the parameters of one",
		Long: `methods lists the values of --method, --input, --photometric and --project. With the
name of a method it shows the objective, the parameters for --set with their defaults,
meanings and equations, and the presets: the values that --preset sets for a database,
with their sources. With the name of an input it shows its stages, and with the name
of a stage its parameters.`,
		Example: `  nrdl methods
  nrdl methods nrdl
  nrdl methods crc --json
  nrdl methods faces96
  nrdl methods lbp`,
		Args: cli.Arguments(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listMethods(asJSON)
			}
			if s, ok := findStage(args[0]); ok {
				return a.describeStage(s, asJSON)
			}
			m, err := method.Named(args[0])
			if err != nil {
				return cli.AsMisuse(hint.Unknown("method or input", args[0], describable()))
			}
			return a.describeOne(m, asJSON)
		},
		ValidArgsFunction: completeMethodsAndStages,
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write JSON; of no NAME, the methods")
	return c
}

// describable lists the names that nrdl methods describes.
func describable() (names []string) {
	for _, m := range method.All {
		names = append(names, m.Name())
	}
	for _, s := range stages() {
		names = append(names, s.name)
	}
	return names
}

// formulation gives the optimisation problem of m, or "".
func formulation(m classify.Method) string {
	if f, ok := m.(interface{ Formulation() string }); ok {
		return f.Formulation()
	}
	return ""
}

type methodJSON struct {
	Name        string       `json:"name"`
	Description string       `json:"description"`
	Formulation string       `json:"formulation,omitempty"`
	Params      []paramJSON  `json:"params"`
	Presets     []presetJSON `json:"presets,omitempty"`
}

type presetJSON struct {
	Name   string      `json:"name"`
	About  string      `json:"about"`
	Values []valueJSON `json:"values"`
}

type valueJSON struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Source string `json:"source"`
}

type paramJSON struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"`
	Default  string   `json:"default"`
	Equation string   `json:"equation,omitempty"`
	Meaning  string   `json:"meaning,omitempty"`
	Choices  []string `json:"choices,omitempty"`
}

func newMethodJSON(m classify.Method) methodJSON {
	out := methodJSON{Name: m.Name(), Description: method.Describe(m), Formulation: formulation(m)}
	for _, p := range method.Params(m) {
		out.Params = append(out.Params, paramJSON{p.Path, p.Type, p.Value, p.Equation, p.Help, p.Choices})
	}
	for _, name := range method.PresetNames() {
		p := presetJSON{Name: name, About: method.PresetAbout(name)}
		for _, v := range method.PresetValues(m, name) {
			p.Values = append(p.Values, valueJSON{v.Path, v.Value, v.Source})
		}
		if len(p.Values) > 0 {
			out.Presets = append(out.Presets, p)
		}
	}
	return out
}

func (a *app) listMethods(asJSON bool) error {
	if asJSON {
		var all []methodJSON
		for _, m := range method.All {
			all = append(all, newMethodJSON(m))
		}
		return a.printJSON(all)
	}
	var rows []console.Entry
	for _, m := range method.All {
		rows = append(rows, console.Entry{Name: m.Name(), Paragraphs: []string{method.Describe(m)}})
	}
	a.Entries(rows)
	a.listStages()
	return nil
}

func (a *app) describeOne(m classify.Method, asJSON bool) error {
	if asJSON {
		return a.printJSON(newMethodJSON(m))
	}
	a.Print("%s: %s\n", m.Name(), method.Describe(m))
	if f := formulation(m); f != "" {
		a.Print("\n%s\n", console.Own(indent(f)))
	}
	a.Print("\n")
	w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "parameter\tdefault\tequation\tmeaning")
	for _, p := range method.Params(m) {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", p.Path, p.Value, p.Equation, meaning(p))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return a.listPresets(newMethodJSON(m).Presets)
}

// listPresets writes what each preset changes, if there is one.
func (a *app) listPresets(presets []presetJSON) error {
	if len(presets) == 0 {
		return nil
	}
	a.Print("\n")
	w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "preset\tvalue\tsource")
	for _, p := range presets {
		for _, v := range p.Values {
			fmt.Fprintf(w, "%s\t%s=%s\t%s\n", p.Name, v.Name, v.Value, v.Source)
		}
	}
	return w.Flush()
}

// meaning is what a parameter means and, of a choice, which values it takes.
func meaning(p config.Param) string {
	if len(p.Choices) == 0 {
		return p.Help
	}
	choices := strings.Join(p.Choices, ", ")
	if p.Help == "" {
		return choices
	}
	return p.Help + ": " + choices
}

func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ")
}

// printJSON adds v to the results, indented.
func (a *app) printJSON(v any) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := a.Out.Write(legible.JSON(text.Bytes()))
	return err
}
