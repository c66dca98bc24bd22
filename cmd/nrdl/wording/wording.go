// Package wording has the words of the command nrdl: flags and commands in place of the
// options and functions that advice names, and the commands that repeat experiments.
package wording

import (
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/legible"
)

// Command is the advice.Wording of the command. Model is the file of the model at hand.
type Command struct{ Model string }

// flagOf are the flags of the options that advice names.
var flagOf = map[advice.Option]string{
	advice.Credentials: "--creds",
	advice.Detect:      "--detect",
	advice.Detector:    "--detector",
	advice.Folders:     "--data",
	advice.Forget:      "--forget",
	advice.Input:       "--input",
	advice.Method:      "--method",
	advice.Metrics:     "--metrics",
	advice.Mirror:      "--mirror",
	advice.LabelArray:  "--y",
	advice.Names:       "--names",
	advice.Output:      "-o",
	advice.Parameter:   "--set",
	advice.Person:      "--name",
	advice.Projection:  "--project",
	advice.SampleArray: "--x",
	advice.Seed:        "--seed",
	advice.Size:        "--size",
	advice.SkipTrained: "--skip-trained",
	advice.Split:       "--split",
	advice.Strangers:   "--strangers",
}

// commandOf are the commands that do what advice names. A word in capitals is the place of
// the option with that name in places.
var commandOf = map[advice.Verb]string{
	advice.Calibrate:      "nrdl calibrate MODEL",
	advice.Compare:        "nrdl verify - A B",
	advice.DescribeData:   "nrdl data info DATA",
	advice.Group:          "nrdl group DATA -o DIR",
	advice.ListParameters: "nrdl methods NAME",
	advice.MeasureNetwork: "nrdl network measure FILE.onnx FACES -o FILE.json",
	advice.RunPlan:        "nrdl bench PLAN",
	advice.Train:          "nrdl train DATA -o MODEL",
	advice.WritePlan:      "nrdl bench --init DATA",
}

var places = map[string]advice.Option{
	"DATA": advice.Data, "DIR": advice.Output, "MODEL": advice.Model, "NAME": advice.Method,
}

// Setting implements advice.Wording.
func (Command) Setting(s advice.Setting) string {
	if s.Value == "" {
		return flagOf[s.Option]
	}
	return flagOf[s.Option] + " " + legible.ShellWord(s.Value)
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
