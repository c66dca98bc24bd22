package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nrdl"
	"nrdl/coding"
	"nrdl/dataset"
	"nrdl/internal/hint"
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
		Args: arguments(1, 1),
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
	in, err := flags.input(path)
	if err != nil {
		return err
	}
	set, in, err := a.openFor(ctx, path, in, flags)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(stageFlags, flags.set.Changed) {
		if set, err = set.Samples(in); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	info := dataset.Describe(set)
	if asJSON {
		info.Blank, info.Constant = listed(info.Blank), listed(info.Constant)
		info.Duplicates, info.Conflicts = listed(info.Duplicates), listed(info.Conflicts)
		return a.printJSON(struct {
			dataset.Info
			Learning nrdl.Input `json:"learning"` // how train would see the faces
		}{info, in})
	}
	a.printInfo(set, info, !isMatrix(path))
	a.printInput(in)
	return nil
}

// printInput prints the stages by which faces are seen.
func (a *app) printInput(in nrdl.Input) {
	a.print("input      %v\n", in)
	if in.Size != (nrdl.Size{}) {
		a.print("%-10s %d features", "", in.Len())
		if in.Mirror {
			a.print(", also of mirror images")
		}
		if !in.Projection.IsZero() {
			a.print(", then projected")
		}
		a.print("\n")
	}
}

// modelInfo describes the model file at path.
func (a *app) modelInfo(path string, asJSON bool) error {
	model, err := loadModel(path)
	if err != nil {
		return err
	}
	p := model.Parts()
	coder, err := coding.Marshal(p.Coder)
	if err != nil {
		return err
	}
	d, k := p.D.Dims()
	faces := 0
	if p.Enrolled != nil {
		_, faces = p.Enrolled.X.Dims()
	}
	if asJSON {
		return a.printJSON(struct {
			Method  string          `json:"method"`
			Params  json.RawMessage `json:"params"`
			Seed    uint64          `json:"seed"`
			People  []string        `json:"people"`
			Atoms   int             `json:"atoms"`
			Dims    int             `json:"dims"`
			Input   nrdl.Input      `json:"input"`
			Coder   json.RawMessage `json:"coder"`
			Rule    nrdl.Rule       `json:"rule"`
			Trained nrdl.Outcome    `json:"trained"`
			Faces   int             `json:"faces"` // that it keeps

			Calibration *nrdl.Calibration `json:"calibration"`
		}{p.Method, p.Params, p.Seed, p.Classes, k, d, p.Input, coder, p.Rule, p.Trained, faces, p.Calibration})
	}
	a.print("method     %s, seed %d, %s\n", p.Method, p.Seed, p.Trained.Status)
	a.print("people     %d: %s\n", len(p.Classes), abridged(p.Classes))
	a.print("atoms      %d of %d numbers\n", k, d)
	a.printInput(p.Input)
	a.print("coder      %s\n", coder)
	a.print("rule       %s\n", p.Rule)
	if faces == 0 {
		a.print("keeps      no faces: nobody can be added\n")
	} else {
		a.print("keeps      %s, so that people can be added\n", plural(faces, "face"))
	}
	if c := p.Calibration; c == nil {
		a.print("threshold  none: every face is named\n")
	} else {
		a.print("threshold  margin ≥ %.3g (target false accept rate %v %%, estimated on %s)\n", c.Threshold, 100*c.FAR, a.known(c))
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

// printInfo prints what is in a set; resized is whether its images are brought to
// one size.
func (a *app) printInfo(set *nrdl.Set, info dataset.Info, resized bool) {
	a.print("people     %d\n", info.People)
	if info.Fewest == info.Most {
		a.print("images     %d, %d of each\n", info.Images, info.Most)
	} else {
		a.print("images     %d, %d to %d of each\n", info.Images, info.Fewest, info.Most)
	}
	if info.Fewest < 2 {
		a.print("%-10s %s\n", "one image", abridged(alone(set)))
	}
	length := "features"
	if info.Input.ArePixels() {
		size := "size" // of the images themselves
		if resized {
			size = "resized to"
		}
		a.print("%-10s %v\n", size, info.Input.Size)
		length = "pixels"
	}
	a.print("%-10s %d\n", length, info.Features)
	kind := ""
	if info.Integers {
		kind = ", whole numbers"
	}
	a.print("values     %.4g to %.4g%s\n", info.Lowest, info.Highest, kind)
	a.printImages("blank", set, info.Blank)
	a.printImages("constant", set, info.Constant)
	a.printGroups("identical", set, info.Duplicates)
	a.printGroups("mislabelled", set, info.Conflicts)
}

// alone returns the people with one image: they cannot be learnt and judged.
func alone(set *nrdl.Set) (people []string) {
	for c, person := range set.Classes {
		if set.Groups[c+1]-set.Groups[c] < 2 {
			people = append(people, person)
		}
	}
	return people
}

// shown is how many odd images are named.
const shown = 5

func (a *app) printImages(what string, set *nrdl.Set, columns []int) {
	if len(columns) == 0 {
		return
	}
	var names []string
	for _, j := range columns {
		names = append(names, set.ID(j))
	}
	a.print("%-10s %s: %s\n", what, plural(len(columns), "image"), abridged(names))
}

func (a *app) printGroups(what string, set *nrdl.Set, groups [][]int) {
	for n, g := range groups {
		if n == shown {
			a.print("%-10s … %d more groups\n", what, len(groups)-shown)
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

With --input or --photometric what is written are the samples made of the images:
features, for other programs or for train. Mirror images and projections of an
input are left out: they are part of learning. An .npz file says how its samples
were made: what is learnt from it knows images, too.`,
		Example: `  nrdl data convert people people.mat
  nrdl data convert people people.npz --size 24x24
  nrdl data convert people.mat people.copy-of-mat.npz
  nrdl data convert people features.npz --input igo+lbp:cell=8 --size 32x32`,
		Args: arguments(2, 2),
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
	in, err := flags.stages(from)
	if err != nil {
		return err
	}
	set, in, err := a.openFor(ctx, from, in, flags)
	if err != nil {
		return err
	}
	if filepath.Ext(to) == "" && !in.ArePixels() {
		return hint.Add(fmt.Errorf("%s: the samples are %v, which are not images", to, in), "write a .npz or .mat file, which keeps any number")
	}
	if set, err = set.Samples(in); err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	if strings.EqualFold(filepath.Ext(to), ".mat") && !in.ArePixels() && in.Size != (nrdl.Size{}) {
		a.warn("a .mat file does not say that its samples are %v: a .npz file does", in)
	}
	return a.save(ctx, to, set)
}

// checkSave reports what would make save fail.
func checkSave(path string) error {
	switch filepath.Base(filepath.Clean(path)) {
	case ".", "..", string(filepath.Separator):
		return hint.Add(misuse("%s is no name for a data set to write", path), "give a new name, for example people.mat, people.npz or people")
	}
	return dataset.CheckSave(path)
}

// save writes a data set and tells where.
func (a *app) save(ctx context.Context, path string, set *nrdl.Set) error {
	for _, loss := range dataset.Losses(path, set) {
		a.warn("%s", loss)
	}
	if err := dataset.Save(ctx, path, set); err != nil {
		return err
	}
	a.tell("wrote %s: %s", path, describe(set))
	return nil
}
