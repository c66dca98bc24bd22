package main

import (
	"github.com/spf13/cobra"

	"nrdl/dataset"
)

func (a *app) synthCmd() *cobra.Command {
	s := dataset.DefaultSynthetic
	var size sizeFlag
	c := &cobra.Command{
		Use:   "synth OUT",
		Short: "Draw the faces of people who do not exist",
		Long: `synth draws faces, the same for the same flags, and writes them to OUT: a
folder, or a .mat or .npz file. Every image has a light, a pose and an
expression of its own, and some are partly covered. The strength flags scale
these; at 0 they are off.`,
		Example: `  nrdl data synth drawn-people
  nrdl data synth few.npz --people 5 --images 8 --size 24x24 --seed 3
  nrdl data synth hard.mat --light 1.5 --pose 1.5 --occlusion 2`,
		Args: arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if size.Len() > 0 {
				s.Input = size.Size
			}
			if err := s.Validate(); err != nil {
				return usageError{err}
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
	f.IntVar(&s.People, "people", s.People, "draw `N` people")
	f.IntVar(&s.PerPerson, "images", s.PerPerson, "draw `N` images of each")
	size.registerAs(c, "`HxW` pixels of an image (default 32x32)")
	f.Uint64Var(&s.Seed, "seed", s.Seed, "`N` from which people and images follow")
	f.Float64Var(&s.Light, "light", s.Light, "`STRENGTH` of changing light, 0 … 2")
	f.Float64Var(&s.Pose, "pose", s.Pose, "`STRENGTH` of turning heads, 0 … 2")
	f.Float64Var(&s.Expression, "expression", s.Expression, "`STRENGTH` of expressions, 0 … 2")
	f.Float64Var(&s.Occlusion, "occlusion", s.Occlusion, "`STRENGTH` of covering, 0 … 2")
	f.Float64Var(&s.Noise, "noise", s.Noise, "`STRENGTH` of the camera's noise, 0 … 10")
	return c
}
