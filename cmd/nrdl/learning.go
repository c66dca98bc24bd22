package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/cmd/nrdl/internal/catalogue"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/cmd/nrdl/internal/console"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/lab/reference"
	"nrdl.example/nrdl/method"
)

// learning is the flags that say what to learn from and how.
type learning struct {
	method  string
	preset  string
	set     []string
	input   inputFlags
	chooses bool // --input auto is possible
	seed    uint64
}

func (l *learning) register(c *cobra.Command) {
	f := c.Flags()
	f.StringVarP(&l.method, "method", "m", "", "`NAME` of the method; nrdl methods lists them (default "+
		defaultMethod(frontend.Embedding).Name()+" for vectors of a network, "+defaultMethod(frontend.Pipeline{}).Name()+
		" for grey values without projection, otherwise "+defaultMethod(frontend.Faces96).Name()+")")
	f.StringVar(&l.preset, "preset", "", "use the parameters for the database `NAME`: "+strings.Join(method.PresetNames(), ", "))
	f.StringArrayVarP(&l.set, "set", "s", nil, "set a parameter, `NAME=VALUE`, after --preset; may be repeated; nrdl methods NAME lists them")
	l.input.register(c)
	f.Uint64Var(&l.seed, "seed", 0, "random seed `N`")
	cli.Complete(c, "method", cli.Words(methodWords...))
	cli.Complete(c, "preset", cli.Words(presetWords...))
	cli.Complete(c, "set", completeParams)
}

// chosen reports whether a flag says how to learn from path, or path holds numbers.
func (l *learning) chosen(path string) bool {
	flags := append([]string{"method", "preset", "set", "seed"}, stageFlags...)
	return dataset.IsMatrix(path) || slices.ContainsFunc(flags, l.input.changed)
}

// configured returns the method that the flags describe, for samples that in
// makes.
func (l *learning) configured(in frontend.Pipeline) (classify.Method, error) {
	m := defaultMethod(in)
	if l.method != "" {
		var err error
		if m, err = method.Named(l.method); err != nil {
			return nil, cli.AsMisuse(err)
		}
	}
	if l.preset != "" {
		var err error
		if m, err = method.Preset(m, l.preset); err != nil {
			return nil, cli.AsMisuse(err)
		}
	}
	for _, s := range l.set {
		path, value, ok := strings.Cut(s, "=")
		if !ok {
			return nil, advice.Add(cli.Misuse("--set %q is not of the form NAME=VALUE", s),
				"nrdl methods %s lists the parameters", m.Name())
		}
		path, value = strings.TrimSpace(path), strings.TrimSpace(value)
		next, err := method.Set(m, path, value)
		if err != nil {
			return nil, l.named(cli.AsMisuse(err), m, path, value)
		}
		m = next
	}
	if err := m.Validate(); err != nil {
		return nil, cli.Misuse("%s: %w", m.Name(), err)
	}
	return m, nil
}

// named returns err, which says that m lacks a parameter, with the methods that have it: that for pixels if it is
// one of them and no method was named.
func (l *learning) named(err error, m classify.Method, path, value string) error {
	takes := func(m classify.Method) bool { _, wrong := method.Set(m, path, value); return wrong == nil }
	of := defaultMethod(frontend.Pipeline{})
	if l.method != "" || m.Name() == of.Name() || !takes(of) {
		var names []string
		for _, other := range method.All() {
			if takes(other) {
				names = append(names, other.Name())
			}
		}
		if len(names) == 0 || slices.ContainsFunc(method.Params(m), func(p method.Param) bool { return p.Path == path }) {
			return err
		}
		return advice.Add(err, "it is a parameter of %s, and not of %s: choose one by --method", legible.Abridged(names), m.Name())
	}
	return advice.Add(err, "it is a parameter of %s, and %s is the method where samples are features or projected: --method %s",
		of.Name(), m.Name(), of.Name())
}

// sizeVar registers a --size HxW; zero where it is not given.
func sizeVar(c *cobra.Command, to *dataset.Size, use string) {
	parse := func(text string) (dataset.Size, error) {
		size, err := dataset.ParseSize(text)
		if err == nil && size.Len() == 0 {
			err = fmt.Errorf("size %q has no pixels", text)
		}
		return size, err
	}
	cli.Var(c, to, "size", "", "HxW", use, parse, func(s dataset.Size) string {
		if s.Len() == 0 {
			return ""
		}
		return s.String()
	})
	cli.Complete(c, "size", cli.Words("32x32", "56x46", "64x64"))
}

