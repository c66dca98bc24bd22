package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nrdl"
	"nrdl/classify"
	"nrdl/coding"
	"nrdl/dataset"
	"nrdl/frontend"
	"nrdl/frontend/feature"
	"nrdl/internal/advice"
	"nrdl/internal/cli"
	"nrdl/internal/console"
	"nrdl/internal/hint"
	"nrdl/openset"
)

func (a *app) dataCmd() *cobra.Command {
	c := &cobra.Command{
		Use:   "data",
		Short: "Describe, draw and convert data sets",
		Long: `data describes, draws and converts data sets: folders with one folder of images
a person, lists of images (.csv), .mat and .npz files.`,
		Example: `  nrdl data info people
  nrdl data synth drawn --people 5
  nrdl data convert people people.mat`,
	}
	c.AddCommand(a.infoCmd(), a.synthCmd(), a.convertCmd())
	return c
}

func (a *app) infoCmd() *cobra.Command {
	var (
		input  inputFlags
		asJSON bool
	)
	c := &cobra.Command{
		Use:   "info DATA|MODEL",
		Short: "Describe a data set and what is odd about it, or a model",
		Long: `info counts people and images, and finds blank images and identical ones; the
same image under two names is a wrong label. The line input says how train would
make features of the faces. The images are read at the size that the input needs.
With --input and the like the numbers describe the features, before mirror images
and projection.

Of a model file it prints the features, the method and the threshold.`,
		Example: `  nrdl data info people
  nrdl data info people --input lighting --size 24x24 --json
  nrdl data info people.nrdl`,
		Args: cli.Arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if strings.EqualFold(filepath.Ext(args[0]), ".nrdl") {
				return a.modelInfo(args[0], asJSON)
			}
			return a.dataInfo(c.Context(), args[0], &input, asJSON)
		},
		ValidArgsFunction: completeData,
	}
	input.register(c)
	c.Flags().BoolVar(&asJSON, "json", false, "write one object; images are columns, from 0")
	return c
}

