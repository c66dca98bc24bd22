package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/faces/frontend/feature"
	"nrdl.example/nrdl/faces/measure"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/projection"
)

// inputFlags say how faces become samples.
type inputFlags struct {
	text, photometric, project string
	mirror                     bool
	crop                       float64
	size                       dataset.Size
	find                       face.Options
	labels                     labels
	set                        *pflag.FlagSet

	pipeline *frontend.Pipeline // what text says, once it is read: a network may be large
}

func checkCrop(v float64) error {
	if err := cli.Share(false)(v); err != nil {
		return advice.Add(err, "0.5 keeps the middle half of the height and of the width")
	}
	return nil
}

// auto is the --input that is chosen by validation.
const auto = "auto"

const autoHint = "--input auto stands alone, and is for train and evaluate"

func (f *inputFlags) register(c *cobra.Command) {
	f.registerStages(c)
	f.set.BoolVar(&f.mirror, "mirror", false, "train on the mirror images of the training faces too")
	f.set.StringVar(&f.project, "project", "", "`PROJECTION` that is fitted on the training samples: fisher:0.3, pca:100 or none")
	f.set.Lookup(
		"input").Usage += " (default embedding for photographs, faces96 for crops, or the preset for --size; without its projection for fewer than 30 people and for --method nrdl; .mat and .npz: pixels)"
	cli.Complete(c, "project", cli.Words(slices.Concat([]string{"none"}, projectionWords)...))
}

// registerStages registers the flags of the stages that are not trained.
func (f *inputFlags) registerStages(c *cobra.Command) {
	f.set = c.Flags()
	f.set.StringVarP(&f.text, "input", "i", "",
		"feature extraction `INPUT`: a preset, features joined by +, as igo+lbp:cell=5.34, or embedding:FILE.onnx; nrdl methods lists them")
	f.set.StringVar(&f.photometric, "photometric", "", "`STEPS` before the features that reduce light and noise, as despeckle+lcn, or none")
	cli.Number(c, &f.crop, "crop", "", checkCrop, "keep this `SHARE` of the height and width of images, about their centre")
	sizeVar(c, &f.size, "resize images to `HxW` pixels (default the size of the input, "+dataset.DefaultSize.String()+
		" for pixels; .mat and .npz keep theirs); not for embedding")
	which := face.Largest
	if c.Name() == "train" {
		which = face.Agreeing
	}
	findVar(c, &f.find, which, "in photographs and not in crops of faces")
	arraysVar(c, &f.labels.arrays)
	f.labels.register(c)
	inputs := slices.Concat(inputWords, featureWords)
	if c.Name() == "train" || c.Name() == "evaluate" {
		inputs = slices.Insert(inputs, 0, cobra.CompletionWithDesc(auto, "chosen by folds of the training faces"))
	}
	cli.Complete(c, "input", cli.Words(inputs...))
	cli.Complete(c, "photometric", cli.Words(slices.Concat([]string{"none"}, stepWords)...))
}

// arraysVar registers the flags that name the arrays of a file.
func arraysVar(c *cobra.Command, a *dataset.Arrays) {
	c.Flags().StringVar(&a.X, "x", "", "`ARRAY` of a .mat or .npz file with the samples (default fea, X or training_feats)")
	c.Flags().StringVar(&a.Y, "y", "", "`ARRAY` of a .mat or .npz file with the labels (default gnd, y, labels or H_train)")
}

// data is the data set at path as an argument, with the flags that name its arrays.
func (f *inputFlags) data(path string) string {
	words := legible.ShellWord(path)
	for _, flag := range []struct{ name, array string }{{"--x", f.labels.arrays.X}, {"--y", f.labels.arrays.Y}} {
		if flag.array != "" {
			words += " " + flag.name + " " + legible.ShellWord(flag.array)
		}
	}
	return words
}

// stageFlags are those that change an input.
var stageFlags = []string{"input", "photometric", "mirror", "project", "crop", "size", "detect", "faces"}

func (f *inputFlags) changed(flag string) bool {
	return f.set.Lookup(flag) != nil && f.set.Changed(flag)
}

// edit returns in with what the flags say. Errors are those of the command line.
func (f *inputFlags) edit(in frontend.Pipeline) (_ frontend.Pipeline, err error) {
	if f.changed("input") && f.text != auto {
		if in, err = f.named(in.Frame); err != nil {
			return in, err
		}
	}
	if f.changed("photometric") {
		if in.Photometric, err = feature.ParseSteps(f.photometric); err != nil {
			return in, cli.Misuse("--photometric: %w", err)
		}
	}
	if f.changed("project") {
		if in.Projection, err = projection.Parse(f.project); err != nil {
			return in, cli.Misuse("--project: %w", err)
		}
		if in.Projection.IsZero() {
			in.Shift = 0
		}
	}
	if f.changed("mirror") {
		in.Mirror = f.mirror
	}
	if f.changed("crop") {
		in.Crop = f.crop
	}
	if f.size.Len() != 0 {
		in.Size = f.size
	}
	return in, nil
}

// named is what --input says, of images that are read as frame says where it does
// not say that.
func (f *inputFlags) named(frame dataset.Frame) (frontend.Pipeline, error) {
	words := strings.Fields(f.text)
	if len(words) == 0 {
		return frontend.Pipeline{}, advice.Add(cli.Misuse("--input is empty"), "nrdl methods lists the inputs; pixels are the grey values alone")
	}
	if slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, auto) }) {
		return frontend.Pipeline{}, advice.Add(cli.Misuse("--input %s is no input here", legible.ShellWord(f.text)), autoHint)
	}
	if f.pipeline == nil {
		in, err := frontend.Parse(f.text)
		if err != nil {
			return in, cli.Misuse("--input: %w", err)
		}
		f.pipeline = &in
	}
	return f.pipeline.ForImages(frame), nil
}

// reads returns how the images at path are read, with the stages that the flags
// name. Without a size, faces.Read chooses.
func (f *inputFlags) reads(path string) (frontend.Pipeline, error) {
	in, err := f.edit(frontend.Pipeline{})
	if err != nil {
		return in, err
	}
	switch {
	case in.Frame.Len() != 0 || dataset.IsMatrix(path):
	case f.changed("input") && f.text != auto:
		in.Size = in.DefaultSize()
	case f.changed("input") || f.changed("photometric") || f.changed("mirror"):
		in.Size = frontend.Faces96.DefaultSize()
	}
	if err := in.Plausible(); err != nil {
		return in, cli.AsMisuse(err)
	}
	if dataset.IsMatrix(path) && in.Frame.Len() == 0 && in.Crop != 0 && in.Crop != 1 {
		err := cli.Misuse("crop = %v of a .mat or .npz file needs a size", in.Crop)
		return in, advice.Add(err, "--size HxW is what that part of the images is brought to")
	}
	return in, nil
}

// isAuto reports whether the input is to be chosen, and what else was set for
// it that has no meaning then.
func (f *inputFlags) isAuto() (bool, error) {
	if !f.changed("input") || f.text != auto {
		return false, nil
	}
	for _, flag := range []string{"set", "preset"} {
		if f.changed(flag) && !f.changed("method") {
			return true, advice.Add(cli.Misuse("--%s with --input auto, which chooses the method too", flag),
				"name the method that it is for: --method NAME")
		}
	}
	for _, flag := range []string{"photometric", "mirror", "project"} {
		if f.changed(flag) {
			return true, cli.Misuse("--%s has no meaning with --input auto, which chooses it", flag)
		}
	}
	return true, nil
}

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
