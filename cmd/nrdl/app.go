package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl"
	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/cmd/nrdl/internal/console"
	"nrdl.example/nrdl/cmd/nrdl/wording"
	"nrdl.example/nrdl/face"
	"nrdl.example/nrdl/internal/atomicfile"
)

// An app is what the commands share.
type app struct {
	*console.Console
	endless bool // interrupting is how the command ends

	trouble atomic.Int32 // exit status for a failure, if that is not 1
}

func newApp(stdout, stderr *os.File) *app {
	a := &app{Console: console.New(stdout, stderr)}
	a.Wording = wording.Command{Model: "MODEL"}
	return a
}

// observer shows long work, which begins with what, until done is called.
func (a *app) observer(what string) (o nrdl.Observer, done func()) {
	watch, watched := a.Watch(what)
	step, stepped := a.Stages(what)
	o = nrdl.Observer{
		Watch: watch, Progress: step,
		Tell:   func(s advice.Advice) { a.Tell("%s", s.Word(a.Wording)) },
		Detail: func(s advice.Advice) { a.Detail("%s", s.Word(a.Wording)) },
		Warn:   a.WarnOf,
	}
	return o, func() { watched(); stepped() }
}

// findVar registers the flags of find, which say whether faces are looked for in
// images, and which of several are meant.
func findVar(c *cobra.Command, find *face.Options, which face.Which, auto string) {
	detectVar(c, find, auto)
	find.Which = which
	cli.Choice(c, &find.Which, "faces", "if there are several faces: largest, central (large and near the middle), all but those less than half as large as the largest, every, or refuse (skip the photograph)",
		[]string{string(face.Largest), string(face.Central), string(face.Refuse), string(face.All), string(face.Every)})
}

func detectVar(c *cobra.Command, find *face.Options, auto string) {
	find.Detect = face.Auto
	cli.Choice(c, &find.Detect, "detect", "whether to search images for faces: auto ("+auto+"), always or never", face.Detects)
	detectorVar(c, &find.Search)
}

func detectorVar(c *cobra.Command, by **face.Search) {
	cli.Var(c, by, "detector", "", "DETECTOR", "how faces are found: "+strings.Join(face.Detectors, ", ")+", or the network in an .onnx file (default: that of the model, if there is one, else "+face.DefaultSearch.Name+")", face.OpenSearch, (*face.Search).String)
}

// open reads the model file at path, to look at photographs as find says.
func (a *app) open(path string, find face.Options, o nrdl.Observer) (*nrdl.Recogniser, error) {
	r, err := nrdl.Open(path)
	if err != nil {
		return nil, err
	}
	a.Wording = wording.Command{Model: path}
	return r.With(find, o)
}

// readable adds what to do about a file without permission.
func readable(err error) error {
	if errors.Is(err, fs.ErrPermission) && advice.Text(err) == "" {
		return advice.Add(err, "make it readable")
	}
	return err
}

// write writes a file at path, whole or not at all, and reports its size.
func (a *app) write(ctx context.Context, path string, content func(io.Writer) error) error {
	size, err := atomicfile.Write(ctx, path, content)
	if err == nil {
		next := ""
		if filepath.Ext(path) == ".html" {
			next = "; open it in a browser"
		}
		a.Tell("wrote %s, %s%s", path, console.Megabytes(size), next)
	}
	return err
}
