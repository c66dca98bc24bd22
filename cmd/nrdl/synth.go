package main

import (
	"nrdl/synthetic"

	"github.com/spf13/cobra"
)

func (a *app) synthCmd() *cobra.Command {
	s := synthetic.Default
	var size sizeFlag
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
	numberVar(c, &s.People, "people", "", inRange(1, many), "draw `N` people")
	numberVar(c, &s.PerPerson, "images", "", inRange(1, many), "draw `N` images of each")
	size.registerAs(c, "`HxW` pixels of an image (default 32x32)")
	f.Uint64Var(&s.Seed, "seed", s.Seed, "random seed `N`")
	numberVar(c, &s.Light, "light", "", inRange(0.0, 2), "`STRENGTH` of changing light, 0 … 2")
	numberVar(c, &s.Pose, "pose", "", inRange(0.0, 2), "`STRENGTH` of turning heads, 0 … 2")
	numberVar(c, &s.Expression, "expression", "", inRange(0.0, 2), "`STRENGTH` of expressions, 0 … 2")
	numberVar(c, &s.Occlusion, "occlusion", "", inRange(0.0, 2), "`STRENGTH` of covering, 0 … 2")
	numberVar(c, &s.Noise, "noise", "", inRange(0.0, 10), "`STRENGTH` of the camera's noise, 0 … 10")
	return c
}
