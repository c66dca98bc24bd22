package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/cmd/nrdl/internal/demo"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/synthetic"
)

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
		a.Tell("wrote %s: %s, seed %d; next: nrdl train %s -o people.nrdl", dir, legible.Count(p.Len(), "photograph"), p.Seed, legible.ShellWord(filepath.Join(dir, "people")))
	}
	return err
}

func (a *app) demoCmd() *cobra.Command {
	d := demo.Demo{Console: a.Console, Observe: func() (nrdl.Observer, func()) { return a.observer("learning") }, Faces: synthetic.Default}
	c := &cobra.Command{
		Use:  "demo",
		Args: cli.Arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			return d.Run(c.Context())
		},
	}
	c.Flags().StringVarP(&d.Dir, "output", "o", "nrdl-demo", "`DIR` for the photographs, the models and the page")
	c.Flags().BoolVar(&a.Verbose, "verbose", false, "also test NRDL with its default coder, and tell how each training ends")
	return c
}
