package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"text/template"

	"nrdl/method"
)

// tolerance is how many points a rate may be off the paper's without a note.
const tolerance = 2

//go:embed doc.md.tmpl
var layout string

//go:embed notes.json
var notesJSON []byte

// A table is what doc/methods.md shows.
type table struct {
	cells []cell
	found map[string]record // by the cell's key
	notes map[string]string // by "method/database", or "*/database" for rates above the paper's without one of their own
}

func newTable(cells []cell, records []record) (*table, error) {
	t := &table{cells: cells, found: map[string]record{}}
	for _, c := range cells {
		if r, ok := find(records, c); ok {
			t.found[c.key()] = r
		}
	}
	if err := json.Unmarshal(notesJSON, &t.notes); err != nil {
		return nil, fmt.Errorf("notes.json: %w", err)
	}
	return t, nil
}

// records returns those of the cells, in their order.
func (t *table) records() []record {
	var all []record
	for _, c := range t.cells {
		if r, ok := t.found[c.key()]; ok {
			all = append(all, r)
		}
	}
	return all
}

// missing are the keys of the cells that have no record.
func (t *table) missing() (keys []string) {
	for _, c := range t.cells {
		if _, ok := t.found[c.key()]; !ok {
			keys = append(keys, c.key())
		}
	}
	return keys
}

// render returns the document, and what is wrong with it.
func (t *table) render() (text []byte, problems []string, err error) {
	if keys := t.missing(); len(keys) > 0 {
		problems = append(problems, fmt.Sprintf("%d rates are not measured: %s", len(keys), strings.Join(keys, " ")))
	}
	problems = append(problems, t.checkNotes()...)
	tmpl, err := template.New("doc.md.tmpl").Parse(layout)
	if err != nil {
		return nil, nil, err
	}
	var b bytes.Buffer
	err = tmpl.Execute(&b, map[string]any{
		"Overview": t.overview(), "Databases": t.sections(), "Presets": t.presets(),
		"Repeats": repeats, "LastSeed": repeats - 1, "Tolerance": tolerance, "Machines": t.machines(),
		"Unpublished": t.unpublished(),
	})
	return b.Bytes(), problems, err
}

// difference is ours less the paper's, in points; none without either.
func (t *table) difference(c cell) float64 {
	r, ok := t.found[c.key()]
	if !ok {
		return none
	}
	return 100*r.Accuracy - c.paper().mean
}

// paper is what the paper prints.
func (c cell) paper() rate {
	if row, ok := published[c.method.Name()]; ok {
		return row[slices.Index(databases, c.database)]
	}
	return rate{none, none}
}

// off reports whether c needs a note.
func (t *table) off(c cell) bool { return math.Abs(t.difference(c)) > tolerance }

// note returns the note of c, if c needs one and has it, and its key.
func (t *table) note(c cell) (key, text string) {
	if !t.off(c) {
		return "", ""
	}
	if text, ok := t.notes[c.key()]; ok {
		return c.key(), text
	}
	if text, ok := t.notes["*/"+c.database.name]; ok && t.difference(c) > 0 {
		return "*/" + c.database.name, text
	}
	return "", ""
}

