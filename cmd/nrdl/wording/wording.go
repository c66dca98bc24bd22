// Package wording has the words of the command nrdl: flags and commands instead of the
// options and functions that advice names, and the commands that repeat experiments.
//
// Experimental: this package may change in any version.
package wording

import (
	"fmt"
	"slices"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/lab/plans"
	"nrdl.example/nrdl/method"
)

// Command is the advice.Wording of the command. Model is the file of the model at hand.
type Command struct{ Model string }

// flagOf are the flags of the options that advice names.
var flagOf = map[advice.Option]string{
	advice.AllowProgram: "--allow-program",
	advice.Credentials:  "--creds",
	advice.Detect:       "--detect",
	advice.Detector:     "--detector",
	advice.Folders:      "--data",
	advice.Forget:       "--forget",
	advice.Input:        "--input",
	advice.Method:       "--method",
	advice.Metrics:      "--metrics",
	advice.Mirror:       "--mirror",
	advice.LabelArray:   "--y",
	advice.Names:        "--names",
	advice.Output:       "-o",
	advice.Parameter:    "--set",
	advice.Person:       "--name",
	advice.Place:        "--box",
	advice.Projection:   "--project",
	advice.SampleArray:  "--x",
	advice.Seed:         "--seed",
	advice.Size:         "--size",
	advice.SkipTrained:  "--skip-trained",
	advice.Split:        "--split",
	advice.Strangers:    "--strangers",
	advice.Tags:         "--tags=", // the value may be left out
}

// commandOf are the commands that do what advice names. A word in capitals is the place of
// the option with that name in places.
var commandOf = map[advice.Verb]string{
	advice.Calibrate:      "nrdl calibrate MODEL",
	advice.Compare:        "nrdl verify - A B",
	advice.DescribeData:   "nrdl data info DATA",
	advice.Enrol:          "nrdl add MODEL PHOTOS --name PERSON",
	advice.Group:          "nrdl group DATA -o DIR",
	advice.ListParameters: "nrdl methods NAME",
	advice.MeasureNetwork: "nrdl network measure FILE.onnx FACES -o FILE.json",
	advice.Open:           "faces.Open of the Go library",
	advice.RunPlan:        "nrdl bench PLAN",
	advice.Survey:         "nrdl people MODEL",
	advice.Train:          "nrdl train DATA -o MODEL",
	advice.Undo:           "nrdl undo MODEL",
	advice.WritePlan:      "nrdl bench --init DATA",
}

var places = map[string]advice.Option{
	"DATA": advice.Data, "DIR": advice.Output, "MODEL": advice.Model, "NAME": advice.Method, "PERSON": advice.Person, "PHOTOS": advice.Data,
}

// Setting implements advice.Wording.
func (Command) Setting(s advice.Setting) string {
	flag, joint := flagOf[s.Option], " "
	if bare, ok := strings.CutSuffix(flag, "="); ok {
		flag, joint = bare, "="
	}
	if s.Value == "" {
		return flag
	}
	return flag + joint + legible.ShellWord(s.Value)
}

// Action implements advice.Wording.
func (w Command) Action(a advice.Action) string {
	values := map[advice.Option]string{advice.Model: w.Model}
	for _, s := range a.Settings {
		values[s.Option] = s.Value
	}
	words := strings.Fields(commandOf[a.Verb])
	placed := map[advice.Option]bool{}
	for i, word := range words {
		if o, ok := places[word]; ok && values[o] != "" {
			words[i], placed[o] = legible.ShellWord(values[o]), true
		}
	}
	for _, s := range a.Settings {
		if !placed[s.Option] {
			words = append(words, w.Setting(s))
		}
	}
	return strings.Join(words, " ")
}

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
		if r.Dataset.Synthetic == nil {
			data = " --data DIR"
		}
		commands = append(commands,
			fmt.Sprintf("nrdl bench %s -o %s -j %d%s", legible.ShellWord(plan), legible.ShellWord(r.Plan+".jsonl"), r.Cost.Jobs, data))
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
	for _, a := range [][]string{{"--x", r.Dataset.X}, {"--y", r.Dataset.Y}} {
		if a[1] != "" {
			words = append(words, a...)
		}
	}
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
		if i := slices.IndexFunc(method.Params(now), func(q method.Param) bool { return q.Path == p.Path }); i >= 0 &&
			method.Params(now)[i].Value == p.Value {
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
