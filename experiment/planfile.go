package experiment

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"nrdl/dataset"
	"nrdl/frontend"
	"nrdl/internal/hint"
	"nrdl/method"
	"nrdl/synthetic"
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
	r := planReader{plan: &Plan{Repeats: 1, published: map[[2]string]Published{}, notes: map[[2]string]string{}}}
	if err := r.read(root); err != nil {
		return nil, err
	}
	if _, err := r.plan.settings(); err != nil {
		return nil, err
	}
	return r.plan, nil
}

// A planReader collects a plan.
type planReader struct {
	plan    *Plan
	tune    *Search // for methods that have none of their own
	schema  string
	methods *value

	published, notes *value
}

func (r *planReader) read(root *value) error {
	p := r.plan
	err := root.each(map[string]func(*value) error{
		"$schema":   readText(&r.schema),
		"name":      readName(&p.Name),
		"about":     readText(&p.About),
		"seed":      readSeed(&p.Seed),
		"repeats":   readInt(&p.Repeats, 1, maxRuns),
		"tune":      readSearch(&r.tune),
		"datasets":  func(v *value) error { return v.items(r.data) },
		"methods":   func(v *value) error { r.methods = v; return nil }, // after "tune" and "datasets"
		"published": func(v *value) error { r.published = v; return nil },
		"notes":     func(v *value) error { r.notes = v; return nil },
	})
	if err != nil {
		return err
	}
	if len(p.data) == 0 {
		return root.errorf(`no data sets: "datasets" lists them`)
	}
	if r.methods == nil {
		return root.errorf(`no methods: "methods" lists them`)
	}
	if err := r.methods.items(r.contestant); err != nil {
		return err
	}
	if err := r.rates(r.published); err != nil {
		return err
	}
	return r.remarks(r.notes)
}

// data reads a data set.
func (r *planReader) data(v *value) error {
	d := plannedData{at: v}
	err := v.each(map[string]func(*value) error{
		"name":      readName(&d.name),
		"title":     readName(&d.title),
		"about":     readText(&d.about),
		"path":      readName(&d.path),
		"synthetic": readSynthetic(&d.drawn),
		"size":      readSize(&d.images.Size),
		"crop":      readCrop(&d.images.Crop),
		"preset":    readName(&d.preset),
		"repeats":   readInt(&d.repeats, 1, maxRuns),
		"split":     oneOrMore(readSplit(&d)),
		"noise":     oneOrMore(readShare(&d.noise)),
		"occlusion": oneOrMore(readShare(&d.occlusion)),
	})
	if err != nil {
		return err
	}
	switch {
	case d.name == "":
		return v.errorf(`a data set without a "name"`)
	case slices.ContainsFunc(r.plan.data, func(o plannedData) bool { return o.name == d.name }):
		return v.errorf("two data sets are named %q", d.name)
	case (d.path == "") == (d.drawn == nil):
		return v.errorf(`data set %q needs either "path" or "synthetic"`, d.name)
	case len(d.splits) == 0:
		return hint.Add(v.errorf(`data set %q has no "split"`, d.name), "write half, first:K, random:K or authors:K, for example first:6")
	case d.preset != "" && method.PresetAbout(d.preset) == "":
		return v.errorf("%w", hint.Unknown("preset", d.preset, method.PresetNames()))
	}
	if d.title == "" {
		d.title = d.name
	}
	if d.noise == nil {
		d.noise = []float64{0}
	}
	if d.occlusion == nil {
		d.occlusion = []float64{0}
	}
	r.plan.data = append(r.plan.data, d)
	return nil
}

// oneOrMore lets read have a value, or each of a list of them.
func oneOrMore(read func(*value) error) func(*value) error {
	return func(v *value) error {
		if v.kind == list {
			return v.items(read)
		}
		return read(v)
	}
}

func readSplit(d *plannedData) func(*value) error {
	return func(v *value) error {
		var s string
		if err := readText(&s)(v); err != nil {
			return err
		}
		split, err := dataset.ParseSplit(s)
		if err != nil {
			return v.errorf("%w", err)
		}
		switch {
		case split == dataset.Split{}:
			return v.errorf("split all leaves no image to judge by")
		case split.String() != s: // as of first:06, which is another name for a run
			return hint.Add(v.errorf("unknown split %q", s), "did you mean %q?", split)
		case slices.Contains(d.splits, split):
			return v.wrong("%s is there twice", v)
		}
		d.splits, d.splitAt = append(d.splits, split), append(d.splitAt, v)
		return nil
	}
}