// splitVar registers a --split.
func splitVar(c *cobra.Command, to *dataset.Split, use string) {
	var forms []string // with a number for K
	for _, f := range dataset.SplitForms {
		forms = append(forms, strings.TrimSuffix(f, "K"))
	}
	cli.Var(c, to, "split", "", "SPLIT", use+": "+strings.Join(dataset.SplitForms, ", "), dataset.ParseSplit, dataset.Split.String)
	cli.Complete(c, "split", cli.Words(forms...))
}

// read reads the data set at path, or else below the folder that NRDL_DATA names, and tells
// what it holds.
func (a *app) read(ctx context.Context, path string, options faces.ReadOptions) (*dataset.Images, error) {
	start := time.Now()
	path = a.databases("").Find(path)
	o, done := a.observer("reading " + path)
	options.Observer = o
	read := faces.Read
	if isArchive(path) {
		read = a.readArchive
	}
	images, err := read(ctx, path, options)
	done()
	if errors.Is(err, fs.ErrNotExist) && advice.Text(err) == "" {
		switch {
		case dataset.IsMatrix(path):
			err = advice.Add(err, "check the path; nrdl data convert FOLDER %s makes such a file of a folder of images", legible.ShellWord(path))
		case strings.HasPrefix(filepath.ToSlash(path), "sets/"):
			err = advice.Add(err, "the databases are below the folder that NRDL_DATA names: doc/databases.md")
		default:
			err = advice.Add(err, "to try it on drawn photographs: nrdl data synth drawn --photos, then give drawn/people")
		}
	}
	if err != nil {
		return nil, err
	}
	what := console.Contents(images)
	if images.AreImages() && images.Frame.Embedding.IsZero() && !images.Matrix {
		what = strings.Replace(what, " of ", ", resized to ", 1)
	}
	a.Tell("read %s: %s in %s", path, what, legible.Seconds(time.Since(start)))
	return images, nil
}

// tellPreset says that the images are those of a database for which some of the methods have
// parameters of its own.
func (a *app) tellPreset(images *dataset.Images, preset string, methods ...classify.Method) {
	if preset != "" || !images.Matrix || !images.AreImages() {
		return
	}
	db := reference.Recognise(images)
	if db == nil {
		return
	}
	var names []string
	for _, m := range methods {
		if len(method.PresetValues(m, db.Name)) > 0 {
			names = append(names, m.Name())
		}
	}
	if len(names) > 0 {
		a.Tell("these are the images of %s: --preset %s takes the parameters for them instead of the defaults (%s)",
			db.Title, db.Name, strings.Join(names, ", "))
	}
}

// tellMethod lists the parameters of m in the form that --set takes.
func (a *app) tellMethod(m classify.Method, l learning) {
	if l.preset != "" && len(method.PresetValues(m, l.preset)) == 0 {
		a.Tell("%s has no values of its own for %s: the defaults are used", m.Name(), l.preset)
	}
	for _, s := range l.set {
		path, _, _ := strings.Cut(s, "=")
		if condition := method.Unmet(m, strings.TrimSpace(path)); condition != "" {
			a.Warn("%s changes nothing: it has an effect with %s only", s, condition)
		}
	}
	for _, line := range catalogue.Chosen(m, l.seed) {
		a.Tell("%s", line)
	}
}

// warnOfSides warns once where one of methods needs vectors of another kind than s has.
func (a *app) warnOfSides(s *studied, methods ...classify.Method) {
	if !s.images.Frame.Same(dataset.Frame{}) || !s.Pipeline.Projection.IsZero() {
		return
	}
	for _, m := range methods {
		if err := method.Doubt(m, &s.images.Samples); err != nil {
			a.WarnOf(err)
			return
		}
	}
}

// defaultMethod is the method for the samples of in where none is named.
func defaultMethod(in frontend.Pipeline) classify.Method {
	return faces.Options{Pipeline: in}.For().Method
}