func (a *app) dataInfo(ctx context.Context, path string, flags *inputFlags, asJSON bool) error {
	s, err := a.study(ctx, path, &learning{input: *flags})
	if err != nil {
		return err
	}
	set := s.images
	if slices.ContainsFunc(stageFlags, flags.set.Changed) {
		if set, err = featuresOf(s); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	info := dataset.Describe(set)
	if asJSON {
		info.Blank, info.Constant = listed(info.Blank), listed(info.Constant)
		info.Duplicates, info.Conflicts = listed(info.Duplicates), listed(info.Conflicts)
		return a.printJSON(struct {
			dataset.Info
			Learning frontend.Pipeline `json:"learning"` // how train would see the faces
		}{info, s.Pipeline})
	}
	a.printInfo(set, info)
	a.printInput(s.Pipeline)
	return nil
}

// featuresOf returns the samples that the pipeline of s makes of its images, which
// are vectors unless they are the pixels.
func featuresOf(s *studied) (*dataset.Images, error) {
	if s.Pipeline.Fixed().ArePixels() || !s.images.Frame.Embedding.IsZero() {
		return s.images, nil
	}
	samples, err := s.Pipeline.Samples(s.images)
	if err != nil {
		return nil, err
	}
	samples.Grid = classify.Grid{}
	return &dataset.Images{Samples: *samples, Matrix: true}, nil
}

// printInput prints the stages by which faces are seen.
func (a *app) printInput(in frontend.Pipeline) {
	a.Print("input      %v\n", in)
	if in.SeesImages() {
		a.Print("%-10s %d features", "", in.Len())
		if in.Mirror {
			a.Print(", also of mirror images")
		}
		if !in.Projection.IsZero() {
			a.Print(", then projected")
		}
		a.Print("\n")
	}
}

// modelInfo describes the model file at path.
func (a *app) modelInfo(path string, asJSON bool) error {
	r, err := nrdl.Open(path)
	if err != nil {
		return err
	}
	m := r.Model()
	p := m.Parts()
	coder, err := coding.Marshal(p.Coder)
	if err != nil {
		return err
	}
	d, k := p.D.Dims()
	faces := 0
	if m.Images != nil {
		faces = m.Images.Len()
	}
	if asJSON {
		return a.printJSON(struct {
			Method  string            `json:"method"`
			Params  json.RawMessage   `json:"params"`
			Seed    uint64            `json:"seed"`
			People  []string          `json:"people"`
			Atoms   int               `json:"atoms"`
			Dims    int               `json:"dims"`
			Input   frontend.Pipeline `json:"input"`
			Coder   json.RawMessage   `json:"coder"`
			Rule    string            `json:"rule"`
			Trained classify.Outcome  `json:"trained"`
			Faces   int               `json:"faces"` // that it keeps

			Calibration *openset.Calibration `json:"calibration"`
		}{p.Method, p.Params, p.Seed, p.Classes, k, d, m.Pipeline, coder, p.Rule.Name(), p.Trained, faces, m.Calibration})
	}
	a.Print("method     %s, seed %d, %s\n", p.Method, p.Seed, p.Trained.Status)
	a.Print("people     %d: %s\n", len(p.Classes), console.Abridged(p.Classes))
	a.Print("atoms      %d of %d numbers\n", k, d)
	a.printInput(m.Pipeline)
	a.Print("coder      %s\n", coder)
	a.Print("rule       %s\n", p.Rule.Name())
	if faces == 0 {
		a.Print("keeps      no faces: nobody can be added\n")
	} else {
		a.Print("keeps      %s, so that people can be added\n", console.Plural(faces, "face"))
	}
	if c := m.Calibration; c == nil {
		a.Print("threshold  none: every face is named\n")
	} else if c.Alike != nil {
		a.Print("threshold  evidence ≥ %.3g: at most 1 in %.0f strangers in general is as similar (target FPIR %s %%)\n", c.Threshold, math.Pow(10, c.Threshold), console.Percent(c.FAR))
	} else {
		a.Print("threshold  margin ≥ %.3g (target FPIR %s %%, estimated on %s)\n", c.Threshold, console.Percent(c.FAR), advice.Known(c))
	}
	return nil
}

// listed makes JSON write a list without elements as [], not null.
func listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// printInfo prints what is in a set.
func (a *app) printInfo(set *dataset.Images, info dataset.Info) {
	a.Print("people     %d\n", info.People)
	if info.Fewest == info.Most {
		a.Print("images     %d, %d of each\n", info.Images, info.Most)
	} else {
		a.Print("images     %d, %d to %d of each\n", info.Images, info.Fewest, info.Most)
	}
	if info.Fewest < 2 {
		a.Print("%-10s %s\n", "one image", console.Abridged(alone(set)))
	}
	length := "features"
	if set.AreImages() {
		size := "size" // of the images themselves
		if !set.Matrix {
			size = "resized to"
		}
		a.Print("%-10s %v\n", size, info.Frame.Size)
		length = "pixels"
	}
	a.Print("%-10s %d\n", length, info.Features)
	kind := ""
	if info.Integers {
		kind = ", whole numbers"
	}
	a.Print("values     %.4g to %.4g%s\n", info.Lowest, info.Highest, kind)
	a.printImages("blank", set, info.Blank)
	a.printImages("constant", set, info.Constant)
	a.printGroups("identical", set, info.Duplicates)
	a.printGroups("mislabelled", set, info.Conflicts)
}

// alone returns the people with one image: they cannot be learnt and judged.
func alone(set *dataset.Images) (people []string) {
	for c, person := range set.Classes {
		if set.Groups[c+1]-set.Groups[c] < 2 {
			people = append(people, person)
		}
	}
	return people
}

// shown is how many odd images are named.
const shown = 5

func (a *app) printImages(what string, set *dataset.Images, columns []int) {
	if len(columns) == 0 {
		return
	}
	var names []string
	for _, j := range columns {
		names = append(names, set.ID(j))
	}
	a.Print("%-10s %s: %s\n", what, console.Plural(len(columns), "image"), console.Abridged(names))
}

func (a *app) printGroups(what string, set *dataset.Images, groups [][]int) {
	for n, g := range groups {
		if n == shown {
			a.Print("%-10s … %d more groups\n", what, len(groups)-shown)
			return
		}
		a.printImages(what, set, g)
	}
}

func (a *app) convertCmd() *cobra.Command {
	var input inputFlags
	c := &cobra.Command{
		Use:   "convert IN OUT",
		Short: "Convert a data set: folder, .mat, .npz",
		Long: `convert reads IN and writes OUT: a MATLAB file (.mat), a NumPy file (.npz), or,
for a name without an extension, a folder of PNG images, one folder a person.

In a folder the images of a person are numbered, 0001.png, 0002.png, …: the names
that their files had are lost. Grey values are rounded to whole numbers, and
characters of a person's name that no folder can have on some system become "_".
A .mat file gets a list NAME.names.txt beside it, with the people's names.

With --input or --photometric it writes the features of the images, for other
programs or for train: a model that is trained on them knows vectors, not images,
unless a network made them (--input embedding, to .npz).
Mirror images and the projection of an input are left out: they belong to training.`,
		Example: `  nrdl data convert people people.mat
  nrdl data convert people people.npz --size 24x24
  nrdl data convert people.mat people.copy-of-mat.npz
  nrdl data convert people features.npz --input igo+lbp:cell=8 --size 32x32`,
		Args: cli.Arguments(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkSave(args[1]); err != nil {
				return err
			}
			return a.convert(c.Context(), args[0], args[1], &input)
		},
		ValidArgsFunction: completeData,
	}
	input.registerStages(c)
	return c
}

func (a *app) convert(ctx context.Context, from, to string, flags *inputFlags) error {
	if !flags.changed("input") {
		if err := flags.set.Set("input", feature.Pixels{}.Name()); err != nil {
			return err
		}
	}
	s, err := a.study(ctx, from, &learning{input: *flags})
	if err != nil {
		return err
	}
	if filepath.Ext(to) == "" && !s.Pipeline.Fixed().ArePixels() {
		return hint.Add(fmt.Errorf("%s: the samples are %v, which are not images", to, s.Pipeline.Fixed()), "write a .npz or .mat file, which keeps any number")
	}
	set, err := featuresOf(s)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return a.save(ctx, to, set)
}

// checkSave reports what would make save fail.
func checkSave(path string) error {
	switch filepath.Base(filepath.Clean(path)) {
	case ".", "..", string(filepath.Separator):
		return hint.Add(cli.Misuse("%s is no name for a data set to write", path), "give a new name, for example people.mat, people.npz or people")
	}
	return dataset.CheckSave(path)
}

// save writes a data set and tells where.
func (a *app) save(ctx context.Context, path string, set *dataset.Images) error {
	for _, loss := range dataset.Losses(path, set) {
		a.Warn("%s", loss)
	}
	if err := dataset.Save(ctx, path, set); err != nil {
		return err
	}
	a.Tell("wrote %s: %s", path, console.Contents(set))
	return nil
}