func readSize(to *dataset.Size) func(*value) error {
	return func(v *value) error {
		var s string
		if err := readText(&s)(v); err != nil {
			return err
		}
		in, err := dataset.ParseSize(s)
		if err != nil {
			return v.errorf("%w", err)
		}
		if in.String() != s {
			return hint.Add(v.errorf("size %q is not of the form HxW", s), "did you mean %q?", in)
		}
		*to = in
		return nil
	}
}

func readCrop(to *float64) func(*value) error {
	return func(v *value) error {
		var one []float64
		if err := readNumber(&one)(v); err != nil {
			return err
		}
		if err := (dataset.Frame{Crop: one[0]}).Validate(); err != nil {
			return v.errorf("%w", err)
		}
		*to = one[0]
		return nil
	}
}

func readInput(to *frontend.Pipeline) func(*value) error {
	return func(v *value) error {
		var s string
		if err := readText(&s)(v); err != nil {
			return err
		}
		in, err := frontend.Parse(s)
		if err != nil {
			return v.errorf("%w", err)
		}
		*to = in
		return nil
	}
}

func readSynthetic(to **synthetic.Faces) func(*value) error {
	return func(v *value) error {
		s := synthetic.Default
		strength := func(to *float64) func(*value) error {
			return func(v *value) error {
				var one []float64
				if err := readNumber(&one)(v); err != nil {
					return err
				}
				*to = one[0]
				return nil
			}
		}
		err := v.each(map[string]func(*value) error{
			"people":     readInt(&s.People, 1, maxRuns),
			"per_person": readInt(&s.PerPerson, 1, maxRuns),
			"size":       readSize(&s.Input),
			"seed":       readSeed(&s.Seed),
			"light":      strength(&s.Light),
			"pose":       strength(&s.Pose),
			"expression": strength(&s.Expression),
			"occlusion":  strength(&s.Occlusion),
			"noise":      strength(&s.Noise),
		})
		if err != nil {
			return err
		}
		if err := s.Validate(); err != nil {
			return v.errorf("%w", err)
		}
		*to = &s
		return nil
	}
}

func readSearch(to **Search) func(*value) error {
	return func(v *value) error {
		s := DefaultSearch
		err := v.each(map[string]func(*value) error{
			"budget": readInt(&s.Budget, 1, maxRuns),
			"folds":  readInt(&s.Folds, 2, maxRuns),
		})
		*to = &s
		return err
	}
}

// rates reads "published": by contestant and data set, a rate in percent or a
// pair of mean and deviation.
func (r *planReader) rates(table *value) error {
	source := ""
	return r.table(table, func(v *value) error { return readName(&source)(v) }, func(key [2]string, v *value) error {
		var rate []float64
		if slices.Contains(key[:], "*") {
			return v.errorf("a published rate is of one method on one data set, not of *")
		}
		err := oneOrMore(readNumber(&rate))(v)
		if err != nil || len(rate) > 2 || slices.Max(rate) > 100 || slices.Min(rate) < 0 {
			return v.wrong("%s is not a rate in percent, 95.3 or [95.3, 0.5]", v)
		}
		p := Published{Mean: rate[0], Source: source}
		if len(rate) == 2 {
			p.SD = rate[1]
		}
		r.plan.published[key] = p
		return nil
	})
}

// remarks reads "notes": text by contestant and data set.
func (r *planReader) remarks(table *value) error {
	return r.table(table, nil, func(key [2]string, v *value) error {
		var note string
		if err := readText(&note)(v); err != nil {
			return err
		}
		r.plan.notes[key] = note
		return nil
	})
}

// table hands what v, which may be nil, has by contestant and data set, or "*",
// to cell, after its "source" to source where that is not nil.
func (r *planReader) table(v *value, source func(*value) error, cell func(key [2]string, v *value) error) error {
	if v == nil {
		return nil
	}
	if v.kind != object {
		return v.wrong("%s, not an object", v.kind)
	}
	if i := slices.Index(v.names, "source"); i >= 0 && source != nil {
		if err := source(v.members[i]); err != nil {
			return err
		}
	}
	for i, id := range v.names {
		row := v.members[i]
		if id == "source" && source != nil {
			continue
		}
		if err := r.knows(row, id); err != nil {
			return err
		}
		if row.kind != object {
			return row.wrong("%s, not an object of data sets", row.kind)
		}
		for j, data := range row.names {
			if data != "*" {
				if err := r.plan.knows(row.members[j], data); err != nil {
					return err
				}
			}
			if err := cell([2]string{id, data}, row.members[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

// knows reports an id at v that is no contestant's.
func (r *planReader) knows(v *value, id string) error {
	ids := []string{"*"}
	for _, c := range r.plan.contestants {
		ids = append(ids, c.id)
	}
	if !slices.Contains(ids, id) {
		return v.errorf("%w", hint.Unknown("method of this plan", id, ids[1:]))
	}
	return nil
}
