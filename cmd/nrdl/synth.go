package main

import (
	"nrdl/dataset"
	"nrdl/internal/cli"
	"nrdl/synthetic"

	"github.com/spf13/cobra"
)

func (a *app) synthCmd() *cobra.Command {
	s := synthetic.Default
	var size dataset.Size
	c := &cobra.Command{
		Use:   "synth OUT",
		Short: "Draw the faces of people who do not exist",
		Long: `synth draws faces and writes them to OUT: a folder, or a .mat or .npz file. The same
flags give the same faces. The images are small face crops. Each has its own light,
pose and expression, and some are partly covered. The strength flags scale these; 0
switches one off.`,
		Example: `  nrdl data synth drawn-people
  nrdl data synth few.npz --people 5 --images 8 --size 24x24 --seed 3
  nrdl data synth hard.mat --light 1.5 --pose 1.5 --occlusion 2`,
		Args: cli.Arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
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
	cli.Number(c, &s.People, "people", "", cli.InRange(1, cli.Many), "draw `N` people")
	cli.Number(c, &s.PerPerson, "images", "", cli.InRange(1, cli.Many), "draw `N` images of each")
	sizeVar(c, &size, "`HxW` pixels of an image (default 32x32)")
	f.Uint64Var(&s.Seed, "seed", s.Seed, "random seed `N`")
	cli.Number(c, &s.Light, "light", "", cli.InRange(0.0, 2), "`STRENGTH` of changing light, 0 … 2")
	cli.Number(c, &s.Pose, "pose", "", cli.InRange(0.0, 2), "`STRENGTH` of turning heads, 0 … 2")
	cli.Number(c, &s.Expression, "expression", "", cli.InRange(0.0, 2), "`STRENGTH` of expressions, 0 … 2")
	cli.Number(c, &s.Occlusion, "occlusion", "", cli.InRange(0.0, 2), "`STRENGTH` of covering, 0 … 2")
	cli.Number(c, &s.Noise, "noise", "", cli.InRange(0.0, 10), "`STRENGTH` of the camera's noise, 0 … 10")
	return c
}
