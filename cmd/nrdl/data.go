package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/cmd/nrdl/internal/console"
	"nrdl.example/nrdl/cmd/nrdl/internal/describe"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend/feature"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/lab/reference"
)

func (a *app) dataCmd() *cobra.Command {
	c := &cobra.Command{
		Use: "data",
	}
	c.AddCommand(a.infoCmd(), a.synthCmd(), a.convertCmd(), a.checkCmd(), a.comprefaceCmd())
	return c
}

func (a *app) infoCmd() *cobra.Command {
	var (
		input  inputFlags
		asJSON bool
	)
	c := &cobra.Command{
		Use:  "info DATA|MODEL",
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
	d := describe.OfData(set, s.Pipeline)
	if asJSON {
		return a.printJSON(d)
	}
	d.Print(a.Console)
	a.Next("nrdl evaluate %s, or nrdl train %s -o model.nrdl", flags.data(path), flags.data(path))
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

// modelInfo describes the model file at path.
func (a *app) modelInfo(path string, asJSON bool) error {
	r, err := faces.Open(path)
	if err != nil {
		return err
	}
	m, err := describe.OfModel(r.Model())
	switch {
	case err != nil:
		return err
	case asJSON:
		return a.printJSON(m)
	}
	m.Print(a.Console)
	return nil
}

func (a *app) convertCmd() *cobra.Command {
	var input inputFlags
	c := &cobra.Command{
		Use:  "convert IN OUT",
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
		return advice.Add(fmt.Errorf("%s: the samples are %v, which are not images", to, s.Pipeline.Fixed()),
			"write a .npz or .mat file, which keeps any number")
	}
	set, err := featuresOf(s)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return a.save(ctx, to, set)
}

func (a *app) checkCmd() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:  "check DATA [DATABASE|DATA]",
		Args: cli.Arguments(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			for i := range args {
				args[i] = a.databases("").Find(args[i])
			}
			r, err := reference.CheckFile(c.Context(), args[0], strings.Join(args[1:], ""), func(s string) { a.Warn("%s", s) })
			if err != nil {
				return err
			}
			if asJSON {
				err = a.printJSON(r)
			} else {
				err = r.WriteText(a.Results)
				if r.Same {
					plan := "paper"
					if r.Database.Name == reference.AR.Name {
						plan = "further"
					}
					defer a.Next("nrdl evaluate %s, or nrdl bench %s --data DIR", legible.ShellWord(args[0]), plan)
				}
			}
			if err == nil && !r.Same {
				err = fmt.Errorf("%s %w from %s", args[0], errDiffers, r.Database.Title)
				if r.Database.File != "" {
					err = advice.Add(err, "doc/databases.md says how to make the files of the databases")
				}
			}
			return err
		},
		ValidArgsFunction: completeData,
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write one object")
	return c
}

// checkSave reports what would make save fail.
func checkSave(path string) error {
	switch filepath.Base(filepath.Clean(path)) {
	case ".", "..", string(filepath.Separator):
		return advice.Add(cli.Misuse("%s is no name for a data set to write", path),
			"give a new name, for example people.mat, people.npz or people")
	}
	return dataset.CheckSave(path)
}

// save writes a data set and reports its path.
func (a *app) save(ctx context.Context, path string, set *dataset.Images) error {
	for _, loss := range dataset.Losses(path, set) {
		a.Warn("%s", loss)
	}
	if err := dataset.Save(ctx, path, set); err != nil {
		return err
	}
	a.Tell("wrote %s: %s; next: nrdl evaluate %s", path, console.Contents(set), legible.ShellWord(path))
	return nil
}

func (a *app) synthCmd() *cobra.Command {
	s := synthetic.Default
	var size dataset.Size
	var photos bool
	c := &cobra.Command{
		Use:  "synth OUT",
		Args: cli.Arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if photos {
				return a.drawPhotographs(c, args[0], s, size)
			}
			if size.Len() > 0 {
				s.Input = size
			}
			if err := s.Validate(); err != nil {
				return cli.AsMisuse(err)
			}
			if err := checkSave(args[0]); err != nil {
				return err
			}
			set, err := s.Draw(c.Context())
			if err != nil {
				return err
			}
			return a.save(c.Context(), args[0], set)
		},
	}
	f := c.Flags()
	f.BoolVar(&photos, "photos", false, "draw photographs of real size instead of face crops")
	cli.Number(c, &s.People, "people", "", cli.InRange(1, cli.Many), "draw `N` people (6 with --photos)")
	cli.Number(c, &s.PerPerson, "images", "", cli.InRange(1, cli.Many), "draw `N` images of each (4 with --photos)")
	sizeVar(c, &size, "`HxW` pixels of an image (default 32x32, or 1200x1600 with --photos)")
	f.Uint64Var(&s.Seed, "seed", s.Seed, "random seed `N`")
	cli.Number(c, &s.Light, "light", "", cli.InRange(0.0, 2), "`STRENGTH` of changing light, 0 … 2")
	cli.Number(c, &s.Pose, "pose", "", cli.InRange(0.0, 2), "`STRENGTH` of turning heads, 0 … 2")
	cli.Number(c, &s.Expression, "expression", "", cli.InRange(0.0, 2), "`STRENGTH` of expressions, 0 … 2")
	cli.Number(c, &s.Occlusion, "occlusion", "", cli.InRange(0.0, 2), "`STRENGTH` of covering, 0 … 2")
	cli.Number(c, &s.Noise, "noise", "", cli.InRange(0.0, 10), "`STRENGTH` of the camera's noise, 0 … 10")
	for _, flag := range []string{"light", "pose", "expression", "occlusion", "noise"} {
		c.MarkFlagsMutuallyExclusive("photos", flag)
	}
	return c
}

// drawPhotographs writes photographs to the folder dir, as given says where the flags
// of c are set.
func (a *app) drawPhotographs(c *cobra.Command, dir string, given synthetic.Faces, size dataset.Size) error {
	p := synthetic.DefaultPhotographs
	p.Seed = given.Seed
	if c.Flags().Changed("people") {
		p.People = given.People
	}
	if c.Flags().Changed("images") {
		p.PerPerson = given.PerPerson
	}
	if size.Len() > 0 {
		p.Size = size
	}
	if err := p.Validate(); err != nil {
		return cli.AsMisuse(err)
	}
	bar := a.NewBar("drawing")
	err := p.Write(c.Context(), dir, func(done, total int) { bar.Show(float64(done)/float64(total), fmt.Sprintf("%d of %d", done, total)) })
	bar.Clear()
	if err == nil {
		a.Tell("wrote %s: %s, seed %d; next: nrdl train %s -o people.nrdl", dir, legible.Count(p.Len(), "photograph"),
			p.Seed, legible.ShellWord(filepath.Join(dir, "people")))
	}
	return err
}
