package experiment

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"nrdl"
	"nrdl/dataset"
	"nrdl/internal/hint"
)

// maxPlan bounds the file of a plan, in bytes.
const maxPlan = 4 << 20

// ReadPlan reads the plan at path, of the form that plans/schema.json
// describes. An error names the line. Data sets are not looked for.
func ReadPlan(path string) (*Plan, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read plan: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxPlan+1))
	if err != nil {
		return nil, fmt.Errorf("read plan: %w", err)
	}
	if len(text) > maxPlan {
		return nil, fmt.Errorf("read plan %s: longer than %d MiB", path, maxPlan>>20)
	}
	p, err := ParsePlan(text, path)
	if err != nil {
		return nil, err
	}
	if p.Name == "" {
		p.Name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	return p, nil
}

// ParsePlan reads a plan from text; errors call it file.
func ParsePlan(text []byte, file string) (*Plan, error) {
	root, err := parseJSON(text, file)
	if err != nil {
		return nil, err
	}
	if err := root.validate(); err != nil {
		return nil, err
	}
	f := planFile{Repeats: 1}
	if err := json.Unmarshal(root.source.data, &f); err != nil {
		return nil, root.errorf("%w", err) // what the schema describes can be decoded
	}
	p, err := f.plan(root)
	if err != nil {
		return nil, err
	}
	_, err = p.settings()
	return p, err
}

// A planFile is a plan as plans/schema.json describes it.
type planFile struct {
	Name, About string
	Seed        integer
	Repeats     integer
	Tune        *searchFile
	Datasets    []dataFile
	Methods     []methodFile
	Published   map[string]rateRow
	Notes       map[string]map[string]string
}

type dataFile struct {
	Name, Title, About, Path, Preset string

	Size             sizeFile
	Crop             float64
	Synthetic        *syntheticFile
	Repeats          integer
	Split            oneOrMore[dataset.Split]
	Noise, Occlusion oneOrMore[float64]
}

// A rateRow has the rates of a contestant by data set, or is the text at
// "source".
type rateRow struct {
	source string
	rates  map[string]oneOrMore[float64]
}

func (r *rateRow) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		return json.Unmarshal(text, &r.source)
	}
	return json.Unmarshal(text, &r.rates)
}

// An integer is ≥ 0. JSON may write it as 1.0 or 1e3.
type integer uint64

func (i *integer) UnmarshalJSON(text []byte) error {
	u, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil {
		var f float64
		f, err = strconv.ParseFloat(string(text), 64)
		u = uint64(f)
	}
	*i = integer(u)
	return err
}

// oneOrMore is a list, in place of which JSON may have its one value.
type oneOrMore[T any] []T

func (l *oneOrMore[T]) UnmarshalJSON(text []byte) error {
	if text[0] == '[' {
		return json.Unmarshal(text, (*[]T)(l))
	}
	*l = make([]T, 1)
	return json.Unmarshal(text, &(*l)[0])
}

type sizeFile nrdl.Size

func (s *sizeFile) UnmarshalText(text []byte) error {
	size, err := nrdl.ParseSize(string(text))
	*s = sizeFile(size)
	return err
}

type searchFile Search

func (s *searchFile) UnmarshalJSON(text []byte) error {
	f := struct{ Budget, Folds integer }{integer(DefaultSearch.Budget), integer(DefaultSearch.Folds)}
	err := json.Unmarshal(text, &f)
	s.Budget, s.Folds = int(f.Budget), int(f.Folds)
	return err
}

type syntheticFile dataset.Synthetic

func (s *syntheticFile) UnmarshalJSON(text []byte) error {
	*s = syntheticFile(dataset.DefaultSynthetic)
	f := struct {
		People                                    integer
		PerPerson                                 integer `json:"per_person"`
		Size                                      *sizeFile
		Seed                                      *integer
		Light, Pose, Expression, Occlusion, Noise *float64
	}{integer(s.People), integer(s.PerPerson), (*sizeFile)(&s.Input), (*integer)(&s.Seed), &s.Light, &s.Pose, &s.Expression, &s.Occlusion, &s.Noise}
	err := json.Unmarshal(text, &f)
	s.People, s.PerPerson = int(f.People), int(f.PerPerson)
	return err
}

