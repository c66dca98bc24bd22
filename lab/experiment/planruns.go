package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset/bundled"
)

// jobs returns the jobs of p, in its order.
func (p *Plan) jobs() (all []*job) {
	settings, err := p.settings()
	if err != nil {
		panic(fmt.Errorf("experiment: %w", err)) // ParsePlan would have failed
	}
	for _, s := range settings {
		all = append(all, s.jobs...)
	}
	return all
}

// Text returns the JSON text of p, which ParsePlan reads. If p.Name is from the name of
// the file, the text does not have it.
func (p *Plan) Text() []byte { return p.text }

// Keys returns the keys of the records that p asks for, in its order.
func (p *Plan) Keys() (keys []string) {
	for _, j := range p.jobs() {
		keys = append(keys, j.key)
	}
	return keys
}

// Explain returns the explanation of each contestant in the plan, by label. A contestant
// without an explanation has no entry.
func (p *Plan) Explain() map[string]string {
	all := map[string]string{}
	for _, c := range p.contestants {
		if c.description != "" {
			all[c.label] = c.description
		}
	}
	return all
}

// List describes the runs of p in their order, one line each.
func (p *Plan) List() (lines []string) {
	for _, j := range p.jobs() {
		line := fmt.Sprintf("%s  %s  %v  repeat %d  seed %d", j.contestant.label, j.data.name, j.split, j.repeat, j.fit())
		if j.noise > 0 {
			line += fmt.Sprintf("  noise %v", j.noise)
		}
		if j.occlusion > 0 {
			line += fmt.Sprintf("  occlusion %v", j.occlusion)
		}
		if !j.input.IsZero() {
			line += fmt.Sprintf("  input %v", j.input)
		}
		if j.contestant.tune != nil {
			line += "  tuned"
		}
		lines = append(lines, line)
	}
	return lines
}

// Only removes all data sets from p but those with these names; case does not matter. It is an
// error if p has none of a name.
func (p *Plan) Only(names []string) error {
	var all []string
	for i := range p.data {
		all = append(all, p.data[i].name)
	}
	for _, name := range names {
		if !slices.ContainsFunc(all, func(s string) bool { return strings.EqualFold(s, name) }) {
			return advice.Unknown("data set of plan "+p.Name, name, all)
		}
	}
	p.data = slices.DeleteFunc(p.data, func(d plannedData) bool {
		return !slices.ContainsFunc(names, func(s string) bool { return strings.EqualFold(s, d.name) })
	})
	return nil
}

// NothingThere is the sentence of WithoutMissing for a plan without any data.
const NothingThere = "none of the data sets of the plan is there: its runs cannot be made yet"

// WithoutMissing removes the data sets that d does not find from p, and returns a sentence
// about each for the user. If d finds none, p stays as it is with one sentence, and Run returns
// the error unless all records are there.
func (p *Plan) WithoutMissing(d *Databases) (missing []string) {
	missed := func(data plannedData) bool {
		if data.synthetic != nil || bundled.Is(data.path) {
			return false
		}
		_, err := os.Stat(d.Find(data.path))
		return errors.Is(err, fs.ErrNotExist)
	}
	for _, data := range p.data {
		if missed(data) {
			missing = append(missing, fmt.Sprintf("data set %s is not there (%s): its runs are left out", data.name, data.path))
		}
	}
	if len(missing) == len(p.data) {
		return []string{NothingThere}
	}
	p.data = slices.DeleteFunc(p.data, missed)
	return missing
}
