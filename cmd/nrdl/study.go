package main

import (
	"cmp"
	"context"
	"fmt"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/faces/measure"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/method"
)

// A data set with the options by which the flags want to learn from it.
type studied struct {
	images *dataset.Images
	faces.Options
	auto bool // Pipeline and Method are to be chosen
}

// study reads the data set at path and returns it with the options of the flags.
func (a *app) study(ctx context.Context, path string, l *learning) (*studied, error) {
	s := &studied{}
	var err error
	if s.auto, err = l.input.isAuto(); err != nil {
		return nil, err
	}
	if s.auto && !l.chooses {
		return nil, advice.Add(cli.Misuse("--input %s is no input here", auto), autoHint)
	}
	in, err := l.input.reads(path)
	if err != nil {
		return nil, err
	}
	if err := l.plausible(path, in); err != nil {
		return nil, err
	}
	if err := measure.Usable(ctx, in); err != nil {
		return nil, err
	}
	if s.images, err = a.read(ctx, path, l.input.labels.options(in, l.input.find)); err != nil {
		return nil, err
	}
	s.Options, err = l.options(s.images)
	if err == nil && !s.auto {
		err = s.Pipeline.Suits(s.images)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// studySeveral is study for the methods that l lists. All get one input: the default
// one is without a projection if one of them does not take it by default.
func (a *app) studySeveral(ctx context.Context, path string, l learning) (*studied, []classify.Method, error) {
	methods, notes, err := method.Several(l.method, l.preset, l.set)
	if err != nil {
		return nil, nil, cli.AsMisuse(err)
	}
	for _, note := range notes {
		a.Tell("--set %s", note)
	}
	one := l
	one.method, one.preset, one.set = "", "", nil
	s, err := a.study(ctx, path, &one)
	if err != nil {
		return nil, nil, err
	}
	if o := s.For(methods...); !l.projectionChosen() && o.Pipeline.Projection != s.Pipeline.Projection {
		a.Tell("no method gets the projection %v, as the default of one of them is without; --project gives all the same", s.Pipeline.Projection)
		s.Pipeline = o.Pipeline
	}
	a.tellInput(s.Pipeline)
	for _, m := range methods {
		a.tellMethod(m, l)
	}
	a.warnOfSides(s, methods...)
	a.tellPreset(s.images, l.preset, methods...)
	return s, methods, nil
}

// plausible reports flags that make no sense, as far as that is known before the
// data are read.
func (l *learning) plausible(path string, in frontend.Pipeline) error {
	foreseen := frontend.Foreseen(path, in.Size)
	if !l.input.changed("input") && len(foreseen) == 1 {
		var err error
		if in, err = l.input.edit(foreseen[0]); err != nil {
			return err
		}
	}
	m, err := l.configured(in)
	if l.method == "" && len(foreseen) > 1 {
		var likeliest error
		for _, in := range foreseen {
			m, err = l.configured(in)
			if err == nil {
				break
			}
			likeliest = cmp.Or(likeliest, err)
		}
		if err != nil {
			err = likeliest
		}
	}
	if err != nil {
		return err
	}
	if !l.projectionChosen() {
		in = faces.Options{Pipeline: in}.For(m).Pipeline
	}
	if l.input.text == auto || in.Size == (dataset.Size{}) && dataset.IsMatrix(path) {
		return nil
	}
	if err := method.Suits(m, in.Grid()); err != nil {
		return cli.AsMisuse(err)
	}
	return nil
}

// projectionChosen reports whether the command line says what is projected.
func (l *learning) projectionChosen() bool {
	return l.input.changed("input") || l.input.changed("project")
}

// options are the defaults for images with what the flags say.
func (l *learning) options(images *dataset.Images) (o faces.Options, err error) {
	o = faces.Defaults(images)
	o.Seed, o.Detect = l.seed, l.input.find
	if o.Pipeline, err = l.input.edit(o.Pipeline); err != nil {
		return o, err
	}
	o.Pipeline = o.Pipeline.ForImages(images.Frame)
	if o.Method, err = l.configured(o.Pipeline); err == nil && !l.projectionChosen() {
		o = o.For(o.Method)
	}
	return o, err
}

// tellOptions reports the method, and the features unless they are grey values.
func (a *app) tellOptions(s *studied, l *learning) {
	a.tellInput(s.Pipeline)
	a.tellMethod(s.Method, *l)
	a.warnOfSides(s, s.Method)
	a.tellPreset(s.images, l.preset, s.Method)
}

func (a *app) tellInput(in frontend.Pipeline) {
	if !in.IsZero() && (!in.ArePixels() || in.Mirror) {
		a.Tell("features: %v", in)
	}
	if in.Embedder != nil && in.Embedder.Remark() != "" {
		a.Tell("%s", in.Embedder.Remark())
	}
	if l := in.Measured; l != nil {
		a.Tell("network %s was measured on %d people and %d faces of others", in.Embedding.Name, l.People, l.Faces)
	}
}

// candidates are what --input auto chooses among for the images of s, the columns
// of the data set at path where they are not nil.
func (a *app) candidates(ctx context.Context, path string, s *studied, columns []int, l *learning) ([]experiment.Candidate, error) {
	var by classify.Method
	if l.input.changed("method") {
		by = s.Method
	}
	o, done := a.observer("reading " + path)
	defer done()
	read := func(ctx context.Context, frame dataset.Frame, embed bool) (*dataset.Images, error) {
		r := l.input.labels.options(frontend.Pipeline{Frame: frame}, l.input.find)
		r.Observer = o
		if embed {
			r.Embedder = embedding.Default()
		}
		images, err := faces.Read(ctx, a.databases("").Find(path), r)
		if err != nil || columns == nil {
			return images, err
		}
		return images.Select(columns), nil
	}
	return experiment.Candidates(ctx, s.images, by, l.input.size != (dataset.Size{}), read)
}

// choose lets the training images choose the pipeline and the method of s.
func (a *app) choose(ctx context.Context, path string, s *studied, columns []int, l *learning) error {
	all, err := a.candidates(ctx, path, s, columns, l)
	if err != nil {
		return err
	}
	c, err := experiment.Choose(ctx, s.images, all, experiment.Folds{N: experiment.ChoiceFolds, Repeats: 1, Seed: l.seed})
	if err != nil {
		return err
	}
	a.Tell("right in %d folds of the training images:", experiment.ChoiceFolds)
	a.tellChoice(&c)
	best := all[c.Best]
	if best.Images != nil {
		s.images = best.Images
	}
	s.Pipeline, s.Method = best.Input.ForImages(s.images.Frame), best.Method
	return nil
}

// tellChoice lists the candidates and marks the chosen one.
func (a *app) tellChoice(c *experiment.Choice) {
	for i, t := range c.Results {
		mark := " "
		if i == c.Best {
			mark = "*"
		}
		if t.Err != "" {
			a.Tell("%s   —   %v, %s: %s", mark, t.Input, method.Words(t.Method), t.Err)
			continue
		}
		a.Tell("%s %s %% %v, %s", mark, legible.Percent(t.Rate()), t.Input, method.Words(t.Method))
	}
}
