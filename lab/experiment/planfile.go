package experiment

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/gallery/file"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/lab/plans"
)

// maxPlan bounds the file of a plan, in bytes.
const maxPlan = 4 << 20

// ReadPlan reads the plan at path; lab/plans/plan.schema.json describes its form. An error
// names the line. ReadPlan does not open data sets.
func ReadPlan(path string) (*Plan, error) {
	if err := file.Misplaced(path, "a plan"); err != nil {
		return nil, err
	}
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

// FindPlan reads the plan at path. If there is no such file, it returns the built-in plan
// of that name in package plans.
func FindPlan(path string) (*Plan, error) {
	p, err := ReadPlan(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return p, err
	}
	text, ok := plans.Named(path)
	if ok {
		return ParsePlan(text, path)
	}
	if near := advice.Nearest(path, plans.Names()); near != "" {
		return nil, advice.Add(err, "did you mean %q?", near)
	}
	return nil, advice.Add(err, "give the file of a plan, or the name of one that comes with nrdl: %s", strings.Join(plans.Names(), ", "))
}

// ParsePlan parses the text of a plan; file is its name in errors.
func ParsePlan(text []byte, file string) (*Plan, error) {
	return parsePlan(text, file, func(p Program) string { return digest(p.Command) })
}

// ParseSentPlan is ParsePlan for a plan of another machine: the files of its external programs
// are not looked at. Digests are those that Plan.Digests has there.
func ParseSentPlan(text []byte, file string, digests map[string]string) (*Plan, error) {
	return parsePlan(text, file, func(p Program) string { return digests[p.String()] })
}

func parsePlan(text []byte, file string, digest func(Program) string) (*Plan, error) {
	root, err := parseJSON(text, file, digest)
	if err != nil {
		return nil, err
	}
	if err := root.validate(); err != nil {
		return nil, err
	}
	plain, err := json.Marshal(root.json)
	f := planFile{Repeats: 1}
	if err = errors.Join(err, json.Unmarshal(plain, &f)); err != nil {
		return nil, root.errorf("%w", err) // what the schema describes can be decoded
	}
	p, err := f.plan(root)
	if err != nil {
		return nil, err
	}
	var same bytes.Buffer // in the order of the members, on which labels and keys depend
	if err := json.Compact(&same, root.source.data); err != nil {
		return nil, root.errorf("%w", err)
	}
	p.text = same.Bytes()
	_, err = p.settings()
	return p, err
}

// A planFile is a plan as lab/plans/plan.schema.json describes it.
type planFile struct {
	Name, About string
	Seed        uint64
	Repeats     int
	Study       bool
	Limit       float64 `json:"time_limit"` // seconds
	Tune        *searchFile
	Datasets    []dataFile
	Methods     []methodFile
	Published   map[string]rateRow
	Notes       map[string]map[string]string
}

type dataFile struct {
	Name, Title, About, Path, X, Y, Preset string

	Size             sizeFile
	Crop             float64
	Synthetic        *syntheticFile
	Repeats          int
	Split            oneOrMore[dataset.Split]
	Noise, Occlusion oneOrMore[float64]
}

// A rateRow has the rates of a contestant by data set. The row "source" is a text.
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

// oneOrMore is a list. In JSON, a list of one value may be that value alone.
type oneOrMore[T any] []T

func (l *oneOrMore[T]) UnmarshalJSON(text []byte) error {
	if text[0] == '[' {
		return json.Unmarshal(text, (*[]T)(l))
	}
	*l = make([]T, 1)
	return json.Unmarshal(text, &(*l)[0])
}

type sizeFile dataset.Size

func (s *sizeFile) UnmarshalText(text []byte) error {
	size, err := dataset.ParseSize(string(text))
	*s = sizeFile(size)
	return err
}

type searchFile Search

func (s *searchFile) UnmarshalJSON(text []byte) error {
	*s = searchFile(DefaultSearch)
	return json.Unmarshal(text, (*Search)(s))
}

type syntheticFile struct {
	synthetic.Faces
	Size *sizeFile
}

func (s *syntheticFile) UnmarshalJSON(text []byte) error {
	type plain syntheticFile
	s.Faces = synthetic.Default
	s.Size = (*sizeFile)(&s.Input)
	return json.Unmarshal(text, (*plain)(s))
}

// plan makes a plan of f, which is at v, and checks what a schema cannot check.
func (f *planFile) plan(v *value) (*Plan, error) {
	p := &Plan{
		Name: f.Name, Description: f.About, Study: f.Study, Seed: f.Seed, Repeats: f.Repeats,
		Limit:     time.Duration(f.Limit * float64(time.Second)),
		published: map[string]map[string]Published{}, notes: f.Notes,
	}
	for i := range f.Datasets {
		if err := p.addData(&f.Datasets[i], v.member["datasets"].members[i]); err != nil {
			return nil, err
		}
	}
	for i := range f.Methods {
		m := &f.Methods[i]
		m.node = v.member["methods"].members[i]
		if m.Tune == nil && m.tunable() {
			m.Tune = f.Tune
		}
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
		p.published[id] = map[string]Published{}
		for data, rate := range row.rates {
			p.published[id][data] = Published{rate[0], append(rate, 0)[1], f.Published["source"].source}
		}
	}
	return p, nil
}

// addData adds the data set f, which is at v.
func (p *Plan) addData(f *dataFile, v *value) error {
	d := plannedData{
		node: v, name: f.Name, title: cmp.Or(f.Title, f.Name), description: f.About, path: f.Path, x: f.X, y: f.Y,

		images: dataset.Frame{Size: dataset.Size(f.Size), Crop: f.Crop}, preset: f.Preset, repeats: f.Repeats,
		splits: f.Split, splitNodes: []*value{v.member["split"]}, noise: f.Noise, occlusion: f.Occlusion,
	}
	if all := v.member["split"].members; all != nil {
		d.splitNodes = all
	}
	if slices.Contains(p.dataNames(), d.name) {
		return v.errorf("two data sets are named %q", d.name)
	}
	if f.Synthetic != nil {
		d.synthetic = &f.Synthetic.Faces
		if err := d.synthetic.Validate(); err != nil {
			return v.member["synthetic"].errorf("%w", err)
		}
	}
	for _, shares := range []*[]float64{&d.noise, &d.occlusion} {
		if *shares == nil {
			*shares = []float64{0}
		}
	}
	p.data = append(p.data, d)
	return nil
}

// check is an error if table, with rows by contestant and members by data set, has a name
// that neither p nor others have. Table may be nil.
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

// known is an error about v if name is neither in names nor in others.
func (v *value) known(what, name string, names, others []string) error {
	if slices.Contains(names, name) || slices.Contains(others, name) {
		return nil
	}
	return v.errorf("%w", advice.Unknown(what, name, names))
}

func (p *Plan) dataNames() (names []string) {
	for _, d := range p.data {
		names = append(names, d.name)
	}
	return names
}
