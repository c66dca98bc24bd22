package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/feature"
	"nrdl.example/nrdl/internal/legible"
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
	f.set.Lookup("input").Usage += " (default embedding for photographs, faces96 for crops, or the preset for --size; " +
		"without its projection for fewer than 30 people and for --method nrdl; .mat and .npz: pixels)"
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
