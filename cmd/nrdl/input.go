package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nrdl"
	"nrdl/face"
	"nrdl/feature"
	"nrdl/internal/hint"
	"nrdl/method"
	"nrdl/projection"
)

// inputFlags say how faces become samples.
type inputFlags struct {
	text, photometric, project string
	mirror                     bool
	crop                       float64
	size                       sizeFlag
	find                       faceFlags
	set                        *pflag.FlagSet
}

func checkCrop(v float64) error {
	if err := aShare(false)(v); err != nil {
		return hint.Add(err, "0.5 keeps the middle half of the height and of the width")
	}
	return nil
}

// auto is the --input that is chosen by validation.
const auto = "auto"

func (f *inputFlags) register(c *cobra.Command) {
	f.registerStages(c)
	f.set.BoolVar(&f.mirror, "mirror", false, "train on the mirror images of the training faces too")
	f.set.StringVar(&f.project, "project", "", "`PROJECTION` that is fitted on the training samples: fisher:0.3, pca:100 or none")
	f.set.Lookup("input").Usage += fmt.Sprintf(" (default %s, or the preset for --size; without its projection for fewer than %d people and for --method %s; .mat and .npz: pixels)", nrdl.DefaultInputName, nrdl.FewPeople, learner)
	complete(c, "project", completeProjections)
}

// registerStages registers the flags for what is not learnt.
func (f *inputFlags) registerStages(c *cobra.Command) {
	f.set = c.Flags()
	f.set.StringVarP(&f.text, "input", "i", "", "feature extraction `INPUT`: a preset, or features joined by +, as igo+lbp:cell=5.34; nrdl methods lists them")
	f.set.StringVar(&f.photometric, "photometric", "", "`STEPS` before the features that reduce light and noise, as despeckle+lcn, or none")
	numberVar(c, &f.crop, "crop", "", checkCrop, "keep this `SHARE` of the height and width of images, about their centre")
	f.size.register(c)
	f.find.register(c, face.Largest, "in photographs and not in crops of faces")
	complete(c, "input", completeInputs)
	complete(c, "photometric", completeSteps)
}

// stages returns the Input that the flags describe, without what is learnt;
// that of pixels where there is no --input.
func (f *inputFlags) stages(path string) (in nrdl.Input, err error) {
	if f.set.Changed("input") {
		if in, err = f.named(); err != nil {
			return in, err
		}
	}
	in, err = f.with(in, path)
	crop := in.Crop
	in = in.Fixed()
	in.Crop = crop // of images whose size is not known yet
	return in, err
}

// stageFlags are those that change an input.
var stageFlags = []string{"input", "photometric", "mirror", "project", "crop", "size", "detect", "faces"}

// input returns the Input that the flags describe for the data at path. Errors
// are those of the command line.
func (f *inputFlags) input(path string) (nrdl.Input, error) {
	in, err := f.base(path)
	if err != nil {
		return in, err
	}
	return f.with(in, path)
}

// with returns in with what the flags other than --input say.
func (f *inputFlags) with(in nrdl.Input, path string) (_ nrdl.Input, err error) {
	if f.set.Changed("photometric") {
		if in.Photometric, err = feature.ParseSteps(f.photometric); err != nil {
			return in, misuse("--photometric: %w", err)
		}
	}
	if f.set.Changed("project") {
		if in.Projection, err = projection.Parse(f.project); err != nil {
			return in, misuse("--project: %w", err)
		}
		if in.Projection.IsZero() {
			in.Shift = 0
		}
	}
	if f.set.Changed("mirror") {
		in.Mirror = f.mirror
	}
	if f.set.Changed("crop") {
		in.Crop = f.crop
	}
	if f.size.Len() != 0 {
		in.Size = f.size.Size
	}
	return sized(in, path)
}

// sized returns in for the data at path, with the default size where it needs
// one and the data have no size of their own.
func sized(in nrdl.Input, path string) (nrdl.Input, error) {
	if in.Size == (nrdl.Size{}) && !isMatrix(path) && len(in.Features)+len(in.Photometric) > 0 {
		in.Size = nrdl.DefaultInput.Size
	}
	if err := in.Plausible(); err != nil {
		return in, usageError{err}
	}
	if in.Size == (nrdl.Size{}) && isMatrix(path) && in.Crop != 0 && in.Crop != 1 {
		err := misuse("crop = %v of a .mat or .npz file needs a size", in.Crop)
		return in, hint.Add(err, "--size HxW is what that part of the images is brought to")
	}
	return in, nil
}

// base is what --input says, or the default.
func (f *inputFlags) base(path string) (nrdl.Input, error) {
	switch {
	case f.set.Changed("input"):
		return f.named()
	case isMatrix(path):
		return nrdl.Input{}, nil
	case f.size.Len() != 0:
		return nrdl.DefaultInputFor(f.size.Size), nil
	}
	return nrdl.DefaultInput, nil
}

