package main

import (
	"os"

	"github.com/spf13/cobra"

	"nrdl"
	"nrdl/face"
	"nrdl/internal/console"
	"nrdl/internal/hint"
)

// An app is what the commands share.
type app struct {
	*console.Console
	endless bool // interrupting is how the command ends
}

func newApp(stdout, stderr *os.File) *app { return &app{Console: console.New(stdout, stderr)} }

// observer shows long work, until done is called.
func (a *app) observer() (o nrdl.Observer, done func()) {
	watch, watched := a.Watch("learning")
	step, stepped := a.Stages()
	o = nrdl.Observer{
		Watch: watch, Progress: step,
		Tell: func(s string) { a.Tell("%s", s) },
		Warn: a.WarnOf,
	}
	return o, func() { watched(); stepped() }
}

// faceFlags say whether faces are looked for in images, and which of several are
// meant.
type faceFlags struct {
	detect choiceFlag
	which  choiceFlag
}

func (f *faceFlags) register(c *cobra.Command, which face.Which, auto string) {
	f.registerDetect(c, auto)
	f.which = choiceFlag{string(which), []string{string(face.Largest), string(face.Refuse), string(face.All)}}
	f.which.register(c, "faces", "if there are several faces: largest, all, or refuse (skip the photograph)")
}

func (f *faceFlags) registerDetect(c *cobra.Command, auto string) {
	f.detect = choiceFlag{string(face.Auto), face.Detects}
	f.detect.register(c, "detect", "whether to search images for faces: auto ("+auto+"), always or never")
}

func (f *faceFlags) options() face.Options {
	return face.Options{Detect: face.Detect(f.detect.value), Which: face.Which(f.which.value)}
}

// choiceFlag is a flag with a few values.
type choiceFlag struct {
	value   string
	choices []string
}

func (f *choiceFlag) register(c *cobra.Command, name, use string) {
	c.Flags().Var(f, name, use)
	complete(c, name, cobra.FixedCompletions(f.choices, cobra.ShellCompDirectiveNoFileComp))
}

func (f *choiceFlag) String() string { return f.value }

func (f *choiceFlag) Type() string { return "HOW" }

func (f *choiceFlag) Set(text string) error {
	for _, c := range f.choices {
		if text == c {
			f.value = text
			return nil
		}
	}
	return hint.Unknown("value", text, f.choices)
}

// open reads the model file at path, to look at photographs as find says.
func (a *app) open(path string, find *faceFlags, o nrdl.Observer) (*nrdl.Recogniser, error) {
	r, err := nrdl.Open(path)
	if err != nil {
		return nil, err
	}
	return r.With(find.options(), o)
}