// checkNotes reports rates without the note that they need, and notes that no
// rate needs. A note on a cell that is not measured waits.
func (t *table) checkNotes() (problems []string) {
	needed := map[string]bool{}
	for _, c := range t.cells {
		key, _ := t.note(c)
		needed[key] = true
		if _, measured := t.found[c.key()]; !measured {
			needed[c.key()], needed["*/"+c.database.name] = true, true
		}
		if t.off(c) && key == "" {
			problems = append(problems, fmt.Sprintf("%s: %.1f is %s off the paper's %.1f, and notes.json does not say why",
				c.key(), 100*t.found[c.key()].Accuracy, signed(t.difference(c)), c.paper().mean))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(t.notes)) {
		if !needed[key] {
			problems = append(problems, fmt.Sprintf("notes.json: no rate needs the note on %s", key))
		}
	}
	return problems
}

// overview is the table of all methods and databases.
func (t *table) overview() string {
	var b strings.Builder
	b.WriteString("| method |")
	for _, d := range databases {
		fmt.Fprintf(&b, " %s |", d.title)
	}
	b.WriteString("\n| --- |" + strings.Repeat(" --- |", len(databases)) + "\n")
	for i, c := range t.cells {
		if i%len(databases) == 0 {
			fmt.Fprintf(&b, "| %s |", c.title())
		}
		fmt.Fprintf(&b, " %s (%s)%s |", t.ours(c), c.paper(), t.mark(c))
		if i%len(databases) == len(databases)-1 {
			b.WriteString("\n")
		}
	}
	return b.String()
}

func (t *table) mark(c cell) string {
	if t.off(c) {
		return " †"
	}
	return ""
}

// title is the method's name as its paper writes it, and as the command does.
func (c cell) title() string {
	name := c.method.Name()
	title, ok := titles[name]
	if !ok {
		title = strings.ToUpper(name)
	}
	return fmt.Sprintf("%s `%s`", title, name)
}

// ours is the rate of c, bold where no method has a higher one on its database.
func (t *table) ours(c cell) string {
	r, ok := t.found[c.key()]
	if !ok {
		return "…"
	}
	own := rate{100 * r.Accuracy, none}
	if len(r.Runs) > 1 {
		own.sd = 100 * r.SD
	}
	for _, other := range t.cells {
		if other.database == c.database && t.found[other.key()].Accuracy > r.Accuracy {
			return own.String()
		}
	}
	return "**" + own.String() + "**"
}

func (r rate) String() string {
	switch {
	case math.IsNaN(r.mean):
		return "–"
	case math.IsNaN(r.sd):
		return fmt.Sprintf("%.1f", r.mean)
	}
	return fmt.Sprintf("%.1f ± %.1f", r.mean, r.sd)
}

// signed is a difference in points.
func signed(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	text := fmt.Sprintf("%+.1f", v)
	if text == "+0.0" || text == "-0.0" {
		return "0.0"
	}
	return strings.Replace(text, "-", "−", 1)
}

// A section is the table of one database and the notes on it.
type section struct {
	Title, About, Differs, Split, Table string
	Notes                               string // a numbered list
}

func (t *table) sections() (all []section) {
	for _, d := range databases {
		s := section{Title: d.title, About: d.about, Differs: d.differs, Split: d.split}
		var b strings.Builder
		var notes []string
		b.WriteString("| method | ours | the paper's | difference | why † | measured elsewhere | learn | name all |\n|" + strings.Repeat(" --- |", 8) + "\n")
		for _, c := range t.cells {
			if c.database != d {
				continue
			}
			number := ""
			if _, text := t.note(c); text != "" {
				if !slices.Contains(notes, text) {
					notes = append(notes, text)
				}
				number = fmt.Sprint(1 + slices.Index(notes, text))
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", c.title(), t.ours(c), c.paper(),
				signed(t.difference(c)), number, elsewhere[c.key()], t.times(c))
		}
		s.Table = b.String()
		for i, text := range notes {
			s.Notes += fmt.Sprintf("%d. %s\n", i+1, text)
		}
		all = append(all, s)
	}
	return all
}

// times are the cells of the columns learn and name all.
func (t *table) times(c cell) string {
	r, ok := t.found[c.key()]
	if !ok {
		return "… | …"
	}
	learn, name := r.seconds()
	return fmt.Sprintf("%s | %s", seconds(learn), seconds(name))
}

func seconds(s float64) string {
	switch {
	case s < 0.01:
		return "< 0.01 s"
	case s < 9.995:
		return fmt.Sprintf("%.2f s", s)
	}
	return fmt.Sprintf("%.0f s", s)
}

// presets is the table of what the presets change.
func (t *table) presets() string {
	var b strings.Builder
	b.WriteString("| method | database | parameter | from |\n| --- | --- | --- | --- |\n")
	for _, c := range t.cells {
		for _, v := range method.PresetValues(c.method, c.database.name) {
			fmt.Fprintf(&b, "| `%s` | %s | `%s=%s` | %s |\n", c.method.Name(), c.database.title, v.Path, v.Value, strings.ReplaceAll(v.Source, "|", `\|`))
		}
	}
	return b.String()
}

// unpublished are the methods that the paper's table does not have.
func (t *table) unpublished() string {
	var names []string
	for _, c := range t.cells {
		if _, ok := published[c.method.Name()]; !ok && c.database == databases[0] {
			names = append(names, "`"+c.method.Name()+"`")
		}
	}
	return strings.Join(names, ", ")
}

// machines are what the records were made with.
func (t *table) machines() string {
	var all []string
	for _, r := range t.records() {
		if s := fmt.Sprintf("%s with %d threads, back end %s", r.Go, r.Threads, r.Backend); !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return strings.Join(all, "; ")
}