// plan makes a plan of f, which v is the place of, and checks what no schema
// can.
func (f *planFile) plan(v *value) (*Plan, error) {
	p := &Plan{
		Name: f.Name, About: f.About, Seed: uint64(f.Seed), Repeats: int(f.Repeats),
		published: map[[2]string]Published{}, notes: map[[2]string]string{},
	}
	for i := range f.Datasets {
		if err := p.addData(&f.Datasets[i], v.member["datasets"].members[i]); err != nil {
			return nil, err
		}
	}
	for i := range f.Methods {
		m := &f.Methods[i]
		m.at, m.Tune = v.member["methods"].members[i], cmp.Or(m.Tune, f.Tune)
		if err := p.addMethod(m); err != nil {
			return nil, err
		}
	}
	if err := p.check(v.member["published"]); err != nil {
		return nil, err
	}
	if err := p.check(v.member["notes"], "*"); err != nil {
		return nil, err
	}
	for id, row := range f.Published {
		for data, rate := range row.rates {
			published := Published{Mean: rate[0], Source: f.Published["source"].source}
			if len(rate) == 2 {
				published.SD = rate[1]
			}
			p.published[[2]string{id, data}] = published
		}
	}
	for id, row := range f.Notes {
		for data, note := range row {
			p.notes[[2]string{id, data}] = note
		}
	}
	return p, nil
}

// addData adds the data set f, which is at v.
func (p *Plan) addData(f *dataFile, v *value) error {
	d := plannedData{
		at: v, name: f.Name, title: cmp.Or(f.Title, f.Name), about: f.About, path: f.Path, drawn: (*dataset.Synthetic)(f.Synthetic),
		images: nrdl.Input{Size: nrdl.Size(f.Size), Crop: f.Crop}, preset: f.Preset, repeats: int(f.Repeats),
		splits: f.Split, splitAt: []*value{v.member["split"]}, noise: shares(f.Noise), occlusion: shares(f.Occlusion),
	}
	if all := v.member["split"].members; all != nil {
		d.splitAt = all
	}
	if slices.Contains(p.dataNames(), d.name) {
		return v.errorf("two data sets are named %q", d.name)
	}
	if d.drawn != nil {
		if err := d.drawn.Validate(); err != nil {
			return v.member["synthetic"].errorf("%w", err)
		}
	}
	p.data = append(p.data, d)
	return nil
}

// shares is s, or 0 where it is not given.
func shares(s []float64) []float64 {
	if s == nil {
		return []float64{0}
	}
	for i := range s {
		s[i] += 0 // −0 is 0
	}
	return s
}

// check reports a name in table, which is by contestant and data set and may be
// nil, that is neither of p nor among others.
func (p *Plan) check(table *value, others ...string) error {
	if table == nil {
		return nil
	}
	var ids []string
	for _, c := range p.contestants {
		ids = append(ids, c.id)
	}
	for _, row := range table.members {
		if row.member == nil {
			continue // "source"
		}
		if err := row.known("method of this plan", row.name, ids, others); err != nil {
			return err
		}
		for _, cell := range row.members {
			if err := cell.known("data set", cell.name, p.dataNames(), others); err != nil {
				return err
			}
		}
	}
	return nil
}

// known reports a name, at v, that is neither among names nor among others.
func (v *value) known(what, name string, names, others []string) error {
	if slices.Contains(names, name) || slices.Contains(others, name) {
		return nil
	}
	return v.errorf("%w", hint.Unknown(what, name, names))
}

func (p *Plan) dataNames() (names []string) {
	for _, d := range p.data {
		names = append(names, d.name)
	}
	return names
}