// named is what --input says.
func (f *inputFlags) named() (nrdl.Input, error) {
	words := strings.Fields(f.text)
	if len(words) == 0 {
		return nrdl.Input{}, hint.Add(misuse("--input is empty"), "nrdl methods lists the inputs; pixels are the grey values alone")
	}
	if slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, auto) }) {
		return nrdl.Input{}, hint.Add(misuse("--input %s is no input here", quoted(f.text)), "--input auto stands alone, and is for train and evaluate")
	}
	in, err := nrdl.ParseInput(f.text)
	if err != nil {
		err = misuse("--input: %w", err)
	}
	return in, err
}

// pixels reports whether --input asks for the grey values as they are.
func (f *inputFlags) pixels() bool {
	return slices.Contains(strings.Fields(f.text), feature.Pixels{}.Name())
}

// isMatrix reports whether path is a file of samples, which may not be images,
// in contrast to files of images.
func isMatrix(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".mat", ".npz":
		return true
	}
	return false
}

// openFor opens the images of the data set at path for in, which f describes,
// and returns in for their size. It is an error if in cannot be made of them.
func (a *app) openFor(ctx context.Context, path string, in nrdl.Input, f *inputFlags) (*nrdl.Set, nrdl.Input, error) {
	set, err := a.open(ctx, path, in.Images(), f.find)
	if err != nil {
		return nil, in, err
	}
	if !f.chosen() {
		in = forPeople(in, len(set.Classes))
	}
	made := in.ForSet(set)
	if err := f.suits(in, set); err != nil {
		return nil, in, fmt.Errorf("%s: %w", path, err)
	}
	if err := made.Validate(); err != nil {
		return nil, in, fmt.Errorf("%s: %w", path, err)
	}
	return set, made, nil
}

// chosen reports whether the command line says what is projected.
func (f *inputFlags) chosen() bool {
	return f.set.Changed("input") || f.set.Lookup("project") != nil && f.set.Changed("project")
}

// forPeople returns the default input in for so many people.
func forPeople(in nrdl.Input, n int) nrdl.Input {
	if n < nrdl.FewPeople {
		in.Projection, in.Shift = projection.Choice{}, 0
	}
	return in
}

// openLike opens the data set at path for model to judge.
func (a *app) openLike(ctx context.Context, path string, model *nrdl.Model) (*nrdl.Set, error) {
	in := model.Parts().Input
	find := faceFlags{detect: choiceFlag{value: string(face.Auto)}, which: choiceFlag{value: string(face.Largest)}}
	if in.Eyes.IsZero() {
		find.detect.value = string(face.Never)
	}
	set, err := a.open(ctx, path, in.Images(), find)
	if err != nil && isMatrix(path) {
		err = fmt.Errorf("%w; the features of the model are %v", err, in)
	}
	return set, err
}

// suits reports samples that are not images where in, which f describes, needs
// images.
func (f *inputFlags) suits(in nrdl.Input, set *nrdl.Set) error {
	on := in.ForSet(set)
	stages := on.Fixed()
	switch {
	case set.Input.ArePixels():
		return nil
	case set.Input.Size == (nrdl.Size{}) && (in.Mirror || in.Shift != 0 || len(in.Photometric)+len(in.Features) > 0):
		return hint.Add(fmt.Errorf("the samples are vectors, and %v needs images of a known size", in),
			"only --project may follow vectors; a file of images has height and width")
	case set.Input.Size == (nrdl.Size{}):
		return nil
	case in.Mirror || in.Shift != 0:
		return hint.Add(fmt.Errorf("there are no mirror or shifted images of samples that are %v", set.Input), "give the images that they were made of")
	case stages.String() != set.Input.String() || f.pixels() && len(in.Features) == 0:
		in.Size = on.Size
		stages = in.Fixed()
		return hint.Add(fmt.Errorf("the samples are %v: %v cannot be made of them", set.Input, stages),
			"give the images that they were made of, or leave out --input, --photometric and --size")
	}
	return nil
}

// seeing returns the Input for data and the method that the flags of l describe.
// Choose is whether they are to be chosen among candidates: then in is how
// images are read.
func (l *learning) seeing(data string) (in nrdl.Input, m nrdl.Method, choose bool, err error) {
	if choose, err = l.input.isAuto(); err != nil {
		return in, nil, choose, err
	}
	if choose {
		in, err = l.input.images(data)
	} else {
		in, err = l.input.input(data)
	}
	if err != nil {
		return in, nil, choose, err
	}
	m, err = l.configured(in)
	if err == nil && !l.input.set.Changed("input") && !l.input.set.Changed("project") && !method.Projects(m) {
		in.Projection = projection.Choice{}
	}
	if err == nil && !choose && in.Size != (nrdl.Size{}) {
		if err = method.Suits(m, in); err != nil {
			err = usageError{err}
		}
	}
	return in, m, choose, err
}

// tellInput tells the features, unless they are the grey values.
func (a *app) tellInput(in nrdl.Input) {
	if !in.IsZero() && (!in.ArePixels() || in.Mirror) {
		a.tell("features: %v", in)
	}
}
