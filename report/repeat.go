package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"nrdl.example/nrdl/internal/natural"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/experiment"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/method"
)

// repetition returns the section about repeating the runs.
func (r *Report) repetition(commands []string) (blocks []block) {
	if len(commands) > 0 {
		blocks = append(blocks, block{Code: commands})
	}
	var origin []item
	for _, o := range []struct {
		term string
		of   func(experiment.Cost) string
	}{
		{"version", func(c experiment.Cost) string { return c.Version }},
		{"linear algebra", func(c experiment.Cost) string { return c.BLAS }},
		{"Go", func(c experiment.Cost) string { return c.Go }},
		{"system", func(c experiment.Cost) string { return c.System }},
	} {
		values := map[string]int{}
		for _, p := range r.Plans {
			for rec := range p.all {
				values[cmp.Or(o.of(rec.Cost), "unknown")]++
			}
		}
		origin = append(origin, item{o.term, tally(values)})
	}
	blocks = append(blocks, block{Items: origin})
	if text, command := r.example(); command != "" {
		blocks = append(blocks, block{Text: text}, block{Code: []string{command}})
	}
	for _, p := range r.Plans {
		blocks = append(blocks, block{Table: p.seeds()})
		if p.Superseded > 0 {
			blocks = append(blocks, block{Text: fmt.Sprintf("%s: %s left out, since the records have a later one of the same run.",
				p.Name, legible.Count(p.Superseded, "record"))})
		}
	}
	return blocks
}

// tally lists values, with counts where they are mixed.
func tally(values map[string]int) string {
	names := slices.SortedFunc(maps.Keys(values), func(a, b string) int {
		return cmp.Or(cmp.Compare(values[b], values[a]), natural.Compare(a, b), cmp.Compare(a, b))
	})
	if len(names) == 1 {
		return names[0]
	}
	for i, v := range names {
		names[i] = fmt.Sprintf("%s (%s)", v, legible.Count(values[v], "run"))
	}
	return "mixed: " + strings.Join(names, "; ")
}

// seeds returns a table of the seeds of all splits. The seeds of the fits follow from
// them.
func (p *Plan) seeds() *table {
	t := &table{
		Caption: p.Name + ": seeds of splits and fits",
		Head:    []head{{Title: "data set"}, {Title: "split", Words: true}, {Title: "seeds, from the first repeat on", Words: true}},
	}
	type divided struct{ data, split string }
	seen := map[divided]bool{}
	for _, c := range p.Columns {
		d := divided{c.Source.Name, c.Split}
		if seen[d] {
			continue
		}
		seen[d] = true
		byRepeat := map[int]uint64{}
		for r := range p.all {
			if r.Dataset.Name == d.data && r.Split == d.split {
				byRepeat[r.Repeat] = r.Seed
			}
		}
		var seeds []string
		for _, repeat := range slices.Sorted(maps.Keys(byRepeat)) {
			seeds = append(seeds, fmt.Sprint(byRepeat[repeat]))
		}
		t.Rows = append(t.Rows, []cell{{Text: c.Title}, {Text: c.Split}, {Text: strings.Join(seeds, ", ")}})
	}
	return t
}

// example returns a command that repeats one run, and describes it: the first run of NRDL
// that nrdl evaluate can make, or else the first of any method.
func (r *Report) example() (text, command string) {
	for _, wanted := range []string{"nrdl", ""} {
		for _, p := range r.Plans {
			for rec := range p.all {
				if wanted != "" && rec.Method != wanted {
					continue
				}
				if c, ok := evaluateCommand(rec); ok {
					return fmt.Sprintf("One run alone, the first of %s on %s, whose rate is %s %% (%d of %d images):",
						rec.Label, cmp.Or(rec.Dataset.Title, rec.Dataset.Name), tenths(100*rec.Rate), rec.N-rec.Wrong, rec.N), c
				}
			}
		}
	}
	return "", ""
}

// evaluateCommand returns the command nrdl evaluate that repeats r. It is not ok if there
// is none.
func evaluateCommand(r *experiment.Record) (command string, ok bool) {
	if r.Error != "" || r.Dataset.Path == "" || r.Noise > 0 || r.Occlusion > 0 {
		return "", false
	}
	base, err := method.Named(r.Method)
	if err != nil {
		return "", false
	}
	made, err := method.Unmarshal(base, r.Params)
	if err != nil {
		return "", false
	}
	words := []string{"nrdl", "evaluate", r.Dataset.Path, "--method", r.Method}
	if r.Dataset.Preset != "" {
		if base, err = method.Preset(base, r.Dataset.Preset); err != nil {
			return "", false
		}
		words = append(words, "--preset", r.Dataset.Preset)
	}
	sets, ok := settings(base, made)
	if !ok {
		return "", false
	}
	for _, s := range sets {
		words = append(words, "--set", s)
	}
	matrix := dataset.IsMatrix(r.Dataset.Path)
	switch {
	case r.Input != nil:
		words = append(words, "--input", r.Input.String())
	case !matrix:
		words = append(words, "--input", "pixels")
	}
	if r.Input == nil && !matrix && r.Dataset.Input.Size != (dataset.Size{}) {
		words = append(words, "--size", r.Dataset.Input.Size.String())
	}
	words = append(words, "--split", r.Split, "--repeats", "1", "--seed", fmt.Sprint(r.Seed))
	for i, w := range words {
		words[i] = legible.ShellWord(w)
	}
	return strings.Join(words, " "), true
}

// settings returns the assignments that change base to made. It is not ok if they do not.
func settings(base, made classify.Method) (sets []string, ok bool) {
	now := base
	for _, p := range method.Params(made) {
		if i := slices.IndexFunc(method.Params(now), func(q method.Param) bool { return q.Path == p.Path }); i >= 0 && method.Params(now)[i].Value == p.Value {
			continue
		}
		sets = append(sets, p.Path+"="+p.Value)
		var err error
		if now, err = method.Set(now, p.Path, p.Value); err != nil {
			return nil, false
		}
	}
	a, errA := method.Marshal(now)
	b, errB := method.Marshal(made)
	return sets, errA == nil && errB == nil && string(a) == string(b)
}
