package wording

import (
	"fmt"
	"slices"
	"strings"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/experiment"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/plans"
)

// Report returns the commands that make records, and the command that makes a report, in
// this format, of the files at paths.
func Report(records []experiment.Record, paths []string, format string) []string {
	var commands []string
	seen := map[string]bool{}
	for _, r := range records {
		if seen[r.Plan] {
			continue
		}
		seen[r.Plan] = true
		plan, data := r.Plan, ""
		if _, ours := plans.Named(plan); !ours {
			plan += ".json"
		}
		if r.Dataset.Drawn == nil {
			data = " --data DIR"
		}
		commands = append(commands, fmt.Sprintf("nrdl bench %s -o %s -j %d%s", legible.ShellWord(plan), legible.ShellWord(r.Plan+".jsonl"), r.Cost.Jobs, data))
	}
	last := "nrdl report"
	for _, p := range paths {
		last += " " + legible.ShellWord(p)
	}
	if format != "html" {
		last += " --format " + format
	}
	return append(commands, last)
}

// Evaluate returns the command that repeats the run of r; "" if there is none.
func Evaluate(r *experiment.Record) string {
	if r.Error != "" || r.Dataset.Path == "" || r.Noise > 0 || r.Occlusion > 0 {
		return ""
	}
	base, err := method.Named(r.Method)
	if err != nil {
		return ""
	}
	made, err := method.Unmarshal(base, r.Params)
	if err != nil {
		return ""
	}
	words := []string{"nrdl", "evaluate", r.Dataset.Path, "--method", r.Method}
	if r.Dataset.Preset != "" {
		if base, err = method.Preset(base, r.Dataset.Preset); err != nil {
			return ""
		}
		words = append(words, "--preset", r.Dataset.Preset)
	}
	sets, ok := settings(base, made)
	if !ok {
		return ""
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
	return strings.Join(words, " ")
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
