package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"nrdl.example/nrdl/internal/natural"

	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/lab/experiment"
)

// repetition returns the section about repeating the runs.
func (r *Report) repetition(o Options) (blocks []block) {
	if len(o.Commands) > 0 {
		blocks = append(blocks, block{Code: o.Commands})
	}
	var origin []item
	for _, o := range []struct {
		term string
		read func(experiment.Cost) string
	}{
		{"version", func(c experiment.Cost) string { return c.Version }},
		{"linear algebra", func(c experiment.Cost) string { return c.BLAS }},
		{"Go", func(c experiment.Cost) string { return c.Go }},
		{"system", func(c experiment.Cost) string { return c.System }},
	} {
		values := map[string]int{}
		for _, p := range r.Plans {
			for rec := range p.all {
				values[cmp.Or(o.read(rec.Cost), "unknown")]++
			}
		}
		origin = append(origin, item{o.term, tally(values)})
	}
	blocks = append(blocks, block{Items: origin})
	if text, command := r.example(o.Repeat); command != "" {
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
		Caption: "Plan " + p.Name + ": seeds of splits and fits",
		Head:    append(heads("data set"), wordHeads("split", "seeds, from the first repeat on")...),
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
		t.Rows = append(t.Rows, cells(c.Title, c.Split, strings.Join(seeds, ", ")))
	}
	return t
}

// example returns a command that repeats one run, and describes it: the first run of NRDL
// for which repeat knows a command, or else the first of any method.
func (r *Report) example(repeat func(*experiment.Record) string) (text, command string) {
	if repeat == nil {
		return "", ""
	}
	for _, wanted := range []string{"nrdl", ""} {
		for _, p := range r.Plans {
			for rec := range p.all {
				if wanted != "" && rec.Method != wanted {
					continue
				}
				if c := repeat(rec); c != "" {
					return fmt.Sprintf("One run alone, the first of %s on %s, whose rate is %s %% (%d of %d images):",
						rec.Label, cmp.Or(rec.Dataset.Title, rec.Dataset.Name), tenths(100*rec.Rate), rec.N-rec.Wrong, rec.N), c
				}
			}
		}
	}
	return "", ""
}
